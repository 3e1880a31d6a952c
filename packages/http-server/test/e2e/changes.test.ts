import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, to } from "./Deployment.ts"
import { kubectl } from "./kubectl.ts"
import { deploymentNamed } from "./manifests.ts"
import { onEveryDriver } from "./onEveryDriver.ts"

const namespaced = (name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels }
})

/** Waits for a workload in the merged answer of the cache, at most a second after it was made. */
const listedWithinASecond = (name: string) =>
  Effect.gen(function* () {
    const deployment = yield* Deployment
    yield* eventually(
      `${name} is listed`,
      deployment.workloads(`?name=${name}`, { headers: to("*") }),
      ({ workloads }) => workloads.length === 1,
      { within: "1 second", every: "10 millis" }
    )
  })

onEveryDriver("changes", { children: ["prod"] }, (it, driver) => {
  it.effect("a workload made in a child is in the merged answer within a second", () =>
    Effect.gen(function* () {
      const prod = yield* (yield* Deployment).fleet.cluster("prod")
      yield* prod.api.create(deploymentNamed("fresh"))
      yield* listedWithinASecond("fresh")
    })
  )

  if (driver.name === "control-plane") {
    it.effect("a workload made by kubectl in a child is in the merged answer within a second", () =>
      Effect.gen(function* () {
        const { fleet } = yield* Deployment
        yield* kubectl(fleet, "prod", ["create", "deployment", "typed", "--image=acme/typed:1"])
        yield* listedWithinASecond("typed")
      })
    )

    it.effect("kubectl sees through the fleet's kubeconfig what the service lists", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const { namespaces } = yield* deployment.namespaces("", { headers: to("prod") })
        const printed = yield* kubectl(deployment.fleet, "prod", ["get", "namespaces", "-o", "name"])
        const names = printed
          .trim()
          .split("\n")
          .map((line) => line.replace("namespace/", ""))
        assert.sameMembers(
          names,
          namespaces.map(({ name }) => name)
        )
      })
    )
  }

  it.effect("a key scoped by a label sees a namespace while it carries the label, and loses it within 5 s", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const prod = yield* deployment.fleet.cluster("prod")
      const seen = Effect.map(deployment.namespaces("", { key: "teamViewer", headers: to("prod") }), ({ namespaces }) =>
        namespaces.map(({ name }) => name)
      )
      assert.deepStrictEqual(yield* seen, [])
      yield* prod.api.create(namespaced("front", { team: "storefront" }))
      yield* eventually("the namespace is in sight", seen, (names) => names.includes("front"), { within: "5 seconds" })
      const front = { apiVersion: "v1", kind: "Namespace", name: "front" }
      yield* prod.api.patch(front, { metadata: { labels: { team: "checkout" } } })
      yield* eventually("the namespace is out of sight", seen, (names) => names.length === 0, { within: "5 seconds" })
      const live = yield* deployment.namespaces("?consistency=live", { key: "teamViewer", headers: to("prod") })
      assert.deepStrictEqual(live.namespaces, [])
    })
  )
})
