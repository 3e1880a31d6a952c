/**
 * Joins the workloads of a window with those of the window before.
 */
import { Effect } from "effect"
import * as AllocationSet from "./AllocationSet.ts"
import type { CostRow, PreviousCosts } from "./CostRow.ts"
import * as GroupTotals from "./GroupTotals.ts"
import type { Compared } from "./PreviousWindow.ts"
import type { Ranked } from "./Ranking.ts"
import * as RowFigures from "./RowFigures.ts"
import * as WorkloadRows from "./WorkloadRows.ts"

/** A report's rows, with those of the previous window. */
export interface ComparedWorkloads {
  readonly previous: PreviousCosts
  /** The ranking of the report. Workloads that only the previous window has come last. */
  readonly ranked: Ranked
  /** Appends a cost of 0 for each workload that only the previous window has. */
  readonly padded: (nanos: Float64Array) => Float64Array
  readonly rowsAt: (places: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<CostRow>>
}

/**
 * Joins rows by id.
 *
 * **Shape** a workload that only the previous window has becomes a row with figures of 0, if its cluster is comparable. The
 * previous figures of all rows therefore sum to the previous totals.
 *
 * **Limits** holds the ids of one window. Yields every {@link AllocationSet.SLICE} rows.
 */
export const join = Effect.fnUntraced(function* (
  rows: WorkloadRows.WorkloadRows,
  past: WorkloadRows.WorkloadRows,
  compared: Compared
) {
  const isComparable = (of: WorkloadRows.WorkloadRows, row: number) =>
    compared.clusters[WorkloadRows.clusterAt(of, row)]?.comparable === true
  const pastOf = new Map<string, number>()
  for (let row = 0; row < past.size; row++) {
    if (row % AllocationSet.SLICE === AllocationSet.SLICE - 1) yield* Effect.yieldNow
    pastOf.set(WorkloadRows.idOf(past, row), row)
  }
  const pastRows = new Int32Array(rows.size).fill(-1)
  for (let row = 0; row < rows.size; row++) {
    if (row % AllocationSet.SLICE === AllocationSet.SLICE - 1) yield* Effect.yieldNow
    const id = WorkloadRows.idOf(rows, row)
    pastRows[row] = pastOf.get(id) ?? -1
    pastOf.delete(id)
  }
  const ended = [...pastOf.values()].filter((row) => isComparable(past, row))
  const padded = (nanos: Float64Array): Float64Array => {
    const more = new Float64Array(rows.size + ended.length)
    more.set(nanos)
    return more
  }
  const rowsAt = Effect.fnUntraced(function* (places: ReadonlyArray<number>) {
    const present = yield* RowFigures.rowsAt(
      rows,
      places.filter((place) => place < rows.size)
    )
    const gone = yield* RowFigures.rowsAt(
      past,
      places.flatMap((place) => ended[place - rows.size] ?? [])
    )
    const sums = RowFigures.totalsAt(
      past,
      places.map((place) => (place < rows.size ? (pastRows[place] ?? -1) : (ended[place - rows.size] ?? -1)))
    )
    const [currentRows, endedRows] = [present.values(), gone.values()]
    return places.flatMap((place, at): ReadonlyArray<CostRow> => {
      const isEnded = place >= rows.size
      const { value } = isEnded ? endedRows.next() : currentRows.next()
      if (value === undefined) return []
      const previous = isEnded || isComparable(rows, place) ? (sums[at] ?? null) : null
      return [isEnded ? { ...value, ...GroupTotals.noFigures(), hourlyCost: 0, previous } : { ...value, previous }]
    })
  })
  const joined: ComparedWorkloads = {
    previous: {
      window: compared.window,
      totals: compared.areTotals ? GroupTotals.totalsAt(yield* WorkloadRows.total(past), 0) : null,
      clusters: compared.clusters
    },
    ranked: {
      size: rows.size + ended.length,
      totalNanos: padded(rows.totalNanos),
      nameOf: (place) =>
        place < rows.size ? WorkloadRows.idOf(rows, place) : WorkloadRows.idOf(past, ended[place - rows.size] ?? -1)
    },
    padded,
    rowsAt
  }
  return joined
})
