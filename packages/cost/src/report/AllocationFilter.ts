/**
 * Narrows an allocation set to some of its series.
 */
import { record } from "../hour/Measure.ts"
import type { Series } from "../hour/Series.ts"
import type { AllocationSet, Part } from "./AllocationSet.ts"

/**
 * Returns the allocation set reduced to the series that `isKept` accepts.
 *
 * `knownSeconds` does not change. Parts without a matching series are dropped. **Limits** copies the figures of the matching
 * series.
 */
export const to = (allocations: AllocationSet, isKept: (series: Series) => boolean): AllocationSet => {
  const parts: Array<Part> = []
  let size = 0
  for (const { cluster, columns, isOpen, series } of allocations.parts) {
    const places: Array<number> = []
    const keptSeries: Array<Series> = []
    for (let place = 0; place < series.length; place++) {
      const candidate = series[place]
      if (candidate === undefined || !isKept(candidate)) continue
      places.push(place)
      keptSeries.push(candidate)
    }
    if (places.length === 0) continue
    parts.push({
      cluster,
      from: size,
      series: keptSeries,
      isOpen,
      columns: record((measure) => Float64Array.from(places, (place) => columns[measure][place] ?? 0))
    })
    size += places.length
  }
  const partOf = new Int32Array(size)
  for (const [index, { from, series }] of parts.entries()) partOf.fill(index, from, from + series.length)
  return { ...allocations, size, parts, partOf }
}
