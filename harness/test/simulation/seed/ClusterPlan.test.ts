import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type ClusterPlan, plan, type WorkloadPlan } from "../../../src/simulation/seed/ClusterPlan.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const optionsOf = <S extends Schema.Top>(size: S) =>
  Schema.Struct({ seed: Schema.Int, cluster: Schema.NonEmptyString, index: int(0, 20), size })
const Named = optionsOf(Schema.Literals(["small", "medium", "large"]))
const Counts = Schema.Struct({
  pods: Schema.optionalKey(int(1, 900)),
  workloads: Schema.optionalKey(int(1, 120)),
  nodes: Schema.optionalKey(int(1, 40))
})
const Counted = optionsOf(Counts)
const Options = optionsOf(Schema.Union([Schema.Literals(["tiny", "small", "medium", "large"]), Counts]))
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

  it.effect.prop("every cluster of a named size has each kind of trouble, and mostly none", [Named], ([options]) =>
    Effect.gen(function* () {
      const planned = yield* plan(options)
      const expected = ["healthy", "degraded", "progressing", "paused", "idle", "completed", "failed"] as const
      for (const state of expected) assert.isTrue(statesIn(planned).has(state), state)
      const ready = planned.workloads.filter(({ state }) => state === "healthy").length
      assert.isAbove(ready, planned.workloads.length / 3)
    })
  )

  it.effect.prop(
    "a cluster by numbers has as many pods and workloads as were asked for, and no fewer nodes",
    [Counted],
    ([options]) =>
      Effect.gen(function* () {
        const planned = yield* plan(options)
        const { nodes, pods, workloads } = options.size
        if (workloads !== undefined) assert.strictEqual(planned.workloads.length, workloads)
        if (pods !== undefined) assert.strictEqual(podsIn(planned).length, Math.max(pods, planned.workloads.length))
        if (nodes !== undefined) assert.isAtLeast(planned.nodes.length, nodes)
      })
  )

  it.effect.prop(
    "pods that want a GPU are on nodes that have them, and no node gives more than it has",
    [Options],
    ([options]) =>
      Effect.gen(function* () {
        const planned = yield* plan(options)
        for (const node of planned.nodes) {
          const here = podsIn(planned).filter(({ pod }) => pod.node === node)
          const gpus = here.reduce((sum, { workload }) => sum + (workload.template.resources.gpus ?? 0), 0)
          assert.isAtMost(gpus, node.machine.gpus)
          assert.isAtMost(here.length, 110)
        }
      })
  )

  it.effect("20,000 pods are planned in a moment, most of them in few workloads", () =>
    Effect.gen(function* () {
      const planned = yield* plan({ seed: 1, cluster: "big", index: 0, size: { pods: 20_000 } })
      assert.strictEqual(podsIn(planned).length, 20_000)
      assert.strictEqual(planned.workloads.length, 1_000)
      const sizes = planned.workloads.map(({ pods }) => pods.length).toSorted((one, other) => other - one)
      const largest = sizes.slice(0, 250).reduce((sum, size) => sum + size, 0)
      assert.isAbove(largest, 10_000)
      const kinds = new Set(planned.workloads.map(({ template }) => template.kind))
      assert.deepStrictEqual([...kinds].toSorted(), ["CronJob", "Deployment", "Job", "StatefulSet"])
    })
  )

  it.effect("the smallest cluster has three workloads, and a larger one a GPU", () =>
    Effect.gen(function* () {
      const tiny = yield* plan({ seed: 1, cluster: "a", index: 0, size: "tiny" })
      assert.deepStrictEqual(
        tiny.workloads.map(({ state, template }) => [template.kind, state]),
        [
          ["Deployment", "healthy"],
          ["StatefulSet", "healthy"],
          ["DaemonSet", "healthy"]
        ]
      )
      const medium = yield* plan({ seed: 1, cluster: "a", index: 0, size: "medium" })
      assert.strictEqual(medium.nodes.filter(({ machine }) => machine.gpus > 0).length, 1)
      assert.isTrue(
        medium.nodes.every(
          ({ hourlyUsd, machine, spot }) => hourlyUsd === (spot ? machine.hourlyUsd.spot : machine.hourlyUsd.onDemand)
        )
      )
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
