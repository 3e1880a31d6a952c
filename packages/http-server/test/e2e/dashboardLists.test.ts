import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Demo } from "./Demo.ts"
import { suite } from "./PageSuite.ts"

suite("the lists of the demo", Demo.layer, (it) => {
  it.effect("list workloads by what is typed, chosen and sorted, one question a pause, and one in detail", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await page.getByRole("heading", { name: "Overview", exact: true }).waitFor()
        await page.keyboard.press("g")
        await page.keyboard.press("w")
        await page.locator("[data-workload]").first().waitFor()
        const asked: Array<string> = []
        page.on("request", (request) => {
          const name = new URL(request.url()).searchParams.get("name")
          if (request.url().includes("/api/v1/workloads?") && name !== null) asked.push(name)
        })
        await page.keyboard.press("/")
        await page.keyboard.type("report")
        await page.getByText(/ workloads? match$/).waitFor()
        await page.getByRole("link", { name: "reporting" }).first().waitFor()
        assert.deepStrictEqual([...new Set(asked)], ["report"])
        assert.include(page.url(), "name=report")
        await page.getByRole("button", { name: "Clear" }).click()
        await page.getByLabel("Kind").selectOption("StatefulSet")
        await page.getByRole("button", { name: "CPU requests" }).click()
        await page
          .getByRole("columnheader", { name: "CPU requests" })
          .and(page.locator("[aria-sort=ascending]"))
          .waitFor()
        assert.match(page.url(), /kind=StatefulSet&sort=cpuRequestMillis/)

        // What a link says is what a colleague sees.
        await page.goto(`${url}/#/workloads?cluster=prod&name=report&sort=status&order=desc`)
        await page.getByRole("columnheader", { name: "Status" }).and(page.locator("[aria-sort=descending]")).waitFor()
        await page.getByRole("link", { name: "reporting" }).click()
        await page.getByRole("heading", { name: "reporting" }).waitFor()
        await page.getByRole("tab", { name: "Cost" }).click()
        assert.include(page.url(), "tab=cost")
        const sizes = page.getByRole("region", { name: "Requests, usage and recommendation" })
        // The story of the demo: 2 cores requested of each replica, of which 80 thousandths are used.
        await sizes.getByRole("row", { name: /^CPU 2 cores .* (?:7[89]|8[0-2])m / }).waitFor()
        assert.match(
          await sizes.locator("pre").innerText(),
          /^resources:\n  requests:\n    cpu: \d+m\n    memory: \d+Mi$/
        )
      })
    })
  )

  it.effect("list pods, events and namespaces by what is typed, chosen and sorted", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Demo
      const page = yield* Chromium.open(`${url}/`)
      yield* Effect.promise(async () => {
        await signIn(page, key("VIEWER"))
        await page.getByRole("heading", { name: "Overview", exact: true }).waitFor()
        await page.keyboard.press("g")
        await page.keyboard.press("d")
        const rows = page.locator("[data-row]")
        await rows.first().waitFor()
        await page.getByLabel("Status", { exact: true }).selectOption("CrashLoopBackOff")
        await page.getByText(/^\d+ pods? match$/).waitFor()
        await page.getByRole("button", { name: "Restarts" }).click()
        await page.getByRole("columnheader", { name: "Restarts" }).and(page.locator("[aria-sort=ascending]")).waitFor()
        assert.match(page.url(), /status=CrashLoopBackOff&sort=restarts/)
        await rows.filter({ hasText: "search-" }).getByRole("link").first().click()
        await page.getByRole("tab", { name: "Pods", selected: true }).waitFor()

        await page.keyboard.press("g")
        await page.keyboard.press("n")
        await page.getByRole("searchbox", { name: "Name" }).waitFor()
        await page.getByText(/^\d+ namespaces$/).waitFor()
        await page.keyboard.press("/")
        await page.keyboard.type("payments")
        await page.getByText("3 namespaces match").waitFor()
        await rows.first().getByRole("link", { name: "payments" }).click()
        await page.locator("[data-workload]").first().waitFor()
        assert.include(page.url(), "namespace=payments")

        await page.goto(`${url}/#/events?type=Warning`)
        await page.getByText(/^\d+ events? match$/).waitFor()
      })
    })
  )
})
