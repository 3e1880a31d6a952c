import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect, Fiber, Stream } from "effect"
import { Deployment, to } from "./Deployment.ts"
import { kubectl } from "./kubectl.ts"
import { deploymentNamed } from "./manifests.ts"
import { onEveryDriver } from "./onEveryDriver.ts"

const namespaced = (name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels }
})

/** Makes a deployment in the child and waits for it in the merged answer, at most a second after a watch told of it. */
const listedWithinASecond = <E, R>(name: string, make: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const deployment = yield* Deployment
    const { api } = yield* deployment.fleet.cluster("prod")
    const told = yield* api
      .watch({ apiVersion: "apps/v1", kind: "Deployment", fieldSelector: `metadata.name=${name}` })
      .pipe(Stream.runHead, Effect.forkChild)
    yield* make
    yield* Fiber.join(told)
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
      yield* listedWithinASecond("fresh", prod.api.create(deploymentNamed("fresh")))
    })
  )

  if (driver.name === "control-plane") {
    it.effect("a workload made by kubectl in a child is in the merged answer within a second", () =>
      Effect.gen(function* () {
        const { fleet } = yield* Deployment
        const made = kubectl(fleet, "prod", ["create", "deployment", "typed", "--image=acme/typed:1"])
        yield* listedWithinASecond("typed", made)
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
