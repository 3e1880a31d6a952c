import { assert, describe, it } from "@effect/vitest"
import { build } from "../../src/allocation/HourBuilder.ts"
import { unknown } from "../../src/price/RateClass.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import { reprice } from "../../src/price/HourCosts.ts"
import { IDLE, MANAGEMENT } from "../../src/hour/Series.ts"
import { HOUR_SECONDS } from "../../src/hour/Units.ts"
import { amountOf, container, facts, node, placeOf, pod, series, span, SPOT, startMs, volume } from "./facts.ts"

describe("an hour", () => {
  it("has nothing but the control plane where nothing ran", () => {
    const hour = build(facts())
    assert.deepStrictEqual(hour.series, [
      { namespace: "", kind: MANAGEMENT, name: "control-plane", uid: "", labels: {} }
    ])
    assert.strictEqual(hour.knownSeconds, HOUR_SECONDS)
    assert.strictEqual(amountOf(hour, "control-plane", "existedSeconds"), HOUR_SECONDS)
    assert.deepStrictEqual([...hour.rateOf], [-1])
  })

  it("knows of nothing while the cluster was not seen", () => {
    const hour = build(
      facts({
        seen: [],
        nodes: [node("node-1")],
        pods: [pod("web-1", { claims: ["data"], egress: { zoneKib: 5, regionKib: 6, internetKib: 7 } })],
        volumes: [volume("data")],
        loadBalancers: [{ namespace: "shop", name: "front", spans: [span()], pods: ["uid-web-1"] }]
      })
    )
    assert.strictEqual(hour.knownSeconds, 0)
    assert.deepStrictEqual(
      hour.series.map(({ kind }) => kind),
      [MANAGEMENT]
    )
    assert.strictEqual(amountOf(hour, "control-plane", "existedSeconds"), 0)
  })

  it("has no costs before it is priced, and the nodes' price after", () => {
    const hour = build(facts({ nodes: [node("node-1")], pods: [pod("web-1")] }))
    assert.isTrue(hour.columns.cpuCostNanos.every((cost) => cost === 0))
    const { columns } = reprice(hour, (subject) => PriceBook.effective(PriceBook.initial, subject, startMs))
    assert.strictEqual(columns.cpuCostNanos[placeOf(hour, "web")], 15_805_500)
    assert.strictEqual(columns.cpuCostNanos[placeOf(hour, "node-1")], 4 * 31_611_000 - 15_805_500)
    assert.strictEqual(columns.cpuCostNanos[placeOf(hour, "control-plane")], 100_000_000)
  })

  it("gives each life of a workload, and each set of labels, a series of its own", () => {
    const again = series("web", { uid: "uid-web-again" })
    const relabelled = series("web", { labels: { app: "web", tier: "front" } })
    const hour = build(
      facts({
        pods: [
          pod("web-1"),
          pod("web-2", { workload: again }),
          pod("web-3", { workload: relabelled }),
          pod("web-4", { workload: { ...relabelled, labels: { tier: "front", app: "web" } } })
        ]
      })
    )
    const webs = hour.series.flatMap(({ name }, place) => (name === "web" ? [hour.columns.replicaSeconds[place]] : []))
    assert.deepStrictEqual(
      webs.toSorted((a = 0, b = 0) => a - b),
      [3_600, 3_600, 7_200]
    )
  })

  it("leaves out what the hour has nothing of", () => {
    const before = container({ runs: [span("09:00:00", "10:00:00")] })
    const hour = build(
      facts({
        nodes: [node("node-1", { spans: [span("09:00:00", "10:00:00")] })],
        pods: [pod("web-1", { containers: [before] }), pod("api-1", { containers: [] })]
      })
    )
    assert.deepStrictEqual(
      hour.series.map(({ name }) => name),
      ["control-plane"]
    )
    assert.deepStrictEqual(hour.rates, [])
  })

  it("cuts runs and nodes that are longer to the hour", () => {
    const long = [span("08:30:00", "12:00:00")]
    const hour = build(
      facts({
        nodes: [node("node-1", { spans: long })],
        pods: [pod("web-1", { containers: [container({ runs: long })] })]
      })
    )
    assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 500 * 3_600)
    assert.strictEqual(amountOf(hour, "node-1", "existedSeconds"), 3_600)
  })

  it("counts runs that overlap once", () => {
    const runs = [span("10:10:00", "10:30:00"), span("10:00:00", "10:20:00"), span("10:20:00", "10:25:00")]
    const hour = build(facts({ pods: [pod("web-1", { containers: [container({ runs })] })] }))
    assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 500 * 1_800)
    assert.strictEqual(amountOf(hour, "web", "replicaSeconds"), 1_800)
  })

  it("does not count a pod as running while only its init containers do", () => {
    const hour = build(facts({ pods: [pod("web-1", { containers: [container({ role: "init" })] })] }))
    assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 500 * 3_600)
    assert.strictEqual(amountOf(hour, "web", "replicaSeconds"), 0)
    assert.strictEqual(amountOf(hour, "web", "existedSeconds"), 0)
  })
})

describe("price classes", () => {
  const onDemand = node("node-1")
  const spots = [node("node-2", { labels: SPOT }), node("node-3", { labels: SPOT })]

  it("stand by how many machines they have, and each series has its own", () => {
    const hour = build(facts({ nodes: [onDemand, ...spots], pods: [pod("web-1"), pod("job-1", { node: "node-3" })] }))
    assert.deepStrictEqual(
      hour.rates.map(({ capacity }) => capacity),
      ["spot", "onDemand"]
    )
    const rates = ["web", "job", "node-1", "node-2", "control-plane"].map((name) => hour.rateOf[placeOf(hour, name)])
    assert.deepStrictEqual(rates, [1, 0, 1, 0, -1])
    assert.deepStrictEqual(hour.shares, [])
  })

  it("stand by machines even where fewer were there for longer", () => {
    const short = [span("10:00:00", "10:15:00")]
    const hour = build(facts({ nodes: [onDemand, ...spots.map((one) => ({ ...one, spans: short }))] }))
    assert.strictEqual(hour.rates[0]?.capacity, "spot")
  })

  it("share a series that ran on several", () => {
    const hour = build(
      facts({
        nodes: [onDemand, ...spots],
        pods: [pod("web-1"), pod("web-2", { node: "node-2" }), pod("web-3", { node: "node-3" })]
      })
    )
    const place = placeOf(hour, "web")
    assert.strictEqual(hour.rateOf[place], -1)
    assert.deepStrictEqual(
      hour.shares.map(({ cpuAllocatedMilliSeconds, rate, series }) => [series, rate, cpuAllocatedMilliSeconds]),
      [
        [place, 0, 2 * 500 * 3_600],
        [place, 1, 500 * 3_600]
      ]
    )
    assert.strictEqual(amountOf(hour, "web", "spotSeconds"), 7_200)
  })

  it("have an empty class for pods on an unknown node, which is charged at default prices", () => {
    const hour = build(facts({ nodes: spots, pods: [pod("web-1"), pod("web-2", { node: "" })] }))
    assert.deepStrictEqual(hour.rates.at(-1), unknown)
    assert.strictEqual(hour.rateOf[placeOf(hour, "web")], 1)
    const { columns } = reprice(hour, (subject) => PriceBook.effective(PriceBook.initial, subject, startMs))
    assert.strictEqual(columns.cpuCostNanos[placeOf(hour, "web")], 31_611_000)
  })

  it("are none for what only has volumes", () => {
    const hour = build(facts({ nodes: spots, volumes: [volume("data")] }))
    assert.strictEqual(hour.rateOf[placeOf(hour, "data")], -1)
  })
})

describe("a node that comes again under its name", () => {
  const first = node("node-1", { uid: "uid-1", spans: [span("10:00:00", "10:20:00")] })
  const second = node("node-1", { uid: "uid-2", labels: SPOT, spans: [span("10:20:00", "11:00:00")] })
  const idleOf = (uid: string) => {
    const hour = build(facts({ nodes: [first, second], pods: [pod("web-1")] }))
    const place = hour.series.findIndex((one) => one.uid === uid)
    assert.strictEqual(hour.series[place]?.kind, IDLE)
    return hour.columns.cpuAllocatedMilliSeconds[place]
  }

  it("is two nodes, and its pods are on the one that was there for most of their time", () => {
    assert.strictEqual(idleOf("uid-1"), 4_000 * 1_200)
    assert.strictEqual(idleOf("uid-2"), 4_000 * 2_400 - 500 * 3_600)
  })

  it("has the pods that were as long on both on the one whose uid is first, in whatever order they come", () => {
    const nodes = [first, { ...second, spans: [span("10:20:00", "10:40:00")] }]
    const [hour, other] = [nodes, nodes.toReversed()].map((list) => build(facts({ nodes: list, pods: [pod("web-1")] })))
    assert.strictEqual(hour?.rates[hour.rateOf[placeOf(hour, "web")] ?? -1]?.capacity, "onDemand")
    assert.deepStrictEqual(other, hour)
  })
})
