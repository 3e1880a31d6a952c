/** The past hours of a demo cluster, as a sampler would record them. */
import { HourFacts } from "@quarterdeck/cost"
import { HOUR_MS, SECOND_MS } from "@quarterdeck/cost/Units"
import { Usage } from "@quarterdeck/harness"
import type { Past, PastWorkload } from "./Pasts.ts"

/** Length of a usage sample. */
const SLICE_MS = 300_000
const SLICES = HOUR_MS / SLICE_MS

/** Returns a text that is equal for hours with equal facts: run times within the hour, and phases of the curves. */
export const shapeOf = ({ workloads }: Past, startMs: number): string =>
  workloads
    .map(({ lived, usage: { cpuCores, memoryBytes } }) => {
      const span = lived(hourAt(startMs))
      if (span === undefined) return ""
      return [span.fromMs - startMs, span.toMs - startMs, phaseOf(cpuCores, startMs), phaseOf(memoryBytes, startMs)]
    })
    .join(" ")

/** Returns the position of an instant within the curve's period. */
const phaseOf = (curve: Usage.Curve, instantMs: number): number =>
  curve._tag === "Flat" ? 0 : instantMs % curve.periodMs

const hourAt = (startMs: number): HourFacts.Span => ({ fromMs: startMs, toMs: startMs + HOUR_MS })

/**
 * Returns a function that computes the facts of an hour.
 *
 * **Limits** each curve is integrated once per phase.
 */
export const make = (past: Past): ((startMs: number) => HourFacts.HourFacts) => {
  const levelsOf = makeLevels()
  return (startMs) => {
    const hour = hourAt(startMs)
    const edges = edgesOf(startMs)
    const pods = past.workloads.flatMap((workload) => {
      const span = workload.lived(hour)
      if (span === undefined) return []
      const { cpuCores, memoryBytes } = workload.usage
      const usage: HourFacts.UsageSlices = {
        ...edges,
        cpuMillis: levelsOf(cpuCores, startMs).map((cores) => cores * 1_000),
        memoryBytes: levelsOf(memoryBytes, startMs)
      }
      return podsOf(workload, span, usage)
    })
    return {
      cluster: past.cluster,
      startMs,
      seen: past.wasSeen(startMs) ? [hour] : [],
      nodes: past.nodes.map((node) => ({ ...node, spans: [hour] })),
      pods,
      volumes: past.volumes.map((volume) => ({ ...volume, spans: [hour] })),
      loadBalancers: past.workloads.filter(({ isPublic }) => isPublic).map((workload) => balancerOf(workload, hour))
    }
  }
}

const uidOf = ({ series }: PastWorkload, pod: string): string => `${series.uid}/${pod}`

const podsOf = (
  workload: PastWorkload,
  span: HourFacts.Span,
  usage: HourFacts.UsageSlices
): ReadonlyArray<HourFacts.PodFacts> => {
  const { cpuRequestMillis, memoryRequestBytes, pods, series } = workload
  const containers = [
    {
      ...({ name: series.name, role: "main", runs: [span], usage } as const),
      cpuRequestMillis,
      memoryRequestBytes,
      gpus: 0,
      isOomKilled: false
    }
  ]
  return pods.map(({ claims, name, node }) => ({
    uid: uidOf(workload, name),
    namespace: series.namespace,
    name,
    node,
    workload: series,
    containers,
    claims
  }))
}

const balancerOf = (workload: PastWorkload, hour: HourFacts.Span): HourFacts.LoadBalancerFacts => ({
  namespace: workload.series.namespace,
  name: workload.series.name,
  spans: [hour],
  pods: workload.pods.map(({ name }) => uidOf(workload, name))
})

const edgesOf = (startMs: number): Pick<HourFacts.UsageSlices, "fromMs" | "toMs"> => ({
  fromMs: Float64Array.from({ length: SLICES }, (_, at) => startMs + at * SLICE_MS),
  toMs: Float64Array.from({ length: SLICES }, (_, at) => startMs + (at + 1) * SLICE_MS)
})

/** Returns a function that computes the mean level of each slice of an hour, cached by the curve's phase. */
const makeLevels = () => {
  const known = new Map<Usage.Curve, Map<number, Float64Array>>()
  return (curve: Usage.Curve, startMs: number): Float64Array => {
    const phase = phaseOf(curve, startMs)
    const phases = known.get(curve) ?? new Map<number, Float64Array>()
    known.set(curve, phases)
    const levels =
      phases.get(phase)
      ?? Float64Array.from({ length: SLICES }, (_, at) => {
        const fromMs = startMs + at * SLICE_MS
        return (Usage.integral(curve, fromMs, fromMs + SLICE_MS) * SECOND_MS) / SLICE_MS
      })
    phases.set(phase, levels)
    return levels
  }
}
