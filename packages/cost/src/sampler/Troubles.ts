/**
 * Says what goes wrong once, not with every attempt, and when it is over.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"

/** **Shape** `what` names an activity, such as `usage`; each has its own trouble. */
export interface Troubles {
  /** Notes that it failed: a warning when the problem is another than before, but for its numbers. */
  readonly failed: (what: string, problem: string) => Effect.Effect<void>
  /** Notes that it went well: says so if it had failed. */
  readonly worked: (what: string) => Effect.Effect<void>
  /** Gives what has failed and not worked since, with the last problem. */
  readonly present: () => ReadonlyArray<Trouble>
}

/** One activity that fails. */
export interface Trouble {
  readonly what: string
  readonly problem: string
}

/** Makes the memory of one cluster's troubles. */
export const make = (cluster: ClusterName): Troubles => {
  const present = new Map<string, { readonly kind: string; readonly problem: string }>()
  return {
    failed: (what, problem) =>
      Effect.suspend(() => {
        const kind = problem.replaceAll(/\d+/g, "0")
        const before = present.get(what)
        present.set(what, { kind, problem })
        if (before?.kind === kind) return Effect.void
        return Effect.logWarning(`cost of cluster ${cluster}: ${what}: ${problem}`)
      }),
    worked: (what) =>
      Effect.suspend(() =>
        present.delete(what) ? Effect.logInfo(`cost of cluster ${cluster}: ${what}: works again`) : Effect.void
      ),
    present: () => Array.from(present, ([what, { problem }]) => ({ what, problem }))
  }
}
