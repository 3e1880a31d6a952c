/**
 * Logs a failure once, not with every attempt, and when it is over.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"

/** Keeps the failures of activities; `what` names one, such as `usage`, and each fails by itself. */
export interface FailureLog {
  /** Notes that it failed: a warning when the problem is another than before, but for its numbers. */
  readonly failed: (what: string, problem: string) => Effect.Effect<void>
  /** Notes that it went well: says so if it had failed. */
  readonly worked: (what: string) => Effect.Effect<void>
  /** Gives what has failed and not worked since, with the last problem. */
  readonly active: () => ReadonlyArray<Failure>
}

/** One activity that fails. */
export interface Failure {
  readonly what: string
  readonly problem: string
}

/** Makes the failure log of one cluster. */
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
