import { assert, describe, it, layer } from "@effect/vitest"
import { Embedded, Fault, Faults, Kubeconfig } from "@quarterdeck/harness"
import { Deferred, Effect, Layer } from "effect"
import * as Chromium from "./Chromium.ts"
import { fill, signIn } from "./DashboardWalk.ts"
import { Deployment, rawKey } from "./Deployment.ts"

/** What stands between the service and `prod`. */
const prodFaults = Deferred.makeUnsafe<Faults.ClusterFaults>()

const deployed = Deployment.layer({
  driver: Embedded.driver,
  prepare: fill,
  // Pages say the header's name as the settings have it.
  options: { clusters: { header: "X-Team-Cluster" } },
  kubeconfig: Effect.fnUntraced(function* (fleet) {
    const prod = yield* fleet.cluster("prod")
    const faults = yield* Faults.make({ name: prod.name, server: prod.server, caPem: prod.caPem })
    yield* Deferred.succeed(prodFaults, faults)
    const contexts = yield* Effect.forEach(fleet.clusters, (cluster) => cluster.context("admin"))
    const { caPem, server } = faults
    return Kubeconfig.print(
      contexts.map((context) => (context.name === "prod" ? { ...context, server, caPem } : context))
    )
  })
})

describe("the pages of clusters that fail, in a browser", () => {
  Chromium.sayIfLeftOut(it)
  if (!Chromium.runs) return

  layer(Layer.merge(deployed, Chromium.Chromium.layer), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("say which cluster is stale and why, and that it is back", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const faults = yield* Deferred.await(prodFaults)
        const page = yield* Chromium.open(`${url}/#/clusters?cluster=prod&cluster=stage`)
        const prod = page.locator("[data-coverage=prod]")
        yield* Effect.promise(async () => {
          await signIn(page, rawKey("viewer"))
          await page.getByText("2 of 2 clusters answered").waitFor()
          await page.locator("[data-coverage=prod][data-health=ok]").waitFor()
          assert.strictEqual(await page.locator("[data-cluster]").count(), 2)
        })
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* faults.inject(Fault.blackHole)
            yield* Effect.promise(async () => {
              await page.locator("[data-coverage=prod][data-health=stale]").waitFor()
              assert.match(await prod.innerText(), /prod stale .* old/)
              await page.getByRole("region", { name: "Coverage" }).getByText("prod:").waitFor()
              await page.getByRole("button", { name: "Details" }).click()
              await page.getByRole("table", { name: "Coverage of each cluster" }).getByText("stale").waitFor()
            })
          })
        )
        yield* Effect.promise(() => page.locator("[data-coverage=prod][data-health=ok]").waitFor())
      })
    )
  })
})
