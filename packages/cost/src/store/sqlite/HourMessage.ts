/**
 * Converts an hour to the message for the worker thread, and back.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Hour, RateShare } from "../../hour/Hour.ts"
import { type Columns, measures, record } from "../../hour/Measure.ts"
import type { Series } from "../../hour/Series.ts"
import type { Closing, ReadHour } from "./CostProtocol.ts"
import * as HourCharges from "./HourCharges.ts"
import * as TransferColumns from "./TransferColumns.ts"
import type { Laid } from "./TransferColumns.ts"
import { SHARE_WIDTH } from "./HourDetail.ts"

/**
 * Copies the non-zero columns of an hour into a message. Reuses the buffer `room` if it is large enough.
 */
export const toMessage = (
  hour: Hour,
  { fresh, ids }: Pick<Closing, "fresh" | "ids">,
  room?: Float64Array<ArrayBuffer>
): Closing => {
  const { cluster, columns, knownSeconds, rateOf, shares, startMs } = hour
  const parts = measures.map((measure) => (holdsAny(columns[measure]) ? columns[measure] : undefined))
  const laid = TransferColumns.make(ids.length, (column) => parts[column] !== undefined, room)
  for (const [column, into] of TransferColumns.spread(laid, ids.length).entries()) into?.set(parts[column] ?? [])
  const shared = shares.flatMap((share) => [
    share.series,
    share.rate,
    share.cpuAllocatedMilliSeconds,
    share.memoryAllocatedKibSeconds,
    share.gpuMilliSeconds
  ])
  return {
    cluster,
    startMs,
    knownSeconds,
    ids,
    fresh,
    rateOf,
    ...laid,
    charges: HourCharges.print(hour, columns),
    shares: Float64Array.from(shared)
  }
}

const holdsAny = (values: Float64Array): boolean => {
  for (let place = 0; place < values.length; place++) if (values[place] !== 0) return true
  return false
}

/** Returns a column for each measure. Columns of zeros share one array, so callers must not change columns. */
export const columnsOf = (laid: Laid, size: number): Columns => {
  const columns = TransferColumns.spread(laid, size)
  const zeros = new Float64Array(size)
  return record((_, place) => columns[place] ?? zeros)
}

export const toHour = (cluster: ClusterName, hour: ReadHour, series: ReadonlyArray<Series>): Hour => {
  const { charges, ids, knownSeconds, rateOf, shares, startMs } = hour
  const columns = columnsOf(hour, ids.length)
  return {
    cluster,
    startMs,
    knownSeconds,
    series,
    columns,
    rateOf,
    ...HourCharges.parse(charges, columns),
    shares: Array.from({ length: shares.length / SHARE_WIDTH }, (_, index) => shareAt(shares, index * SHARE_WIDTH))
  }
}

const shareAt = (shares: Float64Array, at: number): RateShare => ({
  series: shares[at] ?? 0,
  rate: shares[at + 1] ?? 0,
  cpuAllocatedMilliSeconds: shares[at + 2] ?? 0,
  memoryAllocatedKibSeconds: shares[at + 3] ?? 0,
  gpuMilliSeconds: shares[at + 4] ?? 0
})
