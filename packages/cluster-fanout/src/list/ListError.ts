/**
 * Errors that fail a whole list. The failure of a single cluster is part of the coverage instead.
 */
import { Schema } from "effect"
import { Coverage } from "../kube/Coverage.ts"

/**
 * No addressed cluster answered.
 *
 * **Shape** `code` is `cluster_timeout` if all timed out, `cluster_throttled` if all were throttled, else
 * `cluster_unreachable`. `coverages` has one entry for each addressed cluster, in the target's order.
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

/** The cursor was not made by this service for the same key, filter and sort. */
export class CursorInvalid extends Schema.TaggedError<CursorInvalid>()("CursorInvalid", {}) {
  override get message(): string {
    return "cursor: not valid for this route, API key, filter and sort; omit it to start from the first page"
  }
}

/** A requested namespace is outside the key's scope. The error does not reveal whether the namespace exists. */
export class NamespaceForbidden extends Schema.TaggedError<NamespaceForbidden>()("NamespaceForbidden", {
  /** The namespace as the caller wrote it. */
  namespace: Schema.String
}) {
  override get message(): string {
    return `namespace ${this.namespace} is outside the key's scope`
  }
}
