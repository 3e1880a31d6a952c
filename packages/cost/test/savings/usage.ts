/** Usage as a sampler reports it, and what should be recommended from all of it. */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { ContainerUsage, HourUsage } from "../../src/savings/HourUsage.ts"
import { workloadKey } from "../../src/savings/Recommendation.ts"
import { bucketOf, endOf } from "../../src/savings/Buckets.ts"
import { CPU, MEMORY } from "../../src/savings/ContainerHistory.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"

export const prod = ClusterName.make("prod")
export const stage = ClusterName.make("stage")
export const MIB = 1_024 * 1_024
export const monday = Date.parse("2026-03-02T00:00:00Z")

const workload = (name: string) => ({ namespace: "shop", kind: "Deployment", name })
export const keyOf = (name: string): string => workloadKey(workload(name))

/** A container that used half a core and half a GiB all the hour. */
export const used = (name: string, rest: Partial<ContainerUsage> = {}): ContainerUsage => ({
  workload: workload(name),
  container: "main",
  replica: `${name}-0`,
  coveredSeconds: 3_600,
  cpuMillis: [500],
  cpuRequestMillis: 1_000,
  memoryPeakBytes: 512 * MIB,
  memoryRequestBytes: 1_024 * MIB,
  isOomKilled: false,
  ...rest
})

export const hourOf = (
  hour: number,
  containers: ReadonlyArray<ContainerUsage>,
  cluster: ClusterName = prod
): HourUsage => ({ cluster, startMs: monday + hour * HOUR_MS, containers })

/** The end of the bucket that holds an amount, with the margin on it, rounded up: what one steady amount recommends. */
export const steadyCpuMillis = (millis: number): number =>
  Math.ceil(endOf(CPU.buckets, bucketOf(CPU.buckets, millis / 1_000)) * 1_000 * 1.15 - 1e-9)
export const steadyMemoryBytes = (bytes: number): number =>
  Math.ceil(endOf(MEMORY.buckets, bucketOf(MEMORY.buckets, bytes)) * 1.15 - 1e-6)

interface Weighed {
  readonly bucket: number
  readonly weight: number
}

const percentile = (samples: ReadonlyArray<Weighed>, share: number): number => {
  const sorted = samples.toSorted((a, b) => a.bucket - b.bucket)
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0)
  let partial = 0
  for (const { bucket, weight } of sorted) {
    partial += weight
    if (partial >= share * total) return bucket
  }
  return sorted.at(-1)?.bucket ?? 0
}

/**
 * The exact recommendation of one container before the margin, computed from all samples.
 *
 * **Shape** the two amounts at a share just below and just above the percentile.
 */
export const exact = (hours: ReadonlyArray<HourUsage>, container: string) => {
  const rows = hours.flatMap(({ containers, startMs }) =>
    containers.filter((one) => one.container === container).map((one) => ({ ...one, startMs }))
  )
  const newest = Math.max(...rows.map(({ startMs }) => startMs))
  const cpu = rows.flatMap(({ coveredSeconds, cpuMillis, cpuRequestMillis, startMs }) =>
    Array.from(cpuMillis, (millis): Weighed => {
      const minutes = coveredSeconds / cpuMillis.length / 60
      const weight = Math.max(cpuRequestMillis / 1_000, 0.1) * minutes * 2 ** ((startMs - newest) / DAY_MS)
      return { bucket: bucketOf(CPU.buckets, millis / 1_000), weight }
    })
  )
  const peaks = new Map<string, { readonly day: number; readonly bytes: number }>()
  for (const { memoryPeakBytes, replica, startMs } of rows) {
    const day = Math.floor(startMs / DAY_MS)
    const known = peaks.get(`${day} ${replica}`)
    peaks.set(`${day} ${replica}`, { day, bytes: Math.max(memoryPeakBytes, known?.bytes ?? 0) })
  }
  const today = Math.floor(newest / DAY_MS)
  const memory = [...peaks.values()].map(({ bytes, day }): Weighed => ({
    bucket: bucketOf(MEMORY.buckets, bytes),
    weight: 2 ** (day - today)
  }))
  const between = (samples: ReadonlyArray<Weighed>, shape: typeof CPU) =>
    [0.9 - 1e-9, 0.9 + 1e-9].map((share) => endOf(shape.buckets, percentile(samples, share)))
  return {
    cpuMillis: between(cpu, CPU).map((cores) => cores * 1_000),
    memoryBytes: between(memory, MEMORY)
  }
}
