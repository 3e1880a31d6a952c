/** Any facts of an hour, with ends that are no whole seconds and usage that cannot be true. */
import { Schema } from "effect"
import type { ContainerFacts, HourFacts, PodFacts, Span, UsageSlices } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS, KIB_BYTES, SECOND_MS } from "../../src/hour/Units.ts"
import { container, facts, node, pod, series, SPOT, startMs, volume } from "./facts.ts"

export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const upTo = <S extends Schema.Top>(most: number, item: S) => Schema.Array(item).check(Schema.isMaxLength(most))

/** From ten minutes before the hour to ten minutes after it. */
const Instant = between(-600 * SECOND_MS, HOUR_MS + 600 * SECOND_MS)
const Stretch = Schema.Struct({ from: Instant, length: between(0, HOUR_MS) })
/** Schemas have no literal that is no number: this stands for it. */
const NO_NUMBER = -2
const Rate = Schema.Union([between(0, 9_000), Schema.Literals([0.1, 0.34, 33.3, -1, NO_NUMBER, 1e300])])
const Slice = Schema.Struct({
  gap: between(0, 900 * SECOND_MS),
  length: between(1, 1_200 * SECOND_MS),
  cpu: Rate,
  kib: Rate,
  mean: Schema.Union([Rate, Schema.Undefined])
})
const Container = Schema.Struct({
  role: Schema.Literals(["main", "main", "sidecar", "init"]),
  runs: upTo(3, Stretch),
  cpu: between(0, 3_000),
  kib: between(0, 5_000),
  gpus: between(0, 2),
  slices: upTo(6, Slice)
})
const Pod = Schema.Struct({
  workload: between(0, 2),
  node: between(0, 3),
  containers: upTo(3, Container),
  claims: upTo(2, between(0, 2)),
  egressKib: between(0, 1_000),
  isBehind: Schema.Boolean
})

/** The parameters that random facts are built from. */
export const Drawn = Schema.Struct({
  seen: upTo(3, Stretch),
  nodes: Schema.Tuple([upTo(2, Stretch), upTo(2, Stretch), upTo(2, Stretch)]),
  pods: upTo(6, Pod),
  volumes: Schema.Tuple([upTo(2, Stretch), upTo(2, Stretch), upTo(2, Stretch)]),
  balancer: upTo(2, Stretch),
  bytes: between(0, 2 ** 40)
})

const spanOf = ({ from, length }: typeof Stretch.Type): Span => ({
  fromMs: startMs + from,
  toMs: startMs + from + length
})

const rateOf = (drawn: number): number => (drawn === NO_NUMBER ? Number.NaN : drawn)

const slicesOf = (slices: ReadonlyArray<typeof Slice.Type>): UsageSlices => {
  const fromMs: Array<number> = []
  const toMs: Array<number> = []
  let at = startMs
  for (const { gap, length } of slices) {
    fromMs.push(at + gap)
    at += gap + length
    toMs.push(at)
  }
  return {
    fromMs,
    toMs,
    cpuMillis: slices.map(({ cpu }) => rateOf(cpu)),
    memoryBytes: slices.map(({ kib }) => rateOf(kib) * KIB_BYTES),
    cpuAllocatedMillis: slices.map(({ mean = NO_NUMBER }) => rateOf(mean))
  }
}

const containerOf = ({ cpu, gpus, kib, role, runs, slices }: typeof Container.Type, place: number): ContainerFacts =>
  container({
    name: `c${place}`,
    role,
    runs: runs.map(spanOf),
    cpuRequestMillis: cpu,
    memoryRequestBytes: kib * KIB_BYTES,
    gpus,
    ...(slices.length === 0 ? {} : { usage: slicesOf(slices) })
  })

const podOf = ({ claims, containers, egressKib, node, workload }: typeof Pod.Type, place: number): PodFacts =>
  pod(`pod-${place}`, {
    node: `node-${node}`,
    workload: series(`app-${workload}`),
    containers: containers.map(containerOf),
    claims: claims.map((claim) => `claim-${claim}`),
    egress: { zoneKib: egressKib, regionKib: egressKib * 3, internetKib: 1 }
  })

/** Makes the facts; no node has the name `node-3`. */
export const factsOf = ({ balancer, bytes, nodes, pods, seen, volumes }: typeof Drawn.Type): HourFacts =>
  facts({
    seen: seen.map(spanOf),
    nodes: nodes.map((spans, place) =>
      node(`node-${place}`, { labels: place === 1 ? SPOT : {}, gpus: place, spans: spans.map(spanOf) })
    ),
    pods: pods.map(podOf),
    volumes: volumes.map((spans, place) =>
      volume(`claim-${place}`, { bytes: bytes + place, spans: spans.map(spanOf) })
    ),
    loadBalancers: [
      {
        namespace: "shop",
        name: "front",
        spans: balancer.map(spanOf),
        pods: pods.flatMap(({ isBehind }, place) => (isBehind ? [`uid-pod-${place}`] : []))
      }
    ]
  })
