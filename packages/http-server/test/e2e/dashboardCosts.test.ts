import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Demo } from "./Demo.ts"
import { suite } from "./PageSuite.ts"

const headingOf = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true })
const groupsOf = (page: Page) => page.getByRole("table", { name: "Costs by group" })
const explanationOf = (page: Page) => page.getByRole("region", { name: "Explanation", exact: true })

suite("the costs of the demo", Demo.layer, (it) => {
  it.effect("lead from a cluster to one workload and back, and a link shows a colleague the same", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/cost?by=cluster`)
      const address = yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await groupsOf(page).getByRole("link", { name: "prod", exact: true }).click()
        await headingOf(page, "Cost of prod").waitFor()
        await groupsOf(page).getByRole("link", { name: "payments", exact: true }).click()
        await headingOf(page, "Cost of payments").waitFor()
        await groupsOf(page).getByRole("link", { name: "reporting", exact: true }).click()
        await headingOf(page, "Cost of reporting").waitFor()
        // Two replicas of 2 cores and 8 GiB, at Google's prices.
        await explanationOf(page)
          .getByRole("row", { name: /^CPU 6\d\d(?:\.\d)? core-h \$0\.0316 \/ core-h \$2[01]\.\d\d$/ })
          .waitFor()
        const one = page.url()
        await page.goBack()
        await headingOf(page, "Cost of payments").waitFor()
        await page.goBack()
        await headingOf(page, "Cost of prod").waitFor()
        await page.goBack()
        await headingOf(page, "Cost").waitFor()
        await groupsOf(page).getByRole("link", { name: "prod", exact: true }).waitFor()
        return one
      })
      const colleague = yield* Chromium.open(address)
      yield* Effect.promise(async () => {
        await signIn(colleague, key("ADMIN"))
        await explanationOf(colleague).getByRole("table").first().waitFor()
        await colleague.getByRole("navigation", { name: "Costs shown" }).getByRole("link", { name: "payments" }).click()
        await headingOf(colleague, "Cost of payments").waitFor()
        await colleague.getByRole("button", { name: "Remove Namespace: payments" }).click()
        await headingOf(colleague, "Cost of prod").waitFor()
      })
    })
  )

  it.effect("are drilled into by keyboard, and sorted", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/cost`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await groupsOf(page).getByRole("link", { name: "payments", exact: true }).press("Enter")
        await headingOf(page, "Cost of payments").and(page.locator(":focus")).waitFor()
        await groupsOf(page).getByRole("link", { name: "reporting", exact: true }).first().waitFor()
        await groupsOf(page).getByRole("button", { name: "Workload" }).press("Enter")
        await groupsOf(page)
          .getByRole("columnheader", { name: "Workload" })
          .and(page.locator("[aria-sort=ascending]"))
          .waitFor()
        assert.include(page.url(), "sort=name")
        await groupsOf(page).getByRole("link", { name: "reporting", exact: true }).first().press("Enter")
        await headingOf(page, "Cost of reporting").and(page.locator(":focus")).waitFor()
      })
    })
  )

  it.effect("are compared with the period before in money and percent, where as much was seen of both", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/cost`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        const changed = page.getByRole("region", { name: "What changed" })
        await changed.getByText(/^Compared with /).waitFor()
        const payments = page.locator("[data-cost-group=payments]")
        assert.match((await payments.innerText()).replaceAll(/\s+/g, " "), /\$\d+\.\d\d.*\$\d+\.\d\d [+-]?\$\d/)
        // The demo has thirty days: of the ninety before, the server saw nothing.
        await page.getByLabel("Period", { exact: true }).selectOption("Last 90 days")
        await changed.getByText("Not compared: the server saw nothing of the period before.").waitFor()
        assert.notMatch(await payments.innerText(), /[+-]\d+%/)
        await page.getByRole("switch", { name: "Compare with the period before" }).press("Space")
        await changed.waitFor({ state: "detached" })
        assert.include(page.url(), "compare=off")
        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Export" }).click()
        await page.getByRole("menuitem", { name: /^JSON/ }).click()
        const report: unknown = JSON.parse(await readFile(await (await saved).path(), "utf8"))
        assert.containsAllKeys(report, ["rows", "totals", "window", "clusters"])
      })
    })
  )

  it.effect("tell what could be saved, by workload, with requests to copy", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/cost/savings?cluster=prod`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        const savings = page.getByRole("table", { name: "Savings by workload" })
        const first = page.locator("[data-savings]").first()
        await first.getByText("2 cores").waitFor()
        assert.match(
          (await first.innerText()).replaceAll(/\s+/g, " "),
          /^reporting Deployment in payments of prod \$1\d\d\./
        )
        await page.getByLabel("Group by", { exact: true }).selectOption("Team label")
        await savings.getByRole("rowheader", { name: /^payments \(/ }).waitFor()
        await savings.getByRole("link", { name: "reporting" }).click()
        const details = page.getByRole("dialog")
        assert.match(await details.locator("pre").innerText(), /cpu: \d+m\n    memory: \d+Mi$/)
        await page.goBack()
        await details.waitFor({ state: "hidden" })
        await savings.getByRole("link", { name: "reporting" }).click()
        await details.getByRole("link", { name: "Open the workload" }).click()
        await page.getByRole("heading", { name: "reporting" }).waitFor()
        await page.getByRole("tab", { name: "Cost" }).click()
        await page.getByRole("region", { name: "Cost history" }).getByRole("img").waitFor()
      })
    })
  )
})
