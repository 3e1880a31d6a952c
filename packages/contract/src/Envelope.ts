/**
 * What every list carries beside its rows: coverage of each addressed cluster, whether something is missing, the next page.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Schema } from "effect"

/**
 * The fields that follow the rows.
 *
 * **Shape** coverage keeps the order of the target; `nextCursor` is absent on the last page.
 *
 * **Example** `Schema.Struct({ workloads: Schema.Array(WorkloadRow), ...envelopeFields })`
 */
export const envelopeFields = {
  clusters: Schema.Array(Coverage),
  partial: Schema.Boolean,
  nextCursor: Schema.optionalKey(Schema.String)
}
