/** Facts of one hour, as a sampler gathers them. */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Hour } from "../../src/hour/Hour.ts"
import type {
  ContainerFacts,
  HourFacts,
  NodeFacts,
  PodFacts,
  Span,
  UsageSlices,
  VolumeFacts
} from "../../src/allocation/HourFacts.ts"
import type { Measure } from "../../src/hour/Measure.ts"
import { keyOf, type Series } from "../../src/hour/Series.ts"
import { GIB_BYTES } from "../../src/hour/Units.ts"

export const prod = ClusterName.make("prod")
export const startMs = Date.parse("2026-03-08T10:00:00Z")
export const MIB = 1_048_576

/** An instant of the hour's day. */
export const at = (time: string): number => Date.parse(`2026-03-08T${time}Z`)

/** From one time of the day to another: the whole hour without them. */
export const span = (from = "10:00:00", to = "11:00:00"): Span => ({ fromMs: at(from), toMs: at(to) })

export const series = (name: string, rest: Partial<Series> = {}): Series => ({
  namespace: "shop",
  kind: "Deployment",
  name,
  uid: `uid-${name}`,
  labels: { app: name },
  ...rest
})

/** A node of 4 cores and 16 GiB. */
export const node = (name: string, rest: Partial<NodeFacts> = {}): NodeFacts => ({
  name,
  uid: `uid-${name}`,
  labels: { "node.kubernetes.io/instance-type": "m7i.xlarge" },
  providerId: "aws:///eu-central-1a/i-0abc",
  cpuMillis: 4_000,
  memoryBytes: 16 * GIB_BYTES,
  gpus: 0,
  spans: [span()],
  ...rest
})

export const SPOT = { "eks.amazonaws.com/capacityType": "SPOT" }

/** A container that runs all the hour and requests half a core and a GiB. */
export const container = (rest: Partial<ContainerFacts> = {}): ContainerFacts => ({
  name: "app",
  role: "main",
  runs: [span()],
  cpuRequestMillis: 500,
  memoryRequestBytes: GIB_BYTES,
  gpus: 0,
  isOomKilled: false,
  ...rest
})

/** A pod on node-1, of the workload that its name starts with. */
export const pod = (name: string, rest: Partial<PodFacts> = {}): PodFacts => ({
  uid: `uid-${name}`,
  namespace: "shop",
  name,
  node: "node-1",
  workload: series(name.split("-")[0] ?? name),
  containers: [container()],
  claims: [],
  ...rest
})

export const volume = (claim: string, rest: Partial<VolumeFacts> = {}): VolumeFacts => ({
  namespace: "shop",
  claim,
  name: `pv-${claim}`,
  storageClass: "gp3",
  bytes: GIB_BYTES,
  spans: [span()],
  ...rest
})

export interface Slice {
  readonly from: string
  readonly to: string
  readonly cpuMillis: number
  readonly memoryBytes: number
  readonly peakBytes?: number
}

/** Slices in the form of usage sources. */
export const usage = (...slices: ReadonlyArray<Slice>): UsageSlices => ({
  fromMs: Float64Array.from(slices, ({ from }) => at(from)),
  toMs: Float64Array.from(slices, ({ to }) => at(to)),
  cpuMillis: slices.map(({ cpuMillis }) => cpuMillis),
  memoryBytes: slices.map(({ memoryBytes }) => memoryBytes),
  memoryPeakBytes: slices.map(({ memoryBytes, peakBytes = memoryBytes }) => peakBytes)
})

/** The same use all the hour. */
export const steady = (cpuMillis: number, memoryBytes: number): UsageSlices =>
  usage({ from: "10:00:00", to: "11:00:00", cpuMillis, memoryBytes })

/** An hour that was seen whole. */
export const facts = (rest: Partial<HourFacts> = {}): HourFacts => ({
  cluster: prod,
  startMs,
  seen: [span()],
  nodes: [],
  pods: [],
  volumes: [],
  loadBalancers: [],
  ...rest
})

/** Where a series of a name stands in an hour. */
export const placeOf = (hour: Hour, name: string): number => hour.series.findIndex((one) => one.name === name)

/** The value of a series; 0 if the hour does not have it. */
export const amountOf = (hour: Hour, name: string, measure: Measure): number =>
  hour.columns[measure][placeOf(hour, name)] ?? 0

/** The content of an hour by series and class, independent of their order. */
export const contentOf = (hour: Hour) => {
  const classOf = (rate: number) => JSON.stringify(hour.rates[rate])
  const { storage = [] } = hour
  return hour.series
    .map((one, place) => ({
      key: keyOf(one),
      amounts: Object.fromEntries(Object.entries(hour.columns).map(([measure, values]) => [measure, values[place]])),
      rate: classOf(hour.rateOf[place] ?? -1),
      shares: hour.shares
        .filter((share) => share.series === place)
        .map(({ cpuAllocatedMilliSeconds, rate }) => ({ rate: classOf(rate), cpuAllocatedMilliSeconds })),
      storage: storage
        .filter((share) => share.series === place)
        .map(({ kibSeconds, storageClass }) => ({ kibSeconds, storageClass }))
    }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
