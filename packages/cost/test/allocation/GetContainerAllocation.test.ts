/**
 * OpenCost's own cases of what is allocated to a container: `Test_getContainerAllocation` in
 * `pkg/costmodel/costmodel_test.go` of opencost/opencost, all nine. What is nil there is not known here; timestamps, which
 * only say there when the result is of, do nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { build } from "../../src/allocation/HourBuilder.ts"
import { KIB_BYTES } from "../../src/hour/Units.ts"
import { amountOf, container, facts, pod, steady } from "./facts.ts"

interface Case {
  readonly name: string
  /** Cores and bytes, as there. */
  readonly requested?: readonly [cores: number, bytes: number]
  readonly used?: readonly [cores: number, bytes: number]
  readonly allocated: readonly [cores: number, bytes: number]
}

const cases: ReadonlyArray<Case> = [
  { name: "requests are greater than usage", requested: [1, 1e7], used: [0.01, 5.5e6], allocated: [1, 1e7] },
  { name: "requests are less than usage", requested: [1, 1e7], used: [2.2, 7.5e7], allocated: [2.2, 7.5e7] },
  { name: "timestamps are 4 seconds apart", requested: [1, 1e7], used: [0.01, 5.5e6], allocated: [1, 1e7] },
  { name: "timestamps are 49 seconds apart", requested: [1, 1e7], used: [0.01, 5.5e6], allocated: [1, 1e7] },
  { name: "requests have no values", requested: [0, 0], used: [0.01, 5.5e6], allocated: [0.01, 5.5e6] },
  { name: "usage has no values", requested: [1, 1e7], used: [0, 0], allocated: [1, 1e7] },
  { name: "both have no values", requested: [0, 0], used: [0, 0], allocated: [0, 0] },
  { name: "requests are nil", used: [0.01, 5.5e6], allocated: [0.01, 5.5e6] },
  { name: "usage is nil", requested: [1, 1e7], allocated: [1, 1e7] }
]

describe("an hour is allocated as OpenCost allocates a sample", () => {
  for (const { allocated, name, requested = [0, 0], used } of cases) {
    it(`where ${name}`, () => {
      const [cpuMillis, memoryBytes] = [allocated[0] * 1_000, allocated[1]]
      const hour = build(
        facts({
          pods: [
            pod("web-1", {
              containers: [
                container({
                  cpuRequestMillis: requested[0] * 1_000,
                  memoryRequestBytes: requested[1],
                  ...(used === undefined ? {} : { usage: steady(used[0] * 1_000, used[1]) })
                })
              ]
            })
          ]
        })
      )
      assert.strictEqual(amountOf(hour, "web", "cpuAllocatedMilliSeconds"), cpuMillis * 3_600)
      assert.strictEqual(
        amountOf(hour, "web", "memoryAllocatedKibSeconds"),
        Math.round((memoryBytes / KIB_BYTES) * 3_600)
      )
    })
  }
})
