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
          await page.getByText("2 of 2 clusters answer").waitFor()
          await page.locator("[data-coverage=prod][data-health=ok]").waitFor()
          assert.strictEqual(await page.locator("[data-cluster]").count(), 2)
        })
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* faults.inject(Fault.blackHole)
            yield* Effect.promise(async () => {
              await page.locator("[data-coverage=prod][data-health=stale]").waitFor()
              assert.match(await prod.innerText(), /prod last known, .* old/)
              await page.getByText("1 of 2 clusters answer.").waitFor()
              await page
                .getByRole("region", { name: "Coverage" })
                .getByText(/^prod: no answer since .*\. Its figures are as last known\.$/)
                .waitFor()
              await page.getByRole("button", { name: "Details" }).click()
              await page
                .getByRole("table", { name: "Coverage of each cluster" })
                .getByText("no answer")
                .first()
                .waitFor()
            })
          })
        )
        yield* Effect.promise(() => page.locator("[data-coverage=prod][data-health=ok]").waitFor())
      })
    )

    it.effect("show a child that was killed as last known on each page, and refuse to change it", () =>
      Effect.gen(function* () {
        const { fleet, url } = yield* Deployment
        const page = yield* Chromium.open(`${url}/#/workloads`)
        const live = page.locator("[data-live=live]")
        yield* Effect.promise(async () => {
          await signIn(page, rawKey("operator"))
          await page.getByText("3 of 3 clusters answer").waitFor()
          await live.filter({ hasText: /Live$/ }).waitFor()
        })
        yield* Effect.flatMap(fleet.cluster("stage"), ({ kill }) => kill)
        yield* Effect.promise(async () => {
          await page.getByText("2 of 3 clusters answer.").waitFor()
          await live.filter({ hasText: "Live for hub and prod" }).waitFor()
          await page.getByText(/^stage: no answer since .*\. Its workloads are as last known\.$/).waitFor()
          const rows = page.locator("[data-workload]")
          const dead = rows.filter({ has: page.getByRole("cell", { name: /^stage / }) }).first()
          await dead.getByText("last known").waitFor()
          await dead.getByText(/ old$/).waitFor()
          await dead
            .getByRole("checkbox", { name: /: its cluster does not answer$/ })
            .and(page.locator(":disabled"))
            .waitFor()
          const alive = rows.filter({ has: page.getByRole("cell", { name: "hub", exact: true }) }).first()
          assert.isTrue(await alive.getByRole("checkbox").isEnabled())

          await page.goto(`${url}/#/workloads?cluster=stage&kind=Deployment`)
          await page.locator("[data-workload]").first().getByRole("link").click()
          await page.getByText("stage does not answer. You can change the workload when it answers again.").waitFor()
          assert.isTrue(await page.getByRole("button", { name: "Restart", exact: true }).isDisabled())

          await page.getByRole("link", { name: "Clusters", exact: true }).click()
          await page
            .locator("[data-cluster=stage]")
            .getByText(/no answer since /)
            .waitFor()
          await page.getByRole("link", { name: "Overview", exact: true }).click()
          await page.getByText("1 no longer answers: last known").waitFor()
          await page.goto(`${url}/#/own-key`)
          await page.getByRole("button", { name: /2 of 3 clusters answer/ }).waitFor()
        })
      })
    )
  })
})
