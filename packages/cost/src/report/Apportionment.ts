/**
 * Splits integer amounts over series by weight, without losing a unit to rounding.
 */
import { keyOf, type Series } from "../hour/Series.ts"
import * as AllocationSet from "./AllocationSet.ts"

/** The amount of each bin, and the bin and the weight of each series. A series with a bin below 0 gets nothing. */
interface Amounts {
  readonly amounts: Float64Array
  readonly binOf: Int32Array
  readonly weights: Float64Array
}

/**
 * Splits each bin's amount over the series of the bin, in proportion to their weights.
 *
 * The series with the highest weight in a bin takes the rounding remainder. If several have that weight, the first in
 * series order takes it. A bin whose total weight (`weighed`) is 0 is not split.
 *
 * **Limits** linear in the number of series; the result does not depend on their order.
 */
export const apportion = (
  allocations: AllocationSet.AllocationSet,
  { amounts, binOf, weights }: Amounts
): { readonly shares: Float64Array; readonly weighed: Float64Array } => {
  const isBefore = (first: number, second: number): boolean => {
    const [a, b] = [AllocationSet.seriesAt(allocations, first), AllocationSet.seriesAt(allocations, second)]
    return a !== undefined && b !== undefined && isSeriesBefore(a, b)
  }
  const shares = new Float64Array(binOf.length)
  const weighed = new Float64Array(amounts.length)
  const heaviest = new Int32Array(amounts.length).fill(-1)
  for (let place = 0; place < binOf.length; place++) {
    const bin = binOf[place] ?? -1
    const weight = weights[place] ?? 0
    if (bin < 0 || weight <= 0) continue
    weighed[bin] = (weighed[bin] ?? 0) + weight
    const before = heaviest[bin] ?? -1
    const most = before < 0 ? 0 : (weights[before] ?? 0)
    if (weight > most || (weight === most && isBefore(place, before))) heaviest[bin] = place
  }
  const left = amounts.slice()
  for (let place = 0; place < binOf.length; place++) {
    const bin = binOf[place] ?? -1
    const weight = weights[place] ?? 0
    const binWeight = weighed[bin] ?? 0
    if (binWeight === 0 || weight <= 0) continue
    const share = Math.round((amounts[bin] ?? 0) * (weight / binWeight))
    shares[place] = share
    left[bin] = (left[bin] ?? 0) - share
  }
  for (const [bin, place] of heaviest.entries()) {
    if (place >= 0) shares[place] = (shares[place] ?? 0) + (left[bin] ?? 0)
  }
  return { shares, weighed }
}

/** Returns true if the first series sorts before the second. The order of labels does not matter. */
const isSeriesBefore = (first: Series, second: Series): boolean => {
  if (first.name !== second.name) return first.name < second.name
  if (first.namespace !== second.namespace) return first.namespace < second.namespace
  if (first.kind !== second.kind) return first.kind < second.kind
  if (first.uid !== second.uid) return first.uid < second.uid
  return keyOf(first) < keyOf(second)
}
