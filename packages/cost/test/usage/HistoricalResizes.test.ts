import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as HourBuilder from "../../src/allocation/HourBuilder.ts"
import type { HourFacts, PodFacts } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as NodeRoom from "../../src/usage/prometheus/NodeRoom.ts"
import * as Exposition from "./Exposition.ts"
import { at, EU, HOUR, MIB, near, node, pastOf, source, told } from "./HandWrittenSeries.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

const [fromMs, toMs] = [at(-20), at(80)]
const WEB = { namespace: "shop", pod: "web-1", uid: "1", container: "main", node: "n1", resource: "cpu" }

const cores = (name: string, labels: Exposition.Labels, at: Exposition.Values): Exposition.Told => ({
  name,
  labels,
  at
})

/** A node of four cores, and a pod that used a tenth of one. */
const steady = [
  node,
  cores("kube_node_status_capacity", { node: "n1", resource: "cpu" }, () => 4),
  ...Exposition.pod({ pod: "web-1", uid: "1", owner: ["StatefulSet", "web"], fromMs, toMs }),
  ...Exposition.container({ pod: "web-1", uid: "1", fromMs, toMs, cores: 0.1, memoryBytes: MIB })
]

const asks = (value: Exposition.Values) => cores("kube_pod_container_resource_requests", WEB, value)

/** Core-hours that are charged, of workloads and what is left of the node. */
const chargedOf = (facts: HourFacts | undefined): readonly [charged: number, idle: number] => {
  assert.isDefined(facts)
  const { columns, series } = HourBuilder.build(facts)
  let [charged, idle] = [0, 0]
  for (const [place, { kind }] of series.entries()) {
    const hours = (columns.cpuAllocatedMilliSeconds[place] ?? 0) / 3_600_000
    if (kind === "__idle__") idle += hours
    else charged += hours
  }
  return [charged, idle]
}

layer(NodeHttpClient.layerUndici, { timeout: "2 minutes", excludeTestServices: true })(
  "a resize that the kubelet refused, in the past of Prometheus",
  (it) => {
    RealPrometheus.sayIfLeftOut(it)
    if (RealPrometheus.runs) {
      it.effect("is not charged: what was asked for before counts on", () =>
        Effect.gen(function* () {
          const url = yield* told([...steady, asks((now) => (now < at(30) ? 1 : 64))])
          const [hour] = yield* pastOf(url)
          const [charged, idle] = chargedOf(hour)
          near(charged, 1)
          near(idle, 3)
          // The hour that has just ended is asked for alone, and has the request of the cluster's own API beside it.
          const usage = yield* (yield* source(url)).hour(EU, HOUR)
          const allocated = Array.from(usage.containers[0]?.slices.cpuAllocatedMillis ?? [])
          assert.isAtMost(Math.max(...allocated), 1_001)
        })
      )

      it.effect("is charged as far as the node has room where nothing was known of before", () =>
        Effect.gen(function* () {
          const other = { ...WEB, pod: "api-1", uid: "2" }
          const url = yield* told([
            ...steady,
            asks(() => 64),
            ...Exposition.pod({ pod: "api-1", uid: "2", owner: ["StatefulSet", "api"], fromMs, toMs }),
            ...Exposition.container({ pod: "api-1", uid: "2", fromMs, toMs, cores: 0.1, memoryBytes: MIB }),
            cores("kube_pod_container_resource_requests", other, () => 1)
          ])
          const [hour] = yield* pastOf(url)
          const requests = hour?.pods.map(({ containers, name }) => [name, containers[0]?.cpuRequestMillis])
          assert.deepStrictEqual(requests?.toSorted(), [
            ["api-1", 1_000],
            ["web-1", 3_000]
          ])
          const [charged, idle] = chargedOf(hour)
          near(charged, 4)
          assert.approximately(idle, 0, 0.01)
        })
      )

      it.effect("is not charged where kube-state-metrics tells what the kubelet gave, however much fits", () =>
        Effect.gen(function* () {
          const given = cores("kube_pod_container_status_resource_requests", WEB, () => 0.5)
          const [hour] = yield* pastOf(yield* told([...steady, asks((now) => (now < at(30) ? 1 : 3)), given]))
          near(chargedOf(hour)[0], 0.5)
        })
      )
    }
  }
)

const Containers = Schema.Array(
  Schema.Struct({
    cpu: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70_000 })),
    minutes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
  })
).check(Schema.isMaxLength(12))

const podOf = ({ cpu, minutes }: (typeof Containers.Type)[number], index: number): PodFacts => ({
  uid: `u${index}`,
  namespace: "shop",
  name: `p${index}`,
  node: "n1",
  workload: { namespace: "shop", kind: "Pod", name: `p${index}`, uid: "", labels: {} },
  containers: [
    {
      name: "main",
      role: "main",
      runs: [{ fromMs: HOUR, toMs: at(minutes) }],
      cpuRequestMillis: cpu,
      memoryRequestBytes: 0,
      gpus: 0,
      isOomKilled: false
    }
  ],
  claims: []
})

const machine = {
  name: "n1",
  uid: "m1",
  labels: {},
  providerId: "",
  cpuMillis: 4_000,
  memoryBytes: 0,
  gpus: 0,
  spans: [{ fromMs: HOUR, toMs: HOUR + HOUR_MS }]
}

describe("the room of a node", () => {
  it.prop(
    "bounds what pods ask for, cuts only the largest, and changes nothing where all fit",
    [Containers],
    ([drawn]) => {
      const pods = drawn.map(podOf)
      const amountOf = (all: ReadonlyArray<PodFacts>): number =>
        all.reduce((sum, { containers: [one] }) => {
          const [run] = one?.runs ?? []
          return run === undefined ? sum : sum + (one?.cpuRequestMillis ?? 0) * (run.toMs - run.fromMs)
        }, 0)
      const room = 4_000 * 60_000 * Math.max(0, ...drawn.map(({ minutes }) => minutes))
      const bounded = NodeRoom.bounded(pods, [machine])
      assert.isAtMost(amountOf(bounded), room)
      if (amountOf(pods) <= room) assert.strictEqual(bounded, pods)
      const level = Math.max(0, ...bounded.map(({ containers }) => containers[0]?.cpuRequestMillis ?? 0))
      for (const [place, { cpu }] of drawn.entries()) {
        assert.strictEqual(bounded[place]?.containers[0]?.cpuRequestMillis, Math.min(cpu, level))
      }
      assert.strictEqual(NodeRoom.bounded(pods, [{ ...machine, cpuMillis: 0 }]), pods)
      assert.strictEqual(NodeRoom.bounded(pods, []), pods)
    }
  )
})
