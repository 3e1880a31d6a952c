/**
 * Why a list is refused or fails as a whole; one cluster's failure is coverage, not an error.
 */
import { Schema } from "effect"
import { Coverage } from "../kube/Coverage.ts"

/**
 * No addressed cluster answered.
 *
 * **Shape** `code` names the gateway's answer: all timed out, all throttled, or anything else. `coverages` has one
 * entry for each addressed cluster, in the target's order.
 */
export class FanOutFailed extends Schema.TaggedError<FanOutFailed>()("FanOutFailed", {
  code: Schema.Literals(["cluster_timeout", "cluster_throttled", "cluster_unreachable"]),
  coverages: Schema.Array(Coverage)
}) {
  override get message(): string {
    return this.coverages.length === 1
      ? "the addressed cluster did not answer"
      : `none of the ${this.coverages.length} addressed clusters answered`
  }
}

/** The cursor was not made by this service for this key, filter and sort. */
export class CursorInvalid extends Schema.TaggedError<CursorInvalid>()("CursorInvalid", {}) {
  override get message(): string {
    return "cursor: not one that this route gave to the same key for the same question; leave it out to begin anew"
  }
}

/** A namespace that was asked for by name is outside the key's scope, whether it exists or not. */
export class NamespaceForbidden extends Schema.TaggedError<NamespaceForbidden>()("NamespaceForbidden", {
  /** As the caller wrote it. */
  namespace: Schema.String
}) {
  override get message(): string {
    return `namespace ${this.namespace} is outside the key's scope`
  }
}
