/** Keys as a security officer reviews them: found, looked into, revoked, and made from a link. */
import { assert } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import * as Chromium from "./Chromium.ts"
import { addTags, signIn } from "./DashboardWalk.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { suite } from "./PageSuite.ts"

const KEYS = "#/users/api-keys"

const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ key: Schema.String })))

suite("Users > API Keys, reviewed", Deployment.layer({ driver: Embedded.driver, children: [] }), (it) => {
  it.effect("keys that never expire are found, sorted and revoked together, with their descendants if so chosen", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { raw } = yield* createKey({ name: "bulk maker", rule: { role: "Admin" } })
      const body = { name: "bulk child", rule: { role: "Viewer" } }
      const made = yield* call("/api/v1/apiKeys", { method: "POST", bearer: raw, body })
      const { key: child } = yield* decodeCreated(made.text)
      const other = yield* createKey({ name: "bulk other", rule: { role: "Viewer" } })
      const kept = yield* createKey({ name: "bulk ending", rule: { role: "Viewer" }, expire: "90d" })
      const page = yield* Chromium.open(`${url}/${KEYS}?name=bulk`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByText("4 keys", { exact: true }).waitFor()
        await page.getByRole("checkbox", { name: "Never expires 3" }).focus()
        await page.keyboard.press("Space")
        await page.getByText("3 keys", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Name" }).click()
        await page
          .getByRole("columnheader", { name: "Name", exact: false })
          .and(page.locator("[aria-sort=ascending]"))
          .waitFor()
        await page.waitForURL(/mark=neverExpires/)
        await page.getByLabel("Select bulk maker").check()
        await page.getByLabel("Select bulk other").check()
        await page.getByText("2 keys selected").waitFor()
        await page.getByRole("button", { name: "Revoke selected" }).click()
        const dialog = page.getByRole("dialog", { name: "Revoke 2 keys?" })
        await dialog.getByRole("listitem").filter({ hasText: "bulk maker" }).getByText("1 descendant").waitFor()
        await dialog.getByRole("listitem").filter({ hasText: "bulk other" }).getByText("no descendants").waitFor()
        const revoke = dialog.getByRole("button", { name: "Revoke" })
        assert.isTrue(await revoke.isDisabled())
        await dialog.getByLabel("Also revoke their descendants").check()
        await dialog.getByLabel("Type the number of keys to confirm").fill("2")
        await revoke.click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByText("No key matches").waitFor()
      })
      for (const bearer of [raw, child, other.raw]) {
        assert.strictEqual((yield* call("/api/v1/whoami", { bearer })).status, 401)
      }
      assert.strictEqual((yield* call("/api/v1/whoami", { bearer: kept.raw })).status, 200)
    })
  )

  it.effect("the page of a key says its rule in a sentence, its creator and descendants, and what it was refused", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { apiKey, raw } = yield* createKey({
        name: "looked at",
        rule: { role: "Viewer", targetClusters: ["prod"] }
      })
      yield* call("/api/v1/prices", { method: "PUT", bearer: raw, body: {} })
      const page = yield* Chromium.open(`${url}/${KEYS}?name=looked`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByRole("link", { name: "looked at" }).click()
        await page.getByRole("heading", { name: "looked at", exact: true }).waitFor()
        await page.getByText("May read in cluster prod, in every namespace, from any address.").waitFor()
        await page.getByText("0 valid keys").waitFor()
        await page
          .getByRole("region", { name: "Refused requests" })
          .getByText("Refused: change the prices (the key's role does not allow it)")
          .waitFor()
        await page
          .getByRole("region", { name: "Changes of this key" })
          .getByText("Created API key looked at (Viewer, clusters prod)")
          .waitFor()
        await page.getByRole("region", { name: "Refused requests" }).getByRole("link").click()
        await page.getByText("1 event", { exact: true }).waitFor()
        assert.strictEqual(await page.getByLabel("Caller").inputValue(), apiKey.id)
      })
    })
  )

  it.effect("the form starts from its address or a preset, and its draft survives a reload and a sign-out", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* Deployment
      const viewer = yield* createKey({ name: "not an Admin", rule: { role: "Viewer" } })
      const page = yield* Chromium.open(`${url}/${KEYS}/new?role=Operator&clusters=prod,stage`)
      const name = page.getByLabel("Name", { exact: true })
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.locator(".mantine-Pill-label").getByText("stage", { exact: true }).waitFor()
        assert.isTrue(await page.getByRole("radio", { name: "Operator" }).isChecked())
        await name.fill("from a link")
        await page.getByRole("button", { name: "CI, read-only in one cluster" }).click()
        assert.isTrue(await page.getByRole("radio", { name: "Viewer" }).isChecked())
        await page.getByRole("button", { name: "Create key" }).click()
        await page.getByText("Enter a cluster, or choose every cluster").waitFor()
        await addTags(page, "Cluster names", ["prod"])
        await page.reload()
        await page.locator(".mantine-Pill-label").getByText("prod", { exact: true }).waitFor()
        assert.strictEqual(await name.inputValue(), "from a link")
        await page.context().clearCookies()
        await page.reload()
        await signIn(page, viewer.raw)
        await page.getByRole("alert").getByText("Only an Admin can use this form").waitFor()
        assert.strictEqual(await page.getByRole("alert").count(), 1)
        await page.context().clearCookies()
        await page.reload()
        await signIn(page, rawKey("admin"))
        await page.locator(".mantine-Pill-label").getByText("prod", { exact: true }).waitFor()
        assert.strictEqual(await name.inputValue(), "from a link")
        await page.getByRole("button", { name: "Create key" }).click()
        await page.getByRole("heading", { name: "from a link was created" }).waitFor()
        assert.strictEqual(await page.evaluate<number>("sessionStorage.length"), 0)
      })
    })
  )
})
