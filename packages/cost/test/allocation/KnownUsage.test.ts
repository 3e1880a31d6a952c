import { assert, describe, it } from "@effect/vitest"
import { build } from "../../src/allocation/HourBuilder.ts"
import { amountOf, container, facts, MIB, node, pod, steady, usage } from "./facts.ts"

describe("usage that cannot be true", () => {
  const slices = (cpuMillis: number, memoryBytes: number) =>
    usage(
      { from: "10:00:00", to: "10:30:00", cpuMillis: 1_000, memoryBytes: 2_048 * MIB },
      { from: "10:30:00", to: "11:00:00", cpuMillis, memoryBytes }
    )
  const hourWith = (cpuMillis: number, memoryBytes: number, nodes = [node("node-1")]) =>
    build(
      facts({ nodes, pods: [pod("web-1", { containers: [container({ usage: slices(cpuMillis, memoryBytes) })] })] })
    )

  for (const [name, cpuMillis, memoryBytes] of [
    ["more CPU than twice the node's", 8_001, MIB],
    ["CPU that is no number", Number.NaN, MIB],
    ["CPU without end", Infinity, MIB],
    ["CPU below 0", -1, MIB],
    ["more memory than twice the node's", 100, 32 * 1_024 * MIB + 1],
    ["memory that is no number", 100, Number.NaN],
    ["memory below 0", 100, -1]
  ] as const) {
    it(`is not known: ${name}`, () => {
      const hour = hourWith(cpuMillis, memoryBytes)
      assert.strictEqual(amountOf(hour, "web", "cpuUsedMilliSeconds"), 1_000 * 1_800)
      assert.strictEqual(amountOf(hour, "web", "memoryUsedKibSeconds"), 2_048 * 1_024 * 1_800)
      assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 1_000 * 1_800 + 500 * 1_800)
      assert.strictEqual(amountOf(hour, "web", "coveredSeconds"), 1_800)
    })
  }

  it("is distinguished from high usage by twice the node's capacity", () => {
    const hour = hourWith(8_000, 32 * 1_024 * MIB)
    assert.strictEqual(amountOf(hour, "web", "coveredSeconds"), 3_600)
    assert.strictEqual(amountOf(hour, "node-1", "cpuAllocatedMilliSeconds"), (4_000 - 1_000 + 4_000 - 8_000) * 1_800)
  })

  it("is more than any machine has where the node is not known", () => {
    assert.strictEqual(amountOf(hourWith(512_000, MIB, []), "web", "coveredSeconds"), 3_600)
    assert.strictEqual(amountOf(hourWith(512_001, MIB, []), "web", "coveredSeconds"), 1_800)
  })

  it("does not replace the greater of request and usage as what the source has compared", () => {
    const used = { ...steady(700, MIB), cpuAllocatedMillis: [Number.NaN], memoryAllocatedBytes: [-1] }
    const hour = build(facts({ pods: [pod("web-1", { containers: [container({ usage: used })] })] }))
    assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 700 * 3_600)
    assert.strictEqual(amountOf(hour, "web", "memoryAllocatedKibSeconds"), 1_024 * 1_024 * 3_600)
  })

  it("is charged at the request at least, where the source knew no request to compare it with", () => {
    const used = { ...steady(100, 100 * MIB), cpuAllocatedMillis: [100], memoryAllocatedBytes: [100 * MIB] }
    const hour = build(facts({ pods: [pod("web-1", { containers: [container({ usage: used })] })] }))
    assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), 500 * 3_600)
    assert.strictEqual(amountOf(hour, "web", "memoryAllocatedKibSeconds"), 1_024 * 1_024 * 3_600)
    assert.strictEqual(amountOf(hour, "web", "cpuUsedMilliSeconds"), 100 * 3_600)
  })
})

describe("usage in slices", () => {
  it("that overlap is that of the first", () => {
    const used = usage(
      { from: "10:00:00", to: "10:40:00", cpuMillis: 800, memoryBytes: MIB },
      { from: "10:20:00", to: "11:00:00", cpuMillis: 600, memoryBytes: MIB }
    )
    const hour = build(facts({ pods: [pod("web-1", { containers: [container({ usage: used })] })] }))
    assert.strictEqual(amountOf(hour, "web", "cpuUsedMilliSeconds"), 800 * 2_400 + 600 * 1_200)
    assert.strictEqual(amountOf(hour, "web", "coveredSeconds"), 3_600)
  })
})
