import { assert } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect } from "effect"
import * as Chromium from "./Chromium.ts"
import { signIn, SIZES } from "./DashboardWalk.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { auditOf } from "./PageAudit.ts"
import { suite } from "./PageSuite.ts"

const PRICES = "#/settings/prices"

suite("Settings > Prices", Deployment.layer({ driver: Embedded.driver, children: [] }), (it) => {
  it.effect("are changed with what changes before one's eyes, and onto what somebody else has changed", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const page = yield* Chromium.open(`${deployment.url}/${PRICES}`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByLabel("AWS: Core hour", { exact: true }).fill("0,04")
        await page.getByRole("button", { name: "Save prices" }).click()
        await page.getByText("Enter a number from 0 to 1000000, such as 0.031").waitFor()
        await page.getByLabel("AWS: Core hour", { exact: true }).fill("0.04")
        await page.getByRole("region", { name: "Changes" }).getByText("0.031611").waitFor()
        await page
          .getByRole("table", { name: "Effect by part" })
          .getByRole("row", { name: /^All workloads / })
          .waitFor()
      })
      const read = yield* deployment.prices()
      const theirs = { ...read, rate: 1.5 }
      yield* deployment.call("/api/v1/prices", { method: "PUT", key: "admin", body: theirs })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add an override" }).click()
        const override = page.locator("[data-override='0']")
        await override.getByLabel("Capacity").selectOption("spot")
        await override.getByLabel("Discount, %").fill("20")
        const save = page.getByRole("button", { name: "Save prices" })
        const conflict = page.getByText("The prices were changed by someone else")
        // The page may have seen it by itself.
        if (await save.isEnabled()) await save.click()
        await conflict.waitFor()
        await page.getByRole("button", { name: "Apply my changes" }).click()
        await conflict.waitFor({ state: "hidden" })
        await save.click()
        await page.getByText("Saved as version").waitFor()
      })
      const { default: usual, overrides, rate, version } = yield* deployment.prices()
      assert.deepInclude(
        { cpu: usual.aws.cpuPerCoreHour, overrides, rate, version },
        {
          cpu: 0.04,
          overrides: [{ resource: "node", match: { capacity: "spot" }, discountPercent: 20 }],
          rate: 1.5,
          version: read.version + 2
        }
      )
    })
  )

  it.effect("what the server refuses is said with its field and code", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const page = yield* Chromium.open(`${url}/${PRICES}`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByRole("button", { name: "Add an override" }).click()
        const last = page.locator("[data-override]").last()
        await last.getByLabel("Machine hour").fill("1")
        await last.getByLabel("Core hour", { exact: true }).fill("1")
        await page.getByRole("button", { name: "Save prices" }).click()
        await page.getByRole("alert").getByText("invalid_body").waitFor()
        await page
          .getByRole("alert")
          .getByText(/nodePerHour/)
          .waitFor()
      })
    })
  )

  for (const [index, [size, viewport]] of SIZES.entries()) {
    const colorScheme = index === 0 ? "light" : "dark"
    it.effect(`a key that may not change them reads them, at ${size} pixels, ${colorScheme}`, () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const page = yield* Chromium.open(`${url}/${PRICES}`)
        yield* Effect.promise(async () => {
          await page.setViewportSize(viewport)
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
          await signIn(page, rawKey("prodAdmin"))
          await page.getByText("You can read the prices").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Save prices" }).count(), 0)
          async function* walk() {
            yield await Promise.resolve("prices")
          }
          assert.deepStrictEqual(await auditOf(page, url, walk()), [])
        })
      })
    )
  }
})
