import { assert, describe, it } from "@effect/vitest"
import { build } from "../../src/allocation/HourBuilder.ts"
import { UNMOUNTED } from "../../src/hour/Series.ts"
import { amountOf, container, facts, placeOf, pod, span, volume } from "./facts.ts"

describe("traffic", () => {
  const egress = { zoneKib: 1, regionKib: 3, internetKib: 0 }

  it("counts once over several runs", () => {
    const runs = [span("10:00:00", "10:20:00"), span("10:30:00", "10:50:00")]
    const hour = build(facts({ pods: [pod("web-1", { egress, containers: [container({ runs })] })] }))
    assert.strictEqual(amountOf(hour, "web", "zoneEgressKib"), 1)
    assert.strictEqual(amountOf(hour, "web", "regionEgressKib"), 3)
  })

  it("of a pod without a known run counts as if it had run all the hour", () => {
    const hour = build(
      facts({ seen: [span("10:00:00", "10:40:00")], pods: [pod("web-1", { egress, containers: [] })] })
    )
    assert.strictEqual(amountOf(hour, "web", "regionEgressKib"), 2)
  })
})

describe("volumes", () => {
  it("of one claim go to a workload by how many of its pods hold it", () => {
    const claims = ["data"]
    const hour = build(
      facts({
        pods: [pod("web-1", { claims }), pod("web-2", { claims: ["data", "data"] }), pod("job-1", { claims })],
        volumes: [volume("data")]
      })
    )
    assert.strictEqual(amountOf(hour, "web", "storageKibSeconds"), (1_048_576 * 3_600 * 2) / 3)
    assert.strictEqual(amountOf(hour, "job", "storageKibSeconds"), (1_048_576 * 3_600) / 3)
  })

  it("stay with their pod between restarts", () => {
    const runs = [span("10:00:00", "10:10:00"), span("10:30:00", "11:00:00")]
    const hour = build(
      facts({
        pods: [pod("web-1", { claims: ["data"], containers: [container({ runs })] })],
        volumes: [volume("data")]
      })
    )
    assert.strictEqual(amountOf(hour, "web", "storageKibSeconds"), 1_048_576 * 3_600)
    assert.strictEqual(placeOf(hour, "data"), -1)
  })

  it("tell their classes, where they have one", () => {
    const hour = build(
      facts({
        pods: [pod("db-1", { claims: ["data", "log", "tmp"] })],
        volumes: [volume("data"), volume("log", { storageClass: "io2" }), volume("tmp", { storageClass: "" })]
      })
    )
    const place = placeOf(hour, "db")
    const kibSeconds = 1_048_576 * 3_600
    assert.deepStrictEqual(hour.storage, [
      { series: place, storageClass: "gp3", kibSeconds },
      { series: place, storageClass: "io2", kibSeconds }
    ])
    assert.strictEqual(amountOf(hour, "db", "storageKibSeconds"), 3 * kibSeconds)
  })

  it("of a claim of the same name in another namespace are another's", () => {
    const hour = build(
      facts({ pods: [pod("web-1", { claims: ["data"] })], volumes: [volume("data", { namespace: "other" })] })
    )
    assert.strictEqual(amountOf(hour, "web", "storageKibSeconds"), 0)
    assert.deepStrictEqual(hour.series[placeOf(hour, "data")], {
      namespace: "other",
      kind: UNMOUNTED,
      name: "data",
      uid: "",
      labels: {}
    })
  })
})

describe("a load balancer", () => {
  it("is charged to workloads by their pods, and not to unknown pods", () => {
    const hour = build(
      facts({
        pods: [pod("web-1"), pod("web-2"), pod("api-1")],
        loadBalancers: [
          {
            namespace: "shop",
            name: "front",
            spans: [span()],
            pods: ["uid-web-1", "uid-web-2", "uid-api-1", "uid-api-1", "uid-gone"]
          }
        ]
      })
    )
    assert.strictEqual(amountOf(hour, "web", "loadBalancerSeconds"), 2_400)
    assert.strictEqual(amountOf(hour, "api", "loadBalancerSeconds"), 1_200)
    assert.strictEqual(placeOf(hour, "front"), -1)
  })
})
