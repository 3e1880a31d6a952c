import { assert } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Deployment, rawKey, to } from "./Deployment.ts"
import { suite } from "./PageSuite.ts"

suite("Audit", Deployment.layer({ driver: Embedded.driver, children: [] }), (it) => {
  it.effect("is narrowed, followed as it grows, looked into and saved", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "watched", rule: { role: "Viewer" } })
      yield* call("/api/v1/apiKeys", { bearer: raw })
      const page = yield* Chromium.open(`${url}/#/clusters`)
      const rows = page.locator("[data-event]")
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByRole("heading", { name: "Clusters", exact: true }).waitFor()
        await page.keyboard.press("g")
        await page.keyboard.press("a")
        await page.getByRole("heading", { name: "Audit" }).waitFor()
        await rows.getByText("Created API key watched (Viewer, all clusters)").waitFor()
        await page.keyboard.press("/")
        await page.keyboard.type(apiKey.id)
        await page.getByText("1 event", { exact: true }).waitFor()
        await rows.getByText("403 role_forbidden").waitFor()
        await page.getByLabel("Caller").fill("WATCH")
        await rows.getByText("Refused: list API keys (the key's role does not allow it)").waitFor()
        await page.getByLabel("Object").fill("nothing")
        await page.getByText("No event matches").waitFor()
        await page.getByLabel("Object").fill("")
        await page.getByLabel("Decision").selectOption("deny")
      })
      // What is decided from now on comes by itself, and what does not match stays away.
      yield* call("/api/v1/prices", { method: "PUT", bearer: raw, body: {} })
      yield* call("/api/v1/apiKeys", { key: "viewer" })
      const saved = yield* Effect.promise(async () => {
        await page.getByText("2 events", { exact: true }).waitFor()
        await rows.getByRole("button", { name: "Refused: change the prices" }).click()
        const details = page.getByRole("dialog")
        await details.getByRole("row", { name: `Id ${apiKey.id}` }).waitFor()
        await details.getByRole("row", { name: "Caller watched (key)" }).waitFor()
        await details.getByRole("button", { name: "Close" }).click()
        const download = page.waitForEvent("download")
        await page.getByRole("link", { name: "Save as NDJSON" }).click()
        return readFile(await (await download).path(), "utf8")
      })
      const lines = saved.trimEnd().split("\n")
      assert.lengthOf(lines, 2)
      for (const line of lines) assert.include(line, `"keyId":"${apiKey.id}"`)

      const colleague = yield* Chromium.open(page.url())
      yield* Effect.promise(async () => {
        await signIn(colleague, rawKey("admin"))
        await colleague.getByText("2 events", { exact: true }).waitFor()
        await colleague.getByLabel("Cluster", { exact: true }).selectOption("hub")
        await colleague.getByText("No event matches").waitFor()
        await colleague.getByRole("button", { name: "Show every event" }).click()
        await colleague.locator("[data-event]").first().waitFor()
      })
    })
  )

  it.effect("older events are read as one scrolls, and only those on the screen are in the page", () =>
    Effect.gen(function* () {
      const { call, url } = yield* Deployment
      const body = { name: "one of many", rule: { role: "Viewer" } }
      // Each is two events.
      const makes = Array.from({ length: 80 }, () => call("/api/v1/apiKeys", { method: "POST", key: "admin", body }))
      yield* Effect.all(makes, { concurrency: 8 })
      const page = yield* Chromium.open(`${url}/#/audit?verb=create&range=1h`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByText(/^1[0-9]{2} events loaded, there are more$/).waitFor()
        assert.isAtMost(await page.locator("[data-event]").count(), 100)
        await page.mouse.move(200, 500)
        await page.mouse.wheel(0, 100_000)
        // Those of other tests beside the 160 are few: none stands twice.
        await page.getByText(/^1[6-9]\d events$/).waitFor()
        assert.isAtMost(await page.locator("[data-event]").count(), 100)
      })
    })
  )

  it.effect("is shown by scope: to an Admin of a realm its own events, to others none", () =>
    Effect.gen(function* () {
      const { call, url } = yield* Deployment
      yield* call("/api/v1/workloads", { key: "prodViewer", headers: to("hub") })
      yield* call("/api/v1/workloads", { key: "prodViewer", headers: to("prod") })
      const admin = yield* Chromium.open(`${url}/#/audit?resource=workloads&range=all`)
      const viewer = yield* Chromium.open(`${url}/#/audit`)
      yield* Effect.promise(async () => {
        await signIn(admin, rawKey("prodAdmin"))
        await admin.getByText("Your key has a scope").waitFor()
        await admin.getByText("No event matches").or(admin.locator("[data-event]").first()).waitFor()
        assert.strictEqual(await admin.locator("[data-event]").getByText("cluster_forbidden").count(), 0)
        await signIn(viewer, rawKey("viewer"))
        await viewer.getByRole("alert").getByText("role_forbidden").waitFor()
        assert.strictEqual(await viewer.getByRole("link", { name: "Audit" }).count(), 0)
      })
    })
  )
})
