/**
 * Maps errors of merged lists to problems of the contract.
 */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type * as ListError from "@quarterdeck/cluster-fanout/ListError"
import type * as Problem from "@quarterdeck/contract/Problem"
import type { Effect } from "effect"
import { refuse } from "./Refusal.ts"

/** `Retry-After` for a cluster that throttles without stating a time, in milliseconds. */
const DEFAULT_RETRY_MS = 1_000

/**
 * Fails with the problem of an error. `detail` replaces the message of a failed fan-out.
 *
 * **Errors** `cluster_timeout`, `cluster_throttled` (with `Retry-After`), `cluster_unreachable`, each with the coverage
 * of every addressed cluster; `invalid_cursor`; `namespace_forbidden`.
 */
export const fromError = (
  error: ListError.FanOutFailed | ListError.CursorInvalid | ListError.NamespaceForbidden,
  detail: string = error.message
): Effect.Effect<never, Problem.Problem> => {
  switch (error._tag) {
    case "FanOutFailed":
      return refuse(
        error.code,
        { detail, clusters: error.coverages },
        error.code === "cluster_throttled" ? { "retry-after": retryAfter(error.coverages) } : {}
      )
    case "CursorInvalid":
      return refuse("invalid_cursor", { detail: error.message, field: "cursor" })
    case "NamespaceForbidden":
      return refuse("namespace_forbidden", { detail: error.message, field: "namespace" })
  }
}

/** Returns the longest wait that any cluster requests, in whole seconds. */
const retryAfter = (coverages: ReadonlyArray<Coverage>): string => {
  const waits = coverages.map(({ error }) => error?.retryAfterMs ?? DEFAULT_RETRY_MS)
  return String(Math.ceil(Math.max(...waits) / 1_000))
}
