/**
 * What can be done to a workload: to which kinds, by which change of the object, and what of it is told before and after.
 */
import { count, fields, text } from "../projection/Field.ts"
import type { WorkloadKind } from "../projection/Kind.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import type { Patch } from "../kube/KubeWriter.ts"

/**
 * What to do to a workload: `restart` replaces the pods by the workload's own rollout; `pause` and `resume` are of a
 * rollout, or of a schedule.
 */
export type Change =
  | { readonly action: "scale"; readonly replicas: number }
  | { readonly action: "restart" | "pause" | "resume" }
export type Action = Change["action"]

/** What an action changes. **Shape** the field of the action alone; `restartedAt` is absent while nobody has restarted it. */
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

/** The kinds that can be acted on so. */
export const kindsOf = (action: Action): ReadonlyArray<WorkloadKind> => KINDS[action]

/** Finds a kind by its name, if it can be acted on so. */
export const kindNamed = (action: Action, kind: string): WorkloadKind | undefined =>
  KINDS[action].find((one) => one === kind)

/** The mark of `kubectl rollout restart`: both tools see what the other did. */
const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"

/** Gives what a workload shall be. **Units** `now` as RFC 3339, which is what marks a restart. */
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

/** Reads what an action is about from a workload, or from its scale. */
export const stateOf = (action: Action, { spec }: KubeObject): ActionState => {
  const specification = fields(spec)
  switch (action) {
    case "scale":
      // The server leaves out a scale of nothing.
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

/** Tells whether a workload is as it was wanted. */
export const isReached = (wanted: ActionState, state: ActionState): boolean =>
  wanted.replicas === state.replicas && wanted.isPaused === state.isPaused && wanted.restartedAt === state.restartedAt

/** Writes the change of an object. **Shape** with a `resourceVersion` the server refuses an object of another one. */
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
