/**
 * Actions on a workload: the kinds they apply to, the patches they send, and the state they report before and after.
 */
import { count, fields, text } from "../projection/Field.ts"
import type { WorkloadKind } from "../projection/Kind.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import type { Patch } from "../kube/KubeWriter.ts"

/**
 * A change of a workload. `restart` starts a rollout that replaces all pods. `pause` and `resume` apply to the rollout
 * of a Deployment or the schedule of a CronJob.
 */
export type Change =
  | { readonly action: "scale"; readonly replicas: number }
  | { readonly action: "restart" | "pause" | "resume" }
export type Action = Change["action"]

/** The state that an action changes. **Shape** only the fields of that action; no `restartedAt` if never restarted. */
export interface ActionState {
  readonly replicas?: number
  readonly isPaused?: boolean
  /** RFC 3339. */
  readonly restartedAt?: string
}

const KINDS: Readonly<Record<Action, ReadonlyArray<WorkloadKind>>> = {
  scale: ["Deployment", "StatefulSet", "ReplicaSet"],
  restart: ["Deployment", "StatefulSet", "DaemonSet"],
  pause: ["Deployment", "CronJob"],
  resume: ["Deployment", "CronJob"]
}

/** The kinds that support an action. */
export const kindsOf = (action: Action): ReadonlyArray<WorkloadKind> => KINDS[action]

/** Finds a kind by name, if it supports the action. */
export const kindNamed = (action: Action, kind: string): WorkloadKind | undefined =>
  KINDS[action].find((supported) => supported === kind)

/** The annotation that `kubectl rollout restart` also writes: kubectl and this service see each other's restarts. */
const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"

/** Returns the state that a change requests. **Units** `now`, the time of a restart, is in RFC 3339. */
export const wantedBy = (change: Change, now: string): ActionState => {
  switch (change.action) {
    case "scale":
      return { replicas: change.replicas }
    case "restart":
      return { restartedAt: now }
    case "pause":
      return { isPaused: true }
    case "resume":
      return { isPaused: false }
  }
}

/** Reads an action's state from a workload or its scale subresource. */
export const stateOf = (action: Action, { spec }: KubeObject): ActionState => {
  const specification = fields(spec)
  switch (action) {
    case "scale":
      // The server omits 0 replicas.
      return { replicas: count(specification["replicas"]) ?? 0 }
    case "restart": {
      const annotations = fields(fields(fields(specification["template"])["metadata"])["annotations"])
      const restartedAt = text(annotations[RESTARTED_AT])
      return restartedAt === undefined ? {} : { restartedAt }
    }
    case "pause":
    case "resume":
      return { isPaused: specification["paused"] === true || specification["suspend"] === true }
  }
}

/** Returns whether a workload is in the requested state. */
export const isReached = (wanted: ActionState, state: ActionState): boolean =>
  wanted.replicas === state.replicas && wanted.isPaused === state.isPaused && wanted.restartedAt === state.restartedAt

/**
 * Makes the patch of an action. **Shape** with a `resourceVersion`, the server rejects the patch if the object's
 * version differs.
 */
export const patchOf = (
  kind: WorkloadKind,
  { isPaused, replicas, restartedAt }: ActionState,
  resourceVersion: string | undefined
): Pick<Patch, "subresource" | "merge"> => {
  const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } }
  if (replicas !== undefined) return { subresource: "scale", merge: { ...metadata, spec: { replicas } } }
  if (restartedAt !== undefined) {
    const template = { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } }
    return { merge: { ...metadata, spec: { template } } }
  }
  return { merge: { ...metadata, spec: kind === "CronJob" ? { suspend: isPaused } : { paused: isPaused } } }
}
