import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as Interner from "../../src/projection/Interner.ts"
import * as PodResources from "../../src/projection/PodResources.ts"
import * as Projection from "../../src/projection/Projection.ts"
import { pod } from "../fixture/KubeObjects.ts"

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }
type Spec = Readonly<Record<string, unknown>>
const containersOf = (spec: Spec) => Projection.project("Pod", pod("a", { spec }), place).containers
const asking = (name: string, cpu?: string) => ({
  name,
  resources: cpu === undefined ? {} : { requests: { cpu } }
})
const requests = (cpu: string) => ({ requests: { cpu } })

/** Thousandths of a core of each container. */
const cpuOf = (spec: Spec) =>
  Object.fromEntries(containersOf(spec).map(({ cpuRequestMillis, name }) => [name, cpuRequestMillis]))

describe("what a pod requests beyond its containers", () => {
  it("goes to those that declare nothing, which run on what is left", () => {
    const containers = [asking("app"), asking("proxy", "100m"), asking("agent")]
    assert.deepStrictEqual(cpuOf({ containers, resources: requests("1") }), { app: 450, proxy: 100, agent: 450 })
  })

  it("goes by what each declares where all do: a small sidecar stays small", () => {
    const containers = [asking("app", "900m"), asking("proxy", "100m")]
    assert.deepStrictEqual(cpuOf({ containers, resources: requests("2") }), { app: 1_800, proxy: 200 })
  })

  it("goes evenly where none declares any", () => {
    const containers = [asking("app"), asking("proxy"), asking("agent")]
    assert.deepStrictEqual(cpuOf({ containers, resources: requests("1") }), { app: 333, proxy: 334, agent: 333 })
  })

  it("has the overhead of its runtime go by what each has of the pod, and nothing go to an init container", () => {
    const containers = [asking("app"), asking("proxy", "100m")]
    const initContainers = [asking("load", "50m")]
    const spec = { containers, initContainers, resources: requests("1"), overhead: { cpu: "100m" } }
    assert.deepStrictEqual(cpuOf(spec), { app: 990, proxy: 110, load: 50 })
  })

  it("goes to no container in a pod without containers or with only init containers", () => {
    const beyond = { resources: requests("1"), overhead: { cpu: "100m" } }
    assert.deepStrictEqual(cpuOf({ ...beyond, containers: [] }), {})
    assert.deepStrictEqual(cpuOf({ overhead: { cpu: "1" }, containers: [] }), {})
    assert.deepStrictEqual(cpuOf({ resources: requests("1"), containers: [] }), {})
    assert.deepStrictEqual(cpuOf({ ...beyond, containers: [], initContainers: [asking("load", "50m")] }), { load: 50 })
  })

  const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
  it.prop(
    "comes with what they declare to what the pod is charged, and takes nothing from any",
    [
      Schema.Array(Millis).check(Schema.isMinLength(1), Schema.isMaxLength(6)),
      Schema.Array(Millis).check(Schema.isMaxLength(3)),
      Millis,
      Millis
    ],
    ([main, sidecars, whole, overhead]) => {
      const spec = {
        containers: main.map((cpu, index) => asking(`main-${index}`, `${cpu}m`)),
        initContainers: sidecars.map((cpu, index) => ({
          ...asking(`side-${index}`, `${cpu}m`),
          restartPolicy: "Always"
        })),
        resources: requests(`${whole}m`),
        overhead: { cpu: `${overhead}m` }
      }
      const found = containersOf(spec)
      const declared = [...main, ...sidecars]
      const sum = declared.reduce((all, one) => all + one, 0)
      const charged = found.reduce((all, { cpuRequestMillis }) => all + cpuRequestMillis, 0)
      assert.strictEqual(charged, Math.max(whole, sum) + overhead)
      if (whole >= sum) assert.strictEqual(charged, PodResources.fromPodSpec(spec).cpuRequestMillis)
      for (const [index, { cpuRequestMillis }] of found.entries()) {
        assert.isTrue(Number.isSafeInteger(cpuRequestMillis))
        assert.isAtLeast(cpuRequestMillis, declared[index] ?? 0)
      }
    }
  )
})
