/**
 * Changes of one workload.
 */
import { call } from "./Client.ts"
import type { Workload } from "./WorkloadQueries.ts"

export const ACTIONS = ["scale", "restart", "pause", "resume"] as const
export type ActionName = (typeof ACTIONS)[number]

interface Options {
  readonly dryRun: boolean
  /** The version that is changed, and no other. */
  readonly resourceVersion?: string
}

/** What is to be done. **Shape** `replicas` counts for `scale` alone. */
export interface Change {
  readonly action: ActionName
  readonly replicas: number
}

type Named = Pick<Workload, "cluster" | "kind" | "name" | "namespace">

const paramsOf = ({ cluster, kind, name, namespace }: Named) => ({ cluster, kind, name, namespace })

/** Changes a workload, or asks its cluster what that would be. **Errors** rejects with `ApiFailure`. */
export const act = (workload: Named, { action, replicas }: Change, payload: Options) => {
  const asked = { params: paramsOf(workload), headers: {} }
  switch (action) {
    case "scale":
      return call((api) => api.workload.scale({ ...asked, payload: { ...payload, replicas } }))
    case "restart":
      return call((api) => api.workload.restart({ ...asked, payload }))
    case "pause":
      return call((api) => api.workload.pause({ ...asked, payload }))
    case "resume":
      return call((api) => api.workload.resume({ ...asked, payload }))
  }
}

export type ActionResult = Awaited<ReturnType<typeof act>>

/** The kinds that the API takes for each action; others are refused as `action_unsupported`. */
const KINDS: Readonly<Record<ActionName, ReadonlySet<string>>> = {
  scale: new Set(["Deployment", "StatefulSet", "ReplicaSet"]),
  restart: new Set(["Deployment", "StatefulSet", "DaemonSet"]),
  pause: new Set(["Deployment", "CronJob"]),
  resume: new Set(["Deployment", "CronJob"])
}

/** Whether workloads of a kind take an action. */
export const canAct = (action: ActionName, kind: string): boolean => KINDS[action].has(kind)

/** Gives what can be done with a workload. **Shape** what is paused is resumed, and nothing else of the two. */
export const actionsOf = ({ isPaused, kind }: { readonly kind: string; readonly isPaused: boolean }) =>
  ACTIONS.filter((action) => canAct(action, kind) && action !== (isPaused ? "pause" : "resume"))
