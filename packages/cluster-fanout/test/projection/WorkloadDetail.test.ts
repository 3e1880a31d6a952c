import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as Interner from "../../src/projection/Interner.ts"
import * as Projection from "../../src/projection/Projection.ts"
import * as WorkloadDetail from "../../src/projection/WorkloadDetail.ts"

const place = { cluster: ClusterName.make("prod"), interner: Interner.make() }

const object = (spec: object, status: object) => ({
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u1",
    resourceVersion: "7",
    annotations: { "deployment.kubernetes.io/revision": "12", secret: "s3cr3t" }
  },
  spec,
  status
})

const deploymentOf = (spec: object, status: object = {}) => {
  const found = object(spec, status)
  return WorkloadDetail.ofObject(Projection.project("Deployment", found, place).row, found, new Map([["main", 3]]))
}

const template = { spec: { containers: [{ name: "main", image: "web:1" }] } }

describe("WorkloadDetail", () => {
  it("tells the revision, and how often its containers were restarted", () => {
    const { containers, rollout } = deploymentOf({ template })
    assert.deepStrictEqual(rollout, { revision: "12", isPaused: false, strategy: null })
    assert.deepInclude(containers[0], { name: "main", restarts: 3, ports: [] })
  })

  it("masks what looks like a secret in a condition, which is a cluster's own text", () => {
    const message = "admission webhook denied: token=abcdef0123456789"
    const { conditions } = deploymentOf(
      { template },
      { conditions: [{ type: "Progressing", status: "False", message }] }
    )
    assert.deepStrictEqual(conditions, [
      { type: "Progressing", status: "False", message: "admission webhook denied: token=***" }
    ])
  })

  it("holds for an object of which every field is of another type", () => {
    for (const odd of [null, 7, "text", [], { containers: {}, initContainers: 5, ports: "no" }]) {
      const { conditions, containers, selector } = deploymentOf(
        { template: { spec: odd }, selector: odd, strategy: odd, progressDeadlineSeconds: odd },
        { conditions: odd }
      )
      assert.deepStrictEqual([conditions, containers, selector], [[], [], null])
    }
  })

  it("of pods of several specs names each container once, as the newest pod has it", () => {
    const { row } = Projection.project("Deployment", object({ template }, {}), place)
    const spec = (name: string, image: string) => ({ containers: [{ name, image }] })
    const specs = [spec("main", "web:2"), spec("main", "web:1"), spec("side", "proxy:1")]
    const { containers } = WorkloadDetail.ofPods(row, specs, new Map())
    assert.deepStrictEqual(
      containers.map(({ image, name }) => `${name} ${image}`),
      ["main web:2", "side proxy:1"]
    )
  })
})
