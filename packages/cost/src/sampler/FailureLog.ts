/**
 * Logs a repeated failure once, and its end.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"

/** Tracks failing activities. `what` names an activity, such as `usage`. */
export interface FailureLog {
  /** Records a failure. Logs a warning if the problem differs from the last one in more than numbers. */
  readonly failed: (what: string, problem: string) => Effect.Effect<void>
  /** Records a success. Logs it if the activity was failing. */
  readonly worked: (what: string) => Effect.Effect<void>
  /** Returns the activities that are failing, with the last problem. */
  readonly active: () => ReadonlyArray<Failure>
}

/** A failing activity. */
export interface Failure {
  readonly what: string
  readonly problem: string
}

export const make = (cluster: ClusterName): FailureLog => {
  const active = new Map<string, { readonly kind: string; readonly problem: string }>()
  return {
    failed: (what, problem) =>
      Effect.suspend(() => {
        const kind = problem.replaceAll(/\d+/g, "0")
        const before = active.get(what)
        active.set(what, { kind, problem })
        if (before?.kind === kind) return Effect.void
        return Effect.logWarning(`cost of cluster ${cluster}: ${what}: ${problem}`)
      }),
    worked: (what) =>
      Effect.suspend(() =>
        active.delete(what) ? Effect.logInfo(`cost of cluster ${cluster}: ${what}: works again`) : Effect.void
      ),
    active: () => Array.from(active, ([what, { problem }]) => ({ what, problem }))
  }
}
