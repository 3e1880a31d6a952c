import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Demo } from "./Demo.ts"
import { suite } from "./PageSuite.ts"

const REPORTING = "/#/workloads/prod/payments/Deployment/reporting"

/** Asks for a scale as another caller does. */
const scaleElsewhere = (url: string, key: string, replicas: number) =>
  fetch(`${url}/api/v1/workloads/prod/payments/Deployment/reporting/scale`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ replicas })
  }).then(({ status }) => status)

const wanted = (page: Page, count: string) =>
  page.getByText("Desired", { exact: true }).locator("..").getByText(count, { exact: true }).waitFor()

suite("a workload's page", Demo.layer, (it) => {
  it.effect("shows its pods, what happened to them and what they wrote", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}${REPORTING}`)
      yield* Effect.promise(async () => {
        await signIn(page, key("OPERATOR"))
        await page.getByText("2 of 2 ready.", { exact: true }).waitFor()
        await page.getByRole("tab", { name: "Events" }).click()
        await page.getByText("No recent events. Clusters usually keep events for an hour.").waitFor()
        await page.getByRole("tab", { name: "Pods" }).click()
        const pods = page.getByRole("table", { name: "Pods" })
        await pods
          .getByRole("row", { name: /^reporting-\S+ Running 1 of 1 0 / })
          .first()
          .waitFor()
        await page
          .getByRole("button", { name: /^Log of reporting-/ })
          .first()
          .click()
        const log = page.getByRole("log")
        await log.getByText("report 'daily revenue' is up to date").first().waitFor()
        assert.match(page.url(), /tab=logs&pod=reporting-/)
        await page.getByText(/lines?, new ones appear as they are written$/).waitFor()
        await page.getByLabel("Find in the log").fill("DAILY REVENUE")
        await page.getByText(/^\d+ match(es)?$/).waitFor()
        await page.keyboard.press("Enter")
        await page.getByText(/^1 of \d+ match(es)?$/).waitFor()
        await log.locator("mark[data-current]").waitFor()
        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Download" }).click()
        assert.match((await saved).suggestedFilename(), /^reporting-\S+\.log$/)
        const asked = page.waitForRequest((request) => request.url().includes("/logs?"))
        await page.getByLabel("Newest lines").selectOption("100")
        assert.include((await asked).url(), "tailLines=100")
        const previous = page.waitForRequest((request) => request.url().includes("previous=true"))
        await page.getByLabel("Previous run").check()
        await previous
      })
    })
  )

  it.effect(
    "shows what a change would be, and makes it when told so; what somebody changed first is not overwritten",
    () =>
      Effect.gen(function* () {
        const { key, url } = yield* Demo
        const page = yield* Chromium.open(`${url}${REPORTING}`)
        yield* Effect.promise(async () => {
          await signIn(page, key("OPERATOR"))
          await wanted(page, "2")
          await page.getByRole("button", { name: "Scale", exact: true }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Replicas").fill("3")
          await dialog.getByRole("button", { name: "Preview" }).click()
          await dialog.getByRole("row", { name: "Replicas 2 3" }).waitFor()
          await dialog.getByText("Not applied yet").waitFor()
          assert.strictEqual(await scaleElsewhere(url, key("OPERATOR"), 4), 200)
          await dialog.getByRole("button", { name: "Scale", exact: true }).click()
          await dialog.getByText("workload_changed").waitFor()
          await wanted(page, "4")
          await dialog.getByRole("button", { name: "Try again" }).click()
          await dialog.getByRole("row", { name: "Replicas 4 3" }).waitFor()
          await dialog.getByRole("button", { name: "Scale", exact: true }).click()
          await dialog.getByRole("table", { name: "Result" }).waitFor()
          await dialog.getByRole("button", { name: "Close" }).last().click()
          await wanted(page, "3")

          await page.getByRole("button", { name: "Pause", exact: true }).click()
          await dialog.getByRole("row", { name: "Paused no yes" }).waitFor()
          await dialog.getByRole("button", { name: "Pause", exact: true }).click()
          await dialog.getByRole("table", { name: "Result" }).waitFor()
          await dialog.getByRole("button", { name: "Close" }).last().click()
          await page.getByRole("button", { name: "Resume", exact: true }).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Pause", exact: true }).count(), 0)
        })
      })
  )

  it.effect("offers a Viewer neither changes nor logs", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}${REPORTING}`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await page.getByRole("tab", { name: "Pods" }).click()
        await page.locator("[data-pod^=reporting-]").first().waitFor()
        for (const name of ["Scale", "Restart", /^Log of/]) {
          assert.strictEqual(await page.getByRole("button", { name, exact: true }).count(), 0)
        }
        await page.getByRole("tab", { name: "Logs" }).click()
        await page.getByText("Only the keys of Operators and Admins read logs.").waitFor()
      })
    })
  )
})
