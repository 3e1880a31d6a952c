/**
 * Converts a pod's container usage to the rows that the recommender reads.
 */
import type { ContainerFacts, PodFacts } from "./HourFacts.ts"
import type { ContainerUsage } from "../savings/HourUsage.ts"
import { isPossible, type Limits, visitKnown } from "./KnownUsage.ts"
import { fromSpans, overlap, type Intervals } from "./Intervals.ts"

/** Approximate length of the time spans over which CPU usage is averaged. */
const PART_SECONDS = 60

/**
 * Returns the rows of a pod's containers.
 *
 * A container without known usage has no row, unless it was OOM-killed, which shows that its memory did not suffice. Init
 * containers have no row; sidecars do.
 */
export const fromPod = (
  { containers, uid, workload }: PodFacts,
  limits: Limits,
  seen: Intervals,
  startMs: number
): ReadonlyArray<ContainerUsage> =>
  containers.flatMap((container): ReadonlyArray<ContainerUsage> => {
    if (container.role === "init") return []
    const runs = overlap(fromSpans(container.runs, startMs), seen)
    const { coveredSeconds, cpuMillis, memoryPeakBytes } = knownOf(container, runs, startMs, limits)
    if (coveredSeconds === 0 && !container.isOomKilled) return []
    return [
      {
        workload,
        container: container.name,
        replica: uid,
        coveredSeconds,
        cpuMillis,
        cpuRequestMillis: container.cpuRequestMillis,
        memoryPeakBytes,
        memoryRequestBytes: container.memoryRequestBytes,
        isOomKilled: container.isOomKilled
      }
    ]
  })

const knownOf = (
  { usage }: ContainerFacts,
  runs: Intervals,
  startMs: number,
  limits: Limits
): Pick<ContainerUsage, "coveredSeconds" | "cpuMillis" | "memoryPeakBytes"> => {
  if (usage === undefined) return { coveredSeconds: 0, cpuMillis: [], memoryPeakBytes: 0 }
  const seconds: Array<number> = []
  const millis: Array<number> = []
  let coveredSeconds = 0
  let memoryPeakBytes = 0
  visitKnown(usage, runs, startMs, limits, (from, to, slice) => {
    const peak = usage.memoryPeakBytes?.[slice]
    coveredSeconds += to - from
    seconds.push(to - from)
    millis.push(usage.cpuMillis[slice] ?? 0)
    memoryPeakBytes = Math.max(
      memoryPeakBytes,
      usage.memoryBytes[slice] ?? 0,
      isPossible(peak, limits.memoryBytes) ? peak : 0
    )
  })
  return { coveredSeconds, cpuMillis: inEqualParts(seconds, millis, coveredSeconds), memoryPeakBytes }
}

/**
 * Averages CPU usage over spans of equal length. **Shape** interval `i` lasts `seconds[i]` and has the mean usage
 * `millis[i]`; `total` is the sum of `seconds`. Gaps between the intervals are ignored.
 */
const inEqualParts = (
  seconds: ReadonlyArray<number>,
  millis: ReadonlyArray<number>,
  total: number
): ReadonlyArray<number> => {
  const count = Math.max(1, Math.round(total / PART_SECONDS))
  const means = Array.from({ length: count }, () => 0)
  const length = total / count
  let part = 0
  let room = length
  for (const [place, whole] of seconds.entries()) {
    let left = whole
    while (left > 0 && part < count) {
      const taken = Math.min(left, room)
      means[part] = (means[part] ?? 0) + (millis[place] ?? 0) * (taken / length)
      left -= taken
      room -= taken
      if (room > 0) continue
      part += 1
      room = length
    }
  }
  return means
}
