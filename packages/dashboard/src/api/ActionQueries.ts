/**
 * Changes of one workload.
 */
import { call } from "./Client.ts"
import type { Workload } from "./WorkloadQueries.ts"

export const ACTIONS = ["scale", "restart", "pause", "resume"] as const
export type ActionName = (typeof ACTIONS)[number]

interface Options {
  readonly dryRun: boolean
  /** The version to change. The server refuses if the workload has another one. */
  readonly resourceVersion?: string
}

/** An action and its parameters. **Shape** `replicas` is used only by `scale`. */
export interface Change {
  readonly action: ActionName
  readonly replicas: number
}

type Named = Pick<Workload, "cluster" | "kind" | "name" | "namespace">

const paramsOf = ({ cluster, kind, name, namespace }: Named) => ({ cluster, kind, name, namespace })

/** Changes a workload, or previews the change if `dryRun` is true. **Errors** rejects with `ApiFailure`. */
export const act = (workload: Named, { action, replicas }: Change, payload: Options) => {
  const request = { params: paramsOf(workload), headers: {} }
  switch (action) {
    case "scale":
      return call((api) => api.workload.scale({ ...request, payload: { ...payload, replicas } }))
    case "restart":
      return call((api) => api.workload.restart({ ...request, payload }))
    case "pause":
      return call((api) => api.workload.pause({ ...request, payload }))
    case "resume":
      return call((api) => api.workload.resume({ ...request, payload }))
  }
}

export type ActionResult = Awaited<ReturnType<typeof act>>

/** The kinds that each action supports. The server refuses others with `action_unsupported`. */
const KINDS: Readonly<Record<ActionName, ReadonlySet<string>>> = {
  scale: new Set(["Deployment", "StatefulSet", "ReplicaSet"]),
  restart: new Set(["Deployment", "StatefulSet", "DaemonSet"]),
  pause: new Set(["Deployment", "CronJob"]),
  resume: new Set(["Deployment", "CronJob"])
}

/** Returns true if workloads of a kind support an action. */
export const canAct = (action: ActionName, kind: string): boolean => KINDS[action].has(kind)

/** Returns the actions of a workload. **Shape** a paused workload has `resume`, others have `pause`. */
export const actionsOf = ({ isPaused, kind }: { readonly kind: string; readonly isPaused: boolean }) =>
  ACTIONS.filter((action) => canAct(action, kind) && action !== (isPaused ? "pause" : "resume"))
