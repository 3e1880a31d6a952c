import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PodResources from "../../src/projection/PodResources.ts"

const needs = (cpu: string | undefined, memory: string | undefined, more: Record<string, unknown> = {}) => ({
  name: "c",
  resources: { requests: { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) } },
  ...more
})
const sidecar = { restartPolicy: "Always" }
const cpu = (spec: Record<string, unknown>) => PodResources.fromPodSpec(spec).cpuRequestMillis

const Amounts = Schema.Array(Schema.Natural.check(Schema.isLessThan(5000))).check(Schema.isMaxLength(4))
const Inits = Schema.Array(
  Schema.Struct({ millis: Schema.Natural.check(Schema.isLessThan(5000)), isSidecar: Schema.Boolean })
).check(Schema.isMaxLength(5))

describe("PodResources", () => {
  it("sums the containers", () => {
    const spec = { containers: [needs("100m", "64Mi"), needs("1.5", "1Gi")] }
    assert.deepStrictEqual(PodResources.fromPodSpec(spec), {
      cpuRequestMillis: 1600,
      memoryRequestBytes: 64 * 1024 ** 2 + 1024 ** 3,
      cpuLimitMillis: 0,
      memoryLimitBytes: 0
    })
  })

  it("takes an init container that needs more than the containers together", () => {
    const spec = { containers: [needs("100m", "1Gi")], initContainers: [needs("2", "64Mi")] }
    assert.strictEqual(cpu(spec), 2000)
    assert.strictEqual(PodResources.fromPodSpec(spec).memoryRequestBytes, 1024 ** 3)
  })

  it("adds sidecars to the containers, and to the init containers that start after them", () => {
    const containers = [needs("100m", undefined)]
    assert.strictEqual(cpu({ containers, initContainers: [needs("200m", undefined, sidecar)] }), 300)
    assert.strictEqual(
      cpu({ containers, initContainers: [needs("200m", undefined, sidecar), needs("1", undefined)] }),
      1200
    )
    assert.strictEqual(
      cpu({ containers, initContainers: [needs("1", undefined), needs("200m", undefined, sidecar)] }),
      1000
    )
  })

  it("takes a pod's own limit for its request only where no container asks for anything", () => {
    const resources = { limits: { cpu: "2" } }
    assert.strictEqual(cpu({ resources, containers: [{}] }), 2000)
    assert.strictEqual(cpu({ resources, containers: [needs("100m", undefined)] }), 100)
    assert.strictEqual(cpu({ resources, containers: [{ resources: { limits: { cpu: "300m" } } }] }), 300)
    assert.strictEqual(cpu({ resources, containers: [{}], initContainers: [needs("50m", undefined, sidecar)] }), 50)
    assert.strictEqual(
      cpu({ resources: { ...resources, requests: { cpu: "1" } }, containers: [needs("100m", undefined)] }),
      1000
    )
  })

  it("adds the overhead of the runtime class", () => {
    assert.strictEqual(cpu({ containers: [needs("100m", undefined)], overhead: { cpu: "250m" } }), 350)
  })

  it("takes the limit where a request is absent, and has no limit where none is set", () => {
    const spec = {
      containers: [{ resources: { limits: { cpu: "500m" } } }, needs("100m", undefined)],
      overhead: { memory: "1Mi" }
    }
    const found = PodResources.fromPodSpec(spec)
    assert.strictEqual(found.cpuRequestMillis, 600)
    assert.strictEqual(found.cpuLimitMillis, 500)
    assert.strictEqual(found.memoryRequestBytes, 1024 ** 2)
    assert.strictEqual(found.memoryLimitBytes, 0)
  })

  it("lets resources of the whole pod replace those of its containers", () => {
    assert.strictEqual(cpu({ containers: [needs("100m", undefined)], resources: { requests: { cpu: "2" } } }), 2000)
  })

  it.each([
    [{}],
    [{ containers: null }],
    [{ containers: ["x", 1, { resources: { requests: { cpu: "lots", memory: {} } } }] }]
  ])("asks for nothing with %j", (spec) => {
    assert.deepStrictEqual(PodResources.fromPodSpec(spec), PodResources.none)
  })

  it.prop("is the most that any moment of the pod's life needs", [Amounts, Inits], ([amounts, inits]) => {
    const spec = {
      containers: amounts.map((millis) => needs(`${millis}m`, undefined)),
      initContainers: inits.map(({ isSidecar, millis }) => needs(`${millis}m`, undefined, isSidecar ? sidecar : {}))
    }
    const moments = inits.map(
      (init, index) =>
        init.millis
        + inits
          .slice(0, index)
          .filter((before) => before.isSidecar)
          .reduce((sum, before) => sum + before.millis, 0)
    )
    const running = [...amounts, ...inits.filter((init) => init.isSidecar).map((init) => init.millis)].reduce(
      (sum, millis) => sum + millis,
      0
    )
    assert.strictEqual(cpu(spec), Math.max(running, ...moments))
  })
})
