/**
 * The usage history of one container over all its replicas, in the form that recommendations need.
 */
import * as DecayingHistogram from "./DecayingHistogram.ts"
import type { ContainerUsage } from "./HourUsage.ts"
import { DAY_MS, HOUR_MS } from "../hour/Units.ts"
import { bucketOf, exponential } from "./Buckets.ts"
import * as DailyPeaks from "./DailyPeaks.ts"

/**
 * Histogram for CPU. **Units** cores.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/model/aggregations_config.go` as of checkpoint version
 * v3: first bucket 0.01 core, each 5 % wider, up to 1000; half-life 24 h.
 */
export const CPU: DecayingHistogram.Shape = {
  buckets: exponential({ firstSize: 0.01, ratio: 1.05, largest: 1_000 }),
  halfLifeMs: DAY_MS
}

/**
 * Histogram for memory.
 *
 * **Units** bytes.
 *
 * **Source** as for {@link CPU}: first bucket 10^7 bytes, each 5 % wider, up to 10^12; half-life 24 h.
 */
export const MEMORY: DecayingHistogram.Shape = {
  buckets: exponential({ firstSize: 1e7, ratio: 1.05, largest: 1e12 }),
  halfLifeMs: DAY_MS
}

/**
 * Minimum weight of a CPU sample. A sample normally weighs the container's CPU request in cores.
 *
 * **Source** as for {@link CPU}: `minSampleWeight`.
 */
const MIN_WEIGHT = 0.1

/** Length of a CPU sample that weighs 1 per requested core. Longer samples weigh proportionally more. */
const SAMPLE_SECONDS = 60

/**
 * Additional memory that an OOM-killed container is assumed to need, as a ratio and in bytes. The greater applies.
 *
 * **Source** as for {@link CPU}: `DefaultOOMBumpUpRatio` and `DefaultOOMMinBumpUp`.
 */
const OOM_RATIO = 1.2
const OOM_LEAST_BYTES = 100 * 1_024 * 1_024

/**
 * The CPU and memory usage of one container over all its replicas, as distributions.
 *
 * **Shape** `lastHour` is the newest hour with usage or an OOM kill, in hours since the epoch. `memory` holds one peak per
 * replica and UTC day, dated to the end of the day.
 */
export interface ContainerHistory {
  readonly name: string
  lastHour: number
  readonly cpu: DecayingHistogram.DecayingHistogram
  readonly memory: DecayingHistogram.DecayingHistogram
  readonly peaks: DailyPeaks.DailyPeaks
}

/** Creates an empty history. */
export const make = (name: string): ContainerHistory => ({
  name,
  lastHour: -1,
  cpu: DecayingHistogram.make(CPU),
  memory: DecayingHistogram.make(MEMORY),
  peaks: DailyPeaks.make()
})

/**
 * Adds the usage of one replica in one hour.
 *
 * Hours must ascend; replicas may come in any order. Values that are negative or NaN are ignored.
 */
export const fold = (history: ContainerHistory, hour: number, usage: ContainerUsage): void => {
  const day = Math.floor((hour * HOUR_MS) / DAY_MS)
  if (day > history.peaks.day) {
    // Daily, move the reference to the start of the day. This drops buckets whose weight has decayed.
    DecayingHistogram.moveReference(history.cpu, day * DAY_MS)
    DecayingHistogram.moveReference(history.memory, day * DAY_MS)
    DailyPeaks.begin(history.peaks, day)
  }
  history.lastHour = hour
  addCpu(history.cpu, hour, usage)
  addPeak(history, usage)
}

const addCpu = (
  cpu: ContainerHistory["cpu"],
  hour: number,
  { coveredSeconds, cpuMillis, cpuRequestMillis }: ContainerUsage
): void => {
  if (cpuMillis.length === 0 || !(coveredSeconds > 0)) return
  const seconds = coveredSeconds / cpuMillis.length
  const cores = Math.max(cpuRequestMillis / 1_000, MIN_WEIGHT)
  const weight = cores * (seconds / SAMPLE_SECONDS) * DecayingHistogram.factorAt(cpu, hour * HOUR_MS)
  let least = counts.length
  let greatest = -1
  for (let at = 0; at < cpuMillis.length; at++) {
    const millis = cpuMillis[at] ?? -1
    if (!(millis >= 0)) continue
    const bucket = bucketOf(CPU.buckets, millis / 1_000)
    counts[bucket] = (counts[bucket] ?? 0) + 1
    if (bucket < least) least = bucket
    if (bucket > greatest) greatest = bucket
  }
  for (let bucket = least; bucket <= greatest; bucket++) {
    DecayingHistogram.addWeight(cpu, bucket, weight * (counts[bucket] ?? 0))
    counts[bucket] = 0
  }
}

/** Scratch array: samples of one row per bucket. All zero between calls. */
const counts = new Float64Array(CPU.buckets.starts.length)

const addPeak = ({ memory, peaks }: ContainerHistory, usage: ContainerUsage): void => {
  const needed = memoryNeeded(usage)
  if (!(needed >= 0)) return
  const atMs = (peaks.day + 1) * DAY_MS
  const bucket = bucketOf(MEMORY.buckets, needed)
  const { added, removed } = DailyPeaks.note(peaks, DailyPeaks.numberOf(usage.replica), bucket)
  if (added >= 0) DecayingHistogram.addToBucket(memory, added, 1, atMs)
  if (removed >= 0) DecayingHistogram.subtractFromBucket(memory, removed, 1, atMs)
}

/**
 * Returns the memory that a replica needed. If the replica was OOM-killed, it needed more than it had.
 *
 * **Source** `pkg/recommender/model/container.go`: `RecordOOM`.
 */
const memoryNeeded = ({ isOomKilled, memoryPeakBytes, memoryRequestBytes }: ContainerUsage): number => {
  if (!isOomKilled) return memoryPeakBytes
  const used = Math.max(memoryRequestBytes, memoryPeakBytes)
  return Math.max(used + OOM_LEAST_BYTES, used * OOM_RATIO)
}

/** Adds another history of the same container. A replica that is in both still counts once a day. */
export const merge = (into: ContainerHistory, other: ContainerHistory): void => {
  into.lastHour = Math.max(into.lastHour, other.lastHour)
  DecayingHistogram.merge(into.cpu, other.cpu)
  DecayingHistogram.merge(into.memory, other.memory)
  if (other.peaks.day < into.peaks.day) return
  if (other.peaks.day > into.peaks.day) {
    into.peaks.day = other.peaks.day
    into.peaks.replicas = [...other.peaks.replicas]
    into.peaks.buckets = [...other.peaks.buckets]
    return
  }
  const atMs = (into.peaks.day + 1) * DAY_MS
  for (const [place, replica] of other.peaks.replicas.entries()) {
    const bucket = other.peaks.buckets[place] ?? 0
    const { added, removed } = DailyPeaks.note(into.peaks, replica, bucket)
    if (added < 0) DecayingHistogram.subtractFromBucket(into.memory, bucket, 1, atMs)
    if (removed >= 0) DecayingHistogram.subtractFromBucket(into.memory, removed, 1, atMs)
  }
}
