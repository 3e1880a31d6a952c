/**
 * Reads that estimate how much was requested while usage was known, for hours of older programs, which did not store
 * this.
 *
 * All such hours of a window are estimated as one sum. The older programs did the same, so reported figures do not change.
 * Exact hours among them are added without estimates.
 */
import { measures } from "../../hour/Measure.ts"
import * as KnownRequest from "../../hour/KnownRequest.ts"
import * as Calendar from "./Calendar.ts"
import { type Cluster, type History, isForgotten } from "./CostHistory.ts"
import * as CostReads from "./CostReads.ts"
import { combine, type Combined, type Term } from "./CostSums.ts"
import * as ExactHours from "./ExactHours.ts"
import * as TransferColumns from "./TransferColumns.ts"

/**
 * Returns the end of the hours that need estimates. A day that is kept only as a daily total is estimated as a whole.
 */
const estimatedTo = (cluster: Cluster): number => {
  const day = Calendar.dayAt(cluster.estimatedToMs - 1)
  return isForgotten(cluster, day) ? Calendar.startOf(day + 1) : cluster.estimatedToMs
}

/** Sums the hours of a window, with estimates. **Shape** `startMs` and `endMs` are starts of hours. */
export const sums = (history: History, cluster: Cluster, startMs: number, endMs: number): Combined => {
  const toMs = cluster.estimatedToMs === 0 ? 0 : estimatedTo(cluster)
  if (startMs >= toMs) return CostReads.sums(history, cluster, startMs, endMs)
  const untilMs = Math.min(endMs, toMs)
  const exact = ExactHours.within(cluster, startMs, untilMs).map((run) =>
    CostReads.sums(history, cluster, run.startMs, run.endMs)
  )
  const rest = combine([
    { sums: CostReads.sums(history, cluster, startMs, untilMs), sign: 1 },
    ...exact.map((sums): Term => ({ sums, sign: -1 }))
  ])
  const after = endMs > toMs ? [CostReads.sums(history, cluster, toMs, endMs)] : []
  return combine([estimated(rest), ...exact, ...after].map((sums): Term => ({ sums, sign: 1 })))
}

/** Reads one hour, with estimates. */
export const hour = (history: History, cluster: Cluster, day: number, step: number): CostReads.HourRead => {
  const read = CostReads.hour(history, cluster, day, step)
  if (cluster.estimatedToMs === 0 || Calendar.startOf(day, step) >= estimatedTo(cluster)) return read
  return ExactHours.has(cluster, day, step) ? read : estimated(read)
}

/**
 * Returns true if the stored hour is estimated, and the hour to write has the quantities that {@link hour} returns for it.
 *
 * The write then changes only prices, so the hour stays estimated.
 */
export const isAsRead = (
  history: History,
  cluster: Cluster,
  day: number,
  { columns, ids, step }: CostReads.KeptHour
): boolean => {
  const isEstimated = Calendar.startOf(day, step) < cluster.estimatedToMs && !ExactHours.has(cluster, day, step)
  if (!isEstimated || (((cluster.hours.get(day) ?? 0) >>> step) & 1) === 0) return false
  const read = hour(history, cluster, day, step)
  const places = new Map(Array.from(read.ids, (id, place) => [id, place]))
  return (
    ids.length === places.size
    && ids.every((id, place) => {
      const was = places.get(id) ?? -1
      return (
        was >= 0 && QUANTITIES.every((column) => (columns[column]?.[place] ?? 0) === (read.columns[column]?.[was] ?? 0))
      )
    })
  )
}

const at = (measure: (typeof measures)[number]): number => measures.indexOf(measure)
const COVERED = at("coveredSeconds")
const EXISTED = at("existedSeconds")
const PAIRS = KnownRequest.PAIRS.map(({ known, requested }) => ({ known: at(known), requested: at(requested) }))
const QUANTITIES = measures.filter((measure) => !measure.endsWith("CostNanos")).map(at)

const estimated = <Read extends Pick<Combined, "ids" | "columns" | "used" | "values">>(read: Read): Read => {
  const { columns, ids } = read
  const isEstimated = (column: number) => PAIRS.some(({ known }) => known === column)
  const laid = TransferColumns.make(ids.length, (column) => isEstimated(column) || columns[column] !== undefined)
  const into = TransferColumns.spread(laid, ids.length)
  for (const [column, values] of into.entries()) if (!isEstimated(column)) values?.set(columns[column] ?? [])
  for (const { known, requested } of PAIRS) {
    for (let place = 0; place < ids.length; place++) {
      const asked = into[requested]?.[place] ?? 0
      const estimate = KnownRequest.estimate(asked, into[COVERED]?.[place] ?? 0, into[EXISTED]?.[place] ?? 0)
      into[known]?.fill(estimate, place, place + 1)
    }
  }
  return { ...read, ...laid, columns: into }
}
