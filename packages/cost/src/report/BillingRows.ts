/**
 * Adds the billed quantities, which the JSON report omits, to workload rows.
 */
import { Effect } from "effect"
import type { BilledRow } from "./CostRow.ts"
import type { Measure } from "../hour/Measure.ts"
import { HOUR_SECONDS, KIB_BYTES } from "../hour/Units.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type * as WorkloadRows from "./WorkloadRows.ts"
import * as RowFigures from "./RowFigures.ts"
import * as GroupTotals from "./GroupTotals.ts"

/** Builds the rows as {@link RowFigures.rowsAt} does, with billed quantities. */
export const rowsAt = Effect.fnUntraced(function* (rows: WorkloadRows.WorkloadRows, chosen: ReadonlyArray<number>) {
  const written = yield* RowFigures.rowsAt(rows, chosen)
  return written.map((row, at): BilledRow => ({ ...row, ...quantitiesOf(rows, chosen[at] ?? -1) }))
})

const quantitiesOf = ({ firstOf, allocations, nextOf }: WorkloadRows.WorkloadRows, row: number) => {
  const sumOf = (measure: Measure): number => {
    let sum = 0
    for (let place = firstOf[row] ?? -1; place >= 0; place = nextOf[place] ?? -1) {
      const part = AllocationSet.partAt(allocations, place)
      sum += part?.columns[measure][place - part.from] ?? 0
    }
    return sum
  }
  return {
    gpuHours: GroupTotals.coreHours(sumOf("gpuMilliSeconds")),
    storageByteHours: GroupTotals.byteHours(sumOf("storageKibSeconds")),
    egressBytes: (sumOf("zoneEgressKib") + sumOf("regionEgressKib") + sumOf("internetEgressKib")) * KIB_BYTES,
    loadBalancerHours: sumOf("loadBalancerSeconds") / HOUR_SECONDS
  }
}
