import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { Download, Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { signIn, SIZES } from "./DashboardWalk.ts"
import * as DataWalk from "./DataWalk.ts"
import { Demo } from "./Demo.ts"
import { auditOf } from "./PageAudit.ts"
import { suite } from "./PageSuite.ts"

/** What the first page needs, as it comes over the line. */
const MAX_SCRIPT_BYTES = 300_000

const clustersShown = (page: Page): Promise<ReadonlyArray<string | null>> =>
  page
    .locator("[data-cluster]")
    .all()
    .then((rows) => Promise.all(rows.map((row) => row.getAttribute("data-cluster"))))

/** Compressed bytes of the scripts that a page has loaded until now. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate<number>(`performance.getEntriesByType("resource")
    .filter(({ name }) => name.endsWith(".js"))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)

const scriptsOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(
    `performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js"))`
  )

/** What a browser has saved. */
const textOf = async (file: Download): Promise<string> => readFile(await file.path(), "utf8")

suite("the pages of the demo", Demo.layer, (it) => {
  it.effect("begin with the overview, whose script is small", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await signIn(page, key("ADMIN"))
        await page.getByRole("heading", { name: "Overview", exact: true }).waitFor()
        await page.getByText("3 of 3 clusters answer").waitFor()
        const card = (name: string) => page.getByRole("region", { name, exact: true })
        await card("Attention")
          .getByRole("link", { name: /^\d+ degraded$/ })
          .waitFor()
        await card("Attention")
          .getByText(/^Pods: CrashLoopBackOff \d+/)
          .waitFor()
        await card("Cost")
          .getByText(/^\$[\d.]+ in the last 7 days, [+-]?\d+% compared/)
          .waitFor()
        await card("Cost")
          .getByRole("img", { name: /^Cost by day from / })
          .waitFor()
        await card("Access").getByText("keys expire soon").waitFor()
        assert.isAtMost(await scriptBytes(page), MAX_SCRIPT_BYTES)
        assert.notInclude((await scriptsOf(page)).join(), "CostChart")
      })
    })
  )

  it.effect("are loaded again when the network changes under them", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await page.route(/\/assets\/WorkloadsPage-/, (route) => route.abort("internetdisconnected"), { times: 2 })
        await page.getByRole("link", { name: "Workloads" }).click()
        await page.locator("[data-workload]").first().waitFor()
      })
    })
  )

  it.effect("show three clusters with their cost; which of them is the address, and goes with a link", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/clusters`)
      const address = yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await page.getByText("3 of 3 clusters answer").waitFor()
        assert.deepStrictEqual(await clustersShown(page), ["hub", "prod", "stage"])
        await page
          .locator("[data-cluster=prod]")
          .getByText(/^\$[1-9]/)
          .waitFor()
        await page.getByRole("button", { name: "Clusters: All clusters" }).click()
        await page.getByRole("radio", { name: "The parent cluster" }).check()
        await page.getByText("1 of 1 cluster answers").waitFor()
        assert.deepStrictEqual(await clustersShown(page), ["hub"])
        await page.getByRole("radio", { name: "All clusters" }).check()
        await page.getByRole("checkbox", { name: "prod" }).check()
        await page.getByRole("checkbox", { name: "stage" }).check()
        await page.getByText("2 of 2 clusters answer").waitFor()
        return page.url()
      })
      const colleague = yield* Chromium.open(address)
      yield* Effect.promise(async () => {
        await signIn(colleague, key("ADMIN"))
        await colleague.getByRole("button", { name: "Clusters: prod, stage" }).waitFor()
        await colleague.getByText("2 of 2 clusters answer").waitFor()
        assert.deepStrictEqual(await clustersShown(colleague), ["prod", "stage"])
        // It goes along from place to place.
        await colleague.getByRole("link", { name: "API Keys" }).click()
        await colleague.getByRole("heading", { name: "API Keys" }).waitFor()
        await colleague.getByRole("button", { name: "Clusters: prod, stage" }).waitFor()
      })
    })
  )

  it.effect("say how old their rows are while the server cannot be asked anew", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/clusters`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        const mark = page.locator("[data-coverage=hub]")
        await mark.getByText(/ old$/).waitFor()
        await page.route("**/api/v1/clusters*", (route) => route.abort())
        const before = await mark.innerText()
        await mark.filter({ hasNotText: before }).waitFor()
      })
    })
  )

  it.effect("keep the name of a cost beside its figures where the screen is narrower than the table", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/cost`)
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 390, height: 844 })
        await signIn(page, key("VIEWER"))
        const table = page.getByRole("table", { name: "Costs by group" })
        const savings = table.getByRole("columnheader", { name: "Savings" })
        const name = table.getByRole("row").nth(1).getByRole("cell").first()
        await savings.waitFor()
        assert.isAbove((await savings.boundingBox())?.x ?? 0, 390)
        await savings.scrollIntoViewIfNeeded()
        const last = await savings.boundingBox()
        assert.isAtMost((last?.x ?? 390) + (last?.width ?? 0), 390)
        const shown = await name.boundingBox()
        assert.isAtLeast(shown?.x ?? -1, 0)
        assert.isAtMost(shown?.width ?? 390, 200)
      })
    })
  )

  it.effect("are gone through by keyboard, whose single keys can be turned off", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        const { keyboard } = page
        await signIn(page, key("ADMIN"))
        await page.getByRole("heading", { name: "Overview", exact: true }).waitFor()
        await keyboard.press("g")
        await keyboard.press("k")
        await page.getByRole("heading", { name: "API Keys" }).waitFor()
        await keyboard.press("Control+k")
        await page.getByRole("combobox", { name: /^Page, cluster/ }).waitFor()
        await keyboard.type("cluster stage")
        await keyboard.press("ArrowDown")
        await keyboard.press("Enter")
        await page.getByRole("heading", { name: "stage", exact: true }).waitFor()
        // Until it has closed, what is typed is a search of the palette's.
        await page.getByRole("dialog").waitFor({ state: "hidden" })
        await keyboard.press("?")
        await page.getByRole("switch", { name: "Single-key shortcuts" }).press("Space")
        await keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "hidden" })
        await keyboard.press("?")
        await keyboard.press("Control+k")
        await page.getByRole("dialog", { name: "Go to" }).waitFor()
        assert.strictEqual(await page.getByRole("dialog").count(), 1)
      })
    })
  )

  it.effect("say what a key does not reach, and lead back to what it does", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/clusters?cluster=stage`)
      yield* Effect.promise(async () => {
        await signIn(page, key("SHOP"))
        await page.getByText("cluster_forbidden").waitFor()
        await page.getByRole("button", { name: "Show all clusters" }).click()
        await page.getByText("1 of 1 cluster answers").waitFor()
        assert.deepStrictEqual(await clustersShown(page), ["prod"])
      })
    })
  )

  it.effect("tell costs by group and over time, what was not covered, and why a figure is what it is", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await page.getByText("3 of 3 clusters answer").waitFor()
        assert.notInclude((await scriptsOf(page)).join(), "CostChart")
        await page.getByLabel("Navigation").getByRole("link", { name: "Cost", exact: true }).click()
        const groups = page.getByRole("table", { name: "Costs by group" })
        await groups.getByText("Idle machines").waitFor()
        await page.getByRole("img", { name: /steps?, of .* not fully covered/ }).waitFor()
        assert.include((await scriptsOf(page)).join(), "CostChart")
        // Stage was not seen for five hours of the week: they are drawn, and said.
        assert.isAbove(await page.locator("[data-not-covered]").count(), 0)
        // With the minutes that the window begins and ends within an hour: up to one more.
        await page.getByText(/stage (?:[45](?:\.\d)?|6) hr/).waitFor()

        await page.getByLabel("Group by", { exact: true }).selectOption("Label")
        await groups.getByRole("button", { name: /explain the cost of payments/ }).click()
        const explained = page.getByRole("dialog")
        await explained.getByRole("button", { name: /explain the cost of reporting/ }).waitFor()
        assert.strictEqual(await explained.getByText(/ in shop of /).count(), 0)
        await explained.getByRole("button", { name: "Close" }).click()
        await groups.getByRole("row", { name: /^storefront / }).waitFor()
        await page.getByLabel("Group by", { exact: true }).selectOption("Workload")
        await groups.getByRole("row", { name: /^reporting Deployment in payments of prod/ }).waitFor()
        await page.getByRole("button", { name: /^Total / }).click()
        await page
          .getByRole("dialog")
          .getByRole("button", { name: /explain the cost of reporting/ })
          .click()
        const parts = page.getByRole("dialog").getByRole("table", { name: "Parts of the cost" })
        // Two replicas of 2 cores and 8 GiB, at Google's prices.
        await parts
          .getByRole("row", { name: /^CPU 6\d\d(?:\.\d)? core-h \$0\.0316 \/ core-h \$2[01]\.\d\d$/ })
          .waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()

        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Export" }).click()
        await page.getByRole("menuitem", { name: /^CSV/ }).click()
        const file = await saved
        assert.match(file.suggestedFilename(), /^grouped-costs-.*\.csv$/)
        assert.match(await textOf(file), /^start,end,cluster,namespace,kind,workload,/)
      })
    })
  )

  it.effect("tell what a price would have cost before it is saved, and save nothing", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/settings/prices`)
      yield* Effect.promise(async () => {
        await signIn(page, key("ADMIN"))
        const cpu = page.getByLabel("Google Cloud: Core hour", { exact: true })
        const usual = await cpu.inputValue()
        await cpu.fill("1")
        const effect = page.getByRole("table", { name: "Effect by part" })
        await effect.getByRole("row", { name: /^CPU \$[\d.,]+ \$[\d.,]+ \+[\d,]+%$/ }).waitFor()
        await effect.getByRole("row", { name: /^Memory \$([\d.,]+) \$\1 0%$/ }).waitFor()
        await page.reload()
        await cpu.waitFor()
        assert.strictEqual(await cpu.inputValue(), usual)
      })
    })
  )

  it.effect("show a key with a namespace scope its own costs alone", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/#/cost`)
      yield* Effect.promise(async () => {
        await signIn(page, key("SHOP"))
        const groups = page.getByRole("table", { name: "Costs by group" })
        await groups.getByRole("row", { name: /^shop / }).waitFor()
        assert.strictEqual(await groups.getByRole("row").count(), 2)
        assert.strictEqual(await page.getByLabel("Idle costs", { exact: true }).count(), 0)
      })
    })
  )

  for (const [name, walk] of Object.entries(DataWalk.walks)) {
    for (const [index, [size, viewport]] of SIZES.entries()) {
      const colorScheme = index === 0 ? "light" : "dark"
      it.effect(`of ${name} have nothing serious for axe to find at ${size} pixels, ${colorScheme}`, () =>
        Effect.gen(function* () {
          const demo = yield* Demo
          const page = yield* Chromium.open("about:blank")
          yield* Effect.promise(async () => {
            await page.setViewportSize(viewport)
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
            assert.deepStrictEqual(await auditOf(page, demo.url, walk(page, demo)), [])
          })
        })
      )
    }
  }
})
