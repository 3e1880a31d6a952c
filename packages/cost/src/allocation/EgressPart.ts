/**
 * The part of a pod's egress that falls into the observed time.
 */
import type { Egress, PodFacts } from "./HourFacts.ts"
import { HOUR_SECONDS } from "../hour/Units.ts"
import { between } from "./Accrual.ts"
import { fromSpans, overlap, type Intervals } from "./Intervals.ts"

/**
 * Returns the charged part of a pod's egress.
 *
 * Only the hour's sum is known, so the sum is spread evenly over the pod's run time, or over the whole hour if no run is
 * known. If several pods had the same name, `EgressByName` has already divided the sum between them.
 */
export const egressOf = (pod: PodFacts, egress: Egress, seen: Intervals, startMs: number): Egress => {
  const known = fromSpans(
    pod.containers.flatMap(({ runs }) => runs),
    startMs
  )
  const runs = known.length === 0 ? [0, HOUR_SECONDS] : known
  const seenRuns: Array<number> = []
  let before = 0
  for (let at = 0; at < runs.length; at += 2) {
    const from = runs[at] ?? 0
    const to = runs[at + 1] ?? 0
    for (const second of overlap([from, to], seen)) seenRuns.push(before + second - from)
    before += to - from
  }
  const charged = (kib: number): number => {
    let sum = 0
    for (let at = 0; at < seenRuns.length; at += 2) {
      sum += between(kib / before, seenRuns[at] ?? 0, seenRuns[at + 1] ?? 0)
    }
    return sum
  }
  return {
    zoneKib: charged(egress.zoneKib),
    regionKib: charged(egress.regionKib),
    internetKib: charged(egress.internetKib)
  }
}
