import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type ClusterPlan, plan, type WorkloadPlan } from "../../src/seed/ClusterPlan.ts"

const Options = Schema.Struct({
  seed: Schema.Int,
  cluster: Schema.NonEmptyString,
  index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
  size: Schema.Literals(["small", "medium"])
})
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const statesIn = ({ workloads }: ClusterPlan) => new Set(workloads.map(({ state }) => state))
const podsIn = ({ workloads }: ClusterPlan) =>
  workloads.flatMap((workload) => workload.pods.map((pod) => ({ pod, workload })))
const keyOf = ({ namespace, template }: WorkloadPlan) => `${namespace}/${template.kind}/${template.name}`

describe("ClusterPlan", () => {
  it.effect.prop("the same options give the same plan", [Options], ([options]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* plan(options), yield* plan(options))
    })
  )

  it.effect.prop("names are valid and unique, so are addresses", [Options], ([options]) =>
    Effect.gen(function* () {
      const planned = yield* plan(options)
      const names = podsIn(planned).map(({ pod, workload }) => `${workload.namespace}/${pod.name}`)
      assert.strictEqual(new Set(names).size, names.length)
      assert.strictEqual(new Set(planned.workloads.map(keyOf)).size, planned.workloads.length)
      const addresses = podsIn(planned).map(({ pod }) => pod.address)
      assert.strictEqual(new Set(addresses).size, addresses.length)
      for (const { pod } of podsIn(planned)) assert.match(pod.name, NAME)
      for (const { name } of planned.nodes) assert.match(name, NAME)
    })
  )

  it.effect.prop("no node holds more than it has", [Options], ([options]) =>
    Effect.gen(function* () {
      const planned = yield* plan(options)
      for (const node of planned.nodes) {
        const here = podsIn(planned)
          .filter(({ pod }) => pod.node === node)
          .map(({ workload }) => workload.template.resources)
        const cpuMillis = here.reduce((sum, { cpuRequestMillis }) => sum + cpuRequestMillis, 0)
        const memoryMib = here.reduce((sum, { memoryRequestMib }) => sum + memoryRequestMib, 0)
        assert.isAtMost(cpuMillis, node.machine.cpuMillis)
        assert.isAtMost(memoryMib, node.machine.memoryMib)
      }
    })
  )

  it.effect.prop("every cluster has each kind of trouble, and mostly none", [Options], ([options]) =>
    Effect.gen(function* () {
      const planned = yield* plan(options)
      const expected = ["healthy", "degraded", "progressing", "paused", "idle", "completed", "failed"] as const
      for (const state of expected) assert.isTrue(statesIn(planned).has(state), state)
      const ready = planned.workloads.filter(({ state }) => state === "healthy").length
      assert.isAbove(ready, planned.workloads.length / 3)
    })
  )

  it.effect("a small cluster has 13 or 14 workloads on 4 nodes", () =>
    Effect.gen(function* () {
      for (const index of [0, 1, 2]) {
        const planned = yield* plan({ seed: 1, cluster: `c${index}`, index, size: "small" })
        assert.include([13, 14], planned.workloads.length)
        assert.strictEqual(planned.nodes.length, 4)
      }
    })
  )

  it.effect("the clusters of a fleet differ in clouds, versions and who is in trouble", () =>
    Effect.gen(function* () {
      const plans = yield* Effect.forEach(["hub", "eu", "us"], (cluster, index) =>
        plan({ seed: 1, cluster, index, size: "small" })
      )
      const distinct = (of: (planned: ClusterPlan) => unknown) =>
        new Set(plans.map((planned) => JSON.stringify(of(planned)))).size
      assert.strictEqual(
        distinct(({ cloud }) => cloud.region),
        3
      )
      assert.strictEqual(
        distinct(({ workloads }) => workloads.map(({ image }) => image)),
        3
      )
      assert.isAbove(
        distinct(({ workloads }) =>
          workloads.filter(({ state }) => state === "degraded").map(({ template }) => template.name)
        ),
        1
      )
    })
  )
})
