/**
 * Errors of cost reports.
 */
import { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Schema } from "effect"

/** A field of the query is invalid (HTTP 400). */
export class InvalidCostQuery extends Schema.TaggedError<InvalidCostQuery>()("InvalidCostQuery", {
  /** Path such as `workloadTypes[1]`; empty for the body as a whole. */
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return this.field === "" ? this.problem : `${this.field}: ${this.problem}`
  }
}

/** A key with a namespace scope requested idle costs, which would reveal other tenants' usage (HTTP 403, field `idle`). */
export class IdleForbidden extends Schema.TaggedError<IdleForbidden>()("IdleForbidden", {}) {
  readonly field = "idle"
  override get message(): string {
    return "idle: idle costs need a key that may read all namespaces of the cluster"
  }
}

/** The workload has no costs in the window, because it did not run then or does not exist (HTTP 404). */
export class CostRowNotFound extends Schema.TaggedError<CostRowNotFound>()("CostRowNotFound", {
  cluster: HistoryName,
  id: Schema.String
}) {
  override get message(): string {
    return `id: there are no costs of ${this.id} in this window`
  }
}
