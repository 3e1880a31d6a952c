/**
 * Fields that every list reply has in addition to its rows.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Schema } from "effect"

/**
 * Coverage of each addressed cluster, whether rows are missing, and the cursor of the next page.
 *
 * **Shape** `clusters` is in the order of the target. `nextCursor` is absent on the last page.
 *
 * **Example** `Schema.Struct({ workloads: Schema.Array(WorkloadRow), ...envelopeFields })`
 */
export const envelopeFields = {
  clusters: Schema.Array(Coverage),
  partial: Schema.Boolean,
  nextCursor: Schema.optionalKey(Schema.String)
}
