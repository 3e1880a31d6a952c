import { assert } from "@effect/vitest"
import { Embedded, type Fleet } from "@quarterdeck/harness"
import { Effect } from "effect"
import * as Chromium from "./Chromium.ts"
import { fill, signIn, tabTo } from "./DashboardWalk.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { suite } from "./PageSuite.ts"

const POD = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "catalog-db-0" } as const

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** A container that the kernel killed seven times, as the kubelet reports it. */
const killed = () => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady" }],
  containerStatuses: [
    {
      name: "catalog-db",
      image: "postgres:17",
      imageID: "",
      ready: false,
      restartCount: 7,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
      lastState: {
        terminated: { exitCode: 137, reason: "OOMKilled", startedAt: minutesAgo(4), finishedAt: minutesAgo(2) }
      }
    }
  ]
})

/** Fills the clusters, and lets a pod of `prod` run out of memory. */
const prepare = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* fill(fleet)
  const { api } = yield* fleet.cluster("prod")
  yield* api.patch(POD, { status: killed() }, { subresource: "status" })
})

const ANSWER = /^\d of \d ready\. catalog-db-0: OOMKilled \(exit 137\), 7 restarts, last .* ago; memory limit .*iB$/

suite("the overview", Deployment.layer({ driver: Embedded.driver, prepare }), (it) => {
  it.effect("leads from the sign-in to the reason of a crash loop in two clicks", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("operator"))
        const bad = page.locator("[data-attention=catalog-db]").first()
        await bad.getByText(/OOMKilled|CrashLoopBackOff/).waitFor()
        await bad.getByRole("link").click()
        await page.getByText(ANSWER).waitFor()
        const pods = page.getByRole("table", { name: "Pods" })
        await pods
          .getByRole("row", { name: /^catalog-db-0 CrashLoopBackOff back-off 5m0s .* OOMKilled \(exit 137\)/ })
          .waitFor()
        await page.getByRole("button", { name: "Log of catalog-db-0" }).waitFor()
        // The logo leads back.
        await page.getByRole("link", { name: "Quarterdeck: Overview" }).click()
        await page.getByRole("heading", { name: "Overview", exact: true }).waitFor()
      })
    })
  )

  it.effect("leads there by keyboard too", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        const { keyboard } = page
        await tabTo(page, "textbox", "API key")
        await keyboard.type(rawKey("operator"))
        await keyboard.press("Enter")
        await tabTo(page, "link", "catalog-db")
        await keyboard.press("Enter")
        await page.getByText(ANSWER).waitFor()
        await tabTo(page, "tab", "Overview")
        await keyboard.press("ArrowRight")
        await page.getByRole("tab", { name: "Pods", selected: true }).waitFor()
        assert.include(page.url(), "tab=pods")
        await keyboard.press("g")
        await keyboard.press("h")
        await page.getByRole("heading", { name: "Overview", exact: true }).waitFor()
      })
    })
  )

  it.effect("shows only the parts that the key may read", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      for (const [key, cards, denials] of [
        ["admin", 4, 1],
        ["prodAdmin", 4, 0],
        ["viewer", 3, 0]
      ] as const) {
        const page = yield* Chromium.open(`${url}/`)
        yield* Effect.promise(async () => {
          await signIn(page, rawKey(key))
          await page.getByRole("region", { name: "Attention", exact: true }).waitFor()
          assert.strictEqual(await page.locator(".qd-card").count(), cards, key)
          assert.strictEqual(await page.getByText("in 24 hours").count(), denials, key)
        })
      }
    })
  )

  it.effect("leads to the workloads of a status, which the list counts, filters and sorts from its top", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1440, height: 500 })
        await signIn(page, rawKey("viewer"))
        await page
          .getByRole("region", { name: "Attention", exact: true })
          .getByRole("link", { name: /degraded$/ })
          .click()
        const chip = (status: string) => page.locator(`[data-chip=${status}]`)
        await chip("degraded").and(page.locator("[aria-pressed=true]")).waitFor()
        assert.include(page.url(), "status=degraded")
        const rows = page.locator("[data-workload]")
        await rows.first().waitFor()
        assert.strictEqual(await rows.locator("[data-status=degraded]").count(), await rows.count())
        await rows
          .filter({ hasText: "catalog-db" })
          .getByText(/OOMKilled|CrashLoopBackOff/)
          .waitFor()

        await chip("degraded").click()
        await chip("degraded").and(page.locator("[aria-pressed=false]")).waitFor()
        await rows.locator("[data-status=healthy]").first().waitFor()
        assert.match(await chip("healthy").innerText(), /^\s*[1-9]\d* healthy$/)
        await page.mouse.wheel(0, 700)
        await page.waitForFunction("scrollY > 400")
        await page.getByRole("button", { name: "Status", exact: true }).click()
        await page.waitForFunction("scrollY === 0")
        // The worst first.
        await rows.first().locator("[data-status=failed], [data-status=degraded]").waitFor()
      })
    })
  )
})

suite(
  "the overview of a cluster without workloads",
  Deployment.layer({ driver: Embedded.driver, children: [] }),
  (it) => {
    it.effect("says that nothing needs attention", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const page = yield* Chromium.open(`${url}/`)
        yield* Effect.promise(async () => {
          await signIn(page, rawKey("viewer"))
          await page.getByRole("heading", { name: "Nothing needs attention" }).waitFor()
          await page.getByText("None of the 0 workloads in 1 cluster is failed or degraded.").waitFor()
        })
      })
    )
  }
)
