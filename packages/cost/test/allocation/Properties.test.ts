import { assert, describe, it } from "@effect/vitest"
import type { Hour } from "../../src/hour/Hour.ts"
import type { HourFacts, Span } from "../../src/allocation/HourFacts.ts"
import { build, usageOf } from "../../src/allocation/HourBuilder.ts"
import { type Measure, measures } from "../../src/hour/Measure.ts"
import { IDLE, isWorkload, keyOf, UNMOUNTED } from "../../src/hour/Series.ts"
import { HOUR_MS, HOUR_SECONDS, KIB_BYTES } from "../../src/hour/Units.ts"
import { between, Drawn, factsOf } from "./drawn.ts"
import { contentOf, startMs } from "./facts.ts"

const sumOf = ({ columns, series }: Hour, measure: Measure, isOf: (one: Hour["series"][number]) => boolean): number =>
  series.reduce((sum, one, place) => (isOf(one) ? sum + (columns[measure][place] ?? 0) : sum), 0)

/** True if spans contain a second, given by its end. Instants are truncated to the second. */
const hasSecond = (spans: ReadonlyArray<Span>, second: number): boolean =>
  spans.some(({ fromMs, toMs }) => {
    const [from, to] = [fromMs, toMs].map((ms) => Math.floor((ms - startMs) / 1_000))
    return from !== undefined && to !== undefined && from <= second && second < to
  })

const seconds = Array.from({ length: HOUR_SECONDS }, (_, second) => second)

const reversed = (facts: HourFacts): HourFacts => ({
  ...facts,
  seen: facts.seen.toReversed(),
  nodes: facts.nodes.toReversed().map((node) => ({ ...node, spans: node.spans.toReversed() })),
  pods: facts.pods.toReversed().map((pod) => ({
    ...pod,
    workload: { ...pod.workload },
    claims: pod.claims.toReversed(),
    containers: pod.containers.toReversed().map((one) => ({ ...one, runs: one.runs.toReversed() }))
  })),
  volumes: facts.volumes.toReversed(),
  loadBalancers: facts.loadBalancers.map((one) => ({ ...one, pods: one.pods.toReversed() }))
})

/** The observed spans before an instant, and from it on. */
const cutAt = (facts: HourFacts, ms: number): ReadonlyArray<HourFacts> => [
  { ...facts, seen: facts.seen.map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs, ms) })) },
  { ...facts, seen: facts.seen.map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, ms), toMs })) }
]

const ADDING = measures.filter((measure) => measure !== "coveredSeconds")

const totalsOf = (hours: ReadonlyArray<Hour>) => {
  const sums = new Map<string, number>()
  for (const { columns, series } of hours) {
    for (const measure of ADDING) {
      for (const [place, one] of series.entries()) {
        const key = `${keyOf(one)} ${measure}`
        sums.set(key, (sums.get(key) ?? 0) + (columns[measure][place] ?? 0))
      }
    }
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

describe("any hour", () => {
  it.prop("of workloads and idle comes to what the nodes have", [Drawn], ([drawn]) => {
    const facts = factsOf(drawn)
    const hour = build({ ...facts, pods: facts.pods.filter(({ node }) => node !== "node-3") })
    for (const { gpus, cpuMillis, memoryBytes, measure } of [
      { gpus: 0, cpuMillis: 1, memoryBytes: 0, measure: "cpuAllocatedMilliSeconds" },
      { gpus: 0, cpuMillis: 0, memoryBytes: 1 / KIB_BYTES, measure: "memoryAllocatedKibSeconds" },
      { gpus: 1_000, cpuMillis: 0, memoryBytes: 0, measure: "gpuMilliSeconds" }
    ] as const) {
      const capacity = facts.nodes.reduce((sum, node) => {
        const there = seconds.filter((second) => hasSecond(node.spans, second) && hasSecond(facts.seen, second)).length
        return sum + there * (node.cpuMillis * cpuMillis + node.memoryBytes * memoryBytes + node.gpus * gpus)
      }, 0)
      const whole = sumOf(hour, measure, (one) => isWorkload(one) || one.kind === IDLE)
      assert.strictEqual(whole, capacity)
    }
  })

  it.prop("is the same whatever the order of its facts", [Drawn], ([drawn]) => {
    const facts = factsOf(drawn)
    const hour = build(facts)
    assert.deepStrictEqual(build(reversed(facts)), hour)
    const usage = usageOf(facts).containers
    const again = usageOf(reversed(facts)).containers
    const keyed = (rows: typeof usage) =>
      rows.toSorted((a, b) => (`${a.replica} ${a.container}` < `${b.replica} ${b.container}` ? -1 : 1))
    assert.deepStrictEqual(keyed(again), keyed(usage))
  })

  it.prop("is the sum of two that have seen one part of it each", [Drawn, between(0, HOUR_MS)], ([drawn, ms]) => {
    const facts = factsOf(drawn)
    const hour = build(facts)
    const halves = cutAt(facts, startMs + ms).map(build)
    assert.deepStrictEqual(totalsOf(halves), totalsOf([hour]))
    assert.strictEqual(
      halves.reduce((sum, half) => sum + half.knownSeconds, 0),
      hour.knownSeconds
    )
  })

  it.prop("has requests and replicas second by second as they ran", [Drawn], ([drawn]) => {
    const facts = factsOf(drawn)
    const hour = build(facts)
    let cpu = 0
    let gpus = 0
    let running = 0
    for (const second of seconds) {
      if (!hasSecond(facts.seen, second)) continue
      for (const { containers } of facts.pods) {
        const ran = containers.filter(({ runs }) => hasSecond(runs, second))
        cpu += ran.reduce((sum, one) => sum + one.cpuRequestMillis, 0)
        gpus += ran.reduce((sum, one) => sum + 1_000 * one.gpus, 0)
        if (ran.some(({ role }) => role === "main")) running += 1
      }
    }
    assert.strictEqual(sumOf(hour, "cpuRequestedMilliSeconds", isWorkload), cpu)
    assert.strictEqual(sumOf(hour, "gpuMilliSeconds", isWorkload), gpus)
    assert.strictEqual(sumOf(hour, "replicaSeconds", isWorkload), running)
  })

  it.prop("is allocated second by second the greater of request and known usage", [Drawn], ([drawn]) => {
    const facts = factsOf(drawn)
    let expected = 0
    let slices = 0
    for (const { containers, node } of facts.pods) {
      const limit = node === "node-3" ? 512_000 : 8_000
      for (const { cpuRequestMillis, runs, usage } of containers) {
        slices += usage?.fromMs.length ?? 0
        for (const second of seconds) {
          if (!hasSecond(runs, second) || !hasSecond(facts.seen, second)) continue
          const at = Array.from(usage?.fromMs ?? []).findIndex((fromMs, place) =>
            hasSecond([{ fromMs, toMs: usage?.toMs[place] ?? 0 }], second)
          )
          const cpu = usage?.cpuMillis[at] ?? -1
          const bytes = usage?.memoryBytes[at] ?? -1
          const mean = usage?.cpuAllocatedMillis?.[at] ?? -1
          const isKnown = cpu >= 0 && cpu <= limit && bytes >= 0 && bytes < 1e200
          const greater = isKnown ? Math.max(cpu, cpuRequestMillis) : cpuRequestMillis
          expected += isKnown && mean <= limit ? Math.max(greater, mean) : greater
        }
      }
    }
    // Each slice may be rounded once for each part of the time that was seen and that it ran: far less than a second of it.
    assert.approximately(sumOf(build(facts), "cpuAllocatedMilliSeconds", isWorkload), expected, 1e-6 + slices * 9)
  })

  it.prop("charges volumes, load balancers and traffic whole, and no more", [Drawn], ([drawn]) => {
    const facts = factsOf(drawn)
    const hour = build(facts)
    const isCharged = (one: Hour["series"][number]) => isWorkload(one) || one.kind === UNMOUNTED
    const secondsOf = (spans: ReadonlyArray<Span>) =>
      seconds.filter((second) => hasSecond(spans, second) && hasSecond(facts.seen, second)).length
    assert.strictEqual(
      sumOf(hour, "storageKibSeconds", isCharged),
      facts.volumes.reduce((sum, { bytes, spans }) => sum + Math.round(bytes / KIB_BYTES) * secondsOf(spans), 0)
    )
    assert.strictEqual(
      sumOf(hour, "loadBalancerSeconds", isCharged),
      facts.loadBalancers.reduce((sum, { spans }) => sum + secondsOf(spans), 0)
    )
    const sent = facts.pods.reduce((sum, { egress }) => sum + (egress?.zoneKib ?? 0), 0)
    assert.isAtMost(sumOf(hour, "zoneEgressKib", isWorkload), sent)
    const whole = build({ ...facts, seen: [{ fromMs: startMs, toMs: startMs + HOUR_MS }] })
    assert.strictEqual(sumOf(whole, "zoneEgressKib", isWorkload), sent)
  })

  it.prop("has whole numbers, distinct series, and shares that add up to them", [Drawn], ([drawn]) => {
    const hour = build(factsOf(drawn))
    for (const measure of measures) assert.isTrue(hour.columns[measure].every(Number.isSafeInteger))
    assert.strictEqual(new Set(hour.series.map(keyOf)).size, hour.series.length)
    for (const { amounts, rate, shares, storage } of contentOf(hour)) {
      assert.isTrue((amounts["coveredSeconds"] ?? 0) <= (amounts["existedSeconds"] ?? 0))
      assert.isTrue((amounts["existedSeconds"] ?? 0) <= hour.knownSeconds)
      assert.strictEqual(
        storage.reduce((sum, { kibSeconds }) => sum + kibSeconds, 0),
        amounts["storageKibSeconds"]
      )
      if (shares.length === 0) continue
      assert.isUndefined(rate)
      const cpu = shares.reduce((sum, share) => sum + share.cpuAllocatedMilliSeconds, 0)
      assert.strictEqual(cpu, amounts["cpuAllocatedMilliSeconds"])
    }
  })
})
