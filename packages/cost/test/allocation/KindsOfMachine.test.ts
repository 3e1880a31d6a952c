import { assert, describe, it } from "@effect/vitest"
import { build } from "../../src/allocation/HourBuilder.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { IDLE } from "../../src/hour/Series.ts"
import { GIB_BYTES, HOUR_SECONDS } from "../../src/hour/Units.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import type { PriceOverride } from "../../src/price/PriceOverride.ts"
import { reprice } from "../../src/price/HourCosts.ts"
import { bookOf } from "../price/samples.ts"
import { amountOf, container, facts, node, pod, startMs, steady } from "./facts.ts"

const priced = (hour: Hour, ...overrides: ReadonlyArray<PriceOverride>) =>
  reprice(hour, (subject) => PriceBook.effective(bookOf(...overrides), subject, startMs))
const idleOf = (hour: Hour) => hour.series.filter(({ kind }) => kind === IDLE).map(({ name }) => name)

const byRequest = {
  fargate: node("node-1", {
    labels: { "eks.amazonaws.com/compute-type": "fargate", "topology.kubernetes.io/region": "eu-central-1" },
    providerId: "aws:///eu-central-1a/0a1b/fargate-ip-10-0-0-1.eu-central-1.compute.internal"
  }),
  autopilot: node("node-1", {
    labels: { "node.kubernetes.io/instance-type": "e2-standard-4" },
    providerId: "gce://acme/europe-west3-a/gk3-prod-pool-1-abcd"
  })
}

describe.each(Object.entries(byRequest))("a pod on %s", (instanceType, machine) => {
  const hour = build(
    facts({
      nodes: [machine, node("node-2")],
      pods: [pod("web-1", { containers: [container({ cpuRequestMillis: 250, usage: steady(900, 3 * GIB_BYTES) })] })]
    })
  )

  it("is charged for what it requests, whatever it uses, and nothing is idle", () => {
    assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 250 * HOUR_SECONDS)
    assert.strictEqual(amountOf(hour, "web", "memoryAllocatedKibSeconds"), 1_048_576 * HOUR_SECONDS)
    assert.strictEqual(amountOf(hour, "web", "cpuUsedMilliSeconds"), 900 * HOUR_SECONDS)
    assert.deepStrictEqual(idleOf(hour), ["node-2"])
  })

  it("has a price of its own, which that of whole machines does not touch", () => {
    const { cpuCostNanos } = priced(
      hour,
      { resource: "node", match: {}, nodePerHour: 7 },
      { resource: "node", match: { instanceType }, cpuPerCoreHour: 0.04, memoryPerGiBHour: 0.005 }
    ).columns
    const place = hour.series.findIndex(({ name }) => name === "web")
    assert.strictEqual(cpuCostNanos[place], 10_000_000)
    const plain = priced(hour, { resource: "node", match: {}, nodePerHour: 7 })
    assert.strictEqual(amountOf(plain, "web", "cpuCostNanos"), Math.round(0.25 * 31_611_000))
  })
})

describe("a node that tells no capacity", () => {
  const empty = node("node-1", { cpuMillis: 0, memoryBytes: 0, providerId: "", labels: {} })
  const whole: PriceOverride = { resource: "node", match: {}, nodePerHour: 0.5 }

  it("costs its price, less its discount, for as long as it was there", () => {
    const hour = build(facts({ nodes: [{ ...empty, spans: [{ fromMs: startMs, toMs: startMs + 1_800_000 }] }] }))
    assert.strictEqual(amountOf(priced(hour, whole), "node-1", "cpuCostNanos"), 250_000_000)
    const lowered = priced(hour, { ...whole, discountPercent: 10 })
    assert.strictEqual(amountOf(lowered, "node-1", "cpuCostNanos"), 225_000_000)
    assert.strictEqual(amountOf(priced(hour), "node-1", "cpuCostNanos"), 0)
  })

  it("comes with its pods to that price", () => {
    const hour = priced(build(facts({ nodes: [empty], pods: [pod("web-1")] })), whole)
    const sum = (name: string) => amountOf(hour, name, "cpuCostNanos") + amountOf(hour, name, "memoryCostNanos")
    assert.isAbove(sum("web"), 0)
    assert.strictEqual(sum("web") + sum("node-1"), 500_000_000)
  })

  it("beside others of its class comes with them to the price of as many machines", () => {
    const hour = priced(build(facts({ nodes: [empty, node("node-2", { providerId: "", labels: {} })] })), whole)
    const { cpuCostNanos, memoryCostNanos } = hour.columns
    const total = [...cpuCostNanos, ...memoryCostNanos].reduce((sum, one) => sum + one, 0)
    assert.closeTo(total, 1_000_000_000, 4)
  })
})
