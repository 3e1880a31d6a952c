/**
 * The hours that a cluster of the demo has behind it, as a sampler would have seen them.
 */
import { HourFacts } from "@quarterdeck/cost"
import { HOUR_MS, SECOND_MS } from "@quarterdeck/cost/Units"
import { Usage } from "@quarterdeck/harness"
import type { Past, PastWorkload } from "./Pasts.ts"

/** How finely usage is told. */
const SLICE_MS = 300_000
const SLICES = HOUR_MS / SLICE_MS

/**
 * Tells hours of a cluster apart by all that is not the same in each of them: what ran when in the hour, and where in
 * their periods its curves were.
 */
export const shapeOf = ({ workloads }: Past, startMs: number): string =>
  workloads
    .map(({ lived, usage: { cpuCores, memoryBytes } }) => {
      const span = lived(hourAt(startMs))
      if (span === undefined) return ""
      return [span.fromMs - startMs, span.toMs - startMs, phaseOf(cpuCores, startMs), phaseOf(memoryBytes, startMs)]
    })
    .join(" ")

/** Where in its period a curve is at an instant. */
const phaseOf = (curve: Usage.Curve, instantMs: number): number =>
  curve._tag === "Flat" ? 0 : instantMs % curve.periodMs

const hourAt = (startMs: number): HourFacts.Span => ({ fromMs: startMs, toMs: startMs + HOUR_MS })

/**
 * Gives the facts of an hour.
 *
 * **Limits** levels of curves are reckoned once for each place in their period.
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

/** Means of the slices of an hour, which return with the curve's period. */
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
