import { assert } from "@effect/vitest"
import { Embedded, eventually } from "@quarterdeck/harness"
import { Effect, FileSystem, Schema } from "effect"
import { NodeServices } from "@effect/platform-node"
import * as Chromium from "./Chromium.ts"
import { addTags, chooseAction, signIn } from "./DashboardWalk.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { suite } from "./PageSuite.ts"

const KEYS = "#/users/api-keys"
const options = { driver: Embedded.driver, children: [] }

const whoami = Effect.fnUntraced(function* (bearer: string) {
  const { text } = yield* (yield* Deployment).call("/api/v1/whoami", { bearer })
  return yield* decodeKey(text)
})

const decodeKey = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      rule: Schema.Unknown,
      status: Schema.String,
      expiresAt: Schema.optionalKey(Schema.String)
    })
  )
)
const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ key: Schema.String })))

suite("Users > API Keys", Deployment.layer(options), (it) => {
  it.effect("a key is renamed and narrowed to what is offered, which is never more than it reached", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* Deployment
      const shop = { namespaceNames: ["shop", "shop-jobs"], labelSelector: { matchLabels: { team: "storefront" } } }
      const { raw } = yield* createKey({
        name: "to be narrowed",
        rule: { role: "Operator", targetClusters: ["prod", "stage"], targetNamespaces: [shop] }
      })
      const page = yield* Chromium.open(`${url}/${KEYS}`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await chooseAction(page, "to be narrowed", "Rename or narrow")
        const save = page.getByRole("button", { name: "Save" })
        await page.getByLabel("Name", { exact: true }).waitFor()
        assert.isTrue(await save.isDisabled())
        assert.strictEqual(await page.getByRole("radio", { name: "Admin" }).count(), 0)
        assert.strictEqual(await page.getByLabel("Every namespace").count(), 0)

        await page.getByRole("radio", { name: "Viewer" }).check()
        const clusters = page.getByRole("combobox", { name: "Cluster names" })
        await clusters.fill("elsewhere")
        await clusters.press("Enter")
        await clusters.fill("")
        await clusters.press("Backspace")
        await page.locator(".mantine-Pill-label").getByText("stage", { exact: true }).waitFor({ state: "detached" })
        const namespaces = page.getByRole("combobox", { name: "Namespace names" })
        await namespaces.press("Backspace")
        await page.getByRole("combobox", { name: "Namespace labels" }).fill("tier=web")
        await page.getByRole("combobox", { name: "Namespace labels" }).press("Enter")
        await page.getByLabel("Name", { exact: true }).fill("narrowed")
        await save.click()
        await page.getByRole("button", { name: "Actions of narrowed" }).waitFor()
      })
      assert.deepInclude(yield* whoami(raw), {
        name: "narrowed",
        rule: {
          role: "Viewer",
          targetClusters: ["prod"],
          targetNamespaces: [
            { namespaceNames: ["shop"], labelSelector: { matchLabels: { team: "storefront", tier: "web" } } }
          ]
        }
      })
    })
  )

  it.effect("what was narrowed elsewhere meanwhile is refused, and said", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { apiKey } = yield* createKey({ name: "twice", rule: { role: "Viewer" } })
      const page = yield* Chromium.open(`${url}/${KEYS}/${apiKey.id}/change`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByLabel("Only these", { exact: true }).check()
        await addTags(page, "Cluster names", ["prod"])
      })
      const body = { rule: { role: "Viewer", targetClusters: ["stage"] } }
      assert.strictEqual(
        (yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "PATCH", key: "admin", body })).status,
        200
      )
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("alert").getByText("rule_not_contained").waitFor()
      })
    })
  )

  it.effect("what was typed just before does not narrow what a link shows", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* Deployment
      const { apiKey } = yield* createKey({ name: "typed before", rule: { role: "Viewer" } })
      const page = yield* Chromium.open(`${url}/${KEYS}`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        const name = page.getByLabel("Name", { exact: true })
        await name.waitFor()
        await page.clock.install()
        await page.clock.pauseAt(Date.now() + 60_000)
        await name.fill("typed")
        await page.evaluate(`location.hash = "#/users/api-keys?createdBy=${apiKey.id}"`)
        await page.getByText(/^Created by/).waitFor()
        await page.clock.runFor(1_000)
        await page.clock.resume()
        await page.getByText("0 keys", { exact: true }).waitFor()
        assert.notInclude(page.url(), "typed")
        assert.strictEqual(await name.inputValue(), "")
      })
    })
  )

  it.effect("the list is narrowed by the server, and a link shows a colleague the same", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "maker of others", rule: { role: "Admin" } })
      const deployment = yield* Deployment
      for (const name of ["made one", "made two"]) {
        const body = { name, rule: { role: "Viewer" } }
        yield* deployment.call("/api/v1/apiKeys", { method: "POST", bearer: raw, body })
      }
      const page = yield* Chromium.open(`${url}/${KEYS}`)
      const address = yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await page.getByLabel("Status").waitFor()
        await page.keyboard.press("/")
        await page.keyboard.type("maker of o")
        await page.getByText("1 key", { exact: true }).waitFor()
        await chooseAction(page, "maker of others", "Keys created by it")
        await page.getByText("Created by maker of others").waitFor()
        await page.getByText("2 keys", { exact: true }).waitFor()
        await page.getByLabel("Name", { exact: true }).fill("two")
        await page.getByText("1 key", { exact: true }).waitFor()
        await page.getByLabel("Status").selectOption("active")
        await page.waitForURL(/status=active/)
        return page.url()
      })
      assert.include(address, `createdBy=${apiKey.id}`)
      const colleague = yield* Chromium.open(address)
      yield* Effect.promise(async () => {
        await signIn(colleague, rawKey("admin"))
        await colleague.getByText("1 key", { exact: true }).waitFor()
        await colleague.getByRole("button", { name: "Actions of made two" }).waitFor()
        await colleague.getByLabel("Status").selectOption("revoked")
        await colleague.getByText("No key matches").waitFor()
        await colleague.getByRole("button", { name: "Show every key" }).click()
        await colleague.getByRole("button", { name: "Actions of made one" }).waitFor()
      })
    })
  )

  it.effect("a key is revoked with those that it made, and those that they made", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { raw } = yield* createKey({ name: "root of a tree", rule: { role: "Admin" } })
      const make = Effect.fnUntraced(function* (bearer: string, name: string, role: string) {
        const { text } = yield* call("/api/v1/apiKeys", { method: "POST", bearer, body: { name, rule: { role } } })
        return (yield* decodeCreated(text)).key
      })
      const child = yield* make(raw, "branch", "Admin")
      const grandchild = yield* make(child, "leaf", "Viewer")
      const page = yield* Chromium.open(`${url}/${KEYS}?name=root+of+a`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        await chooseAction(page, "root of a tree", "Revoke")
        await page.getByLabel("Type the key's name to confirm").fill("root of a tree")
        await page.getByLabel("Also the 2 keys descended from it").check()
        await page.getByRole("button", { name: "Revoke", exact: true }).click()
        await page.getByRole("dialog").waitFor({ state: "hidden" })
      })
      for (const key of [raw, child, grandchild]) {
        assert.strictEqual((yield* call("/api/v1/whoami", { bearer: key })).status, 401)
      }
    })
  )

  it.effect("of two keys of one name the newer says which one it replaces, in the list and on its page", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { apiKey } = yield* createKey({ name: "twice", rule: { role: "Viewer" } })
      const rotated = yield* call(`/api/v1/apiKeys/${apiKey.id}/rotate`, {
        method: "POST",
        key: "admin",
        body: { grace: "1d" }
      })
      assert.strictEqual(rotated.status, 201)
      const page = yield* Chromium.open(`${url}/${KEYS}`)
      yield* Effect.promise(async () => {
        await signIn(page, rawKey("admin"))
        const origin = page.getByText(`Rotated from ${apiKey.start}…`)
        await origin.waitFor()
        assert.strictEqual(await page.locator(`[data-key="${apiKey.id}"]`).getByText("Rotated from").count(), 0)
        await chooseAction(page, "twice", "Rename or narrow")
        await page.getByRole("heading", { name: "Rename or narrow twice" }).waitFor()
        await origin.waitFor()
      })
    })
  )

  it.effect("the own key is rotated with an end of its own, and the page goes on with the new one", () =>
    Effect.gen(function* () {
      const { call, createKey, url } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "of a person", rule: { role: "Viewer" }, expire: "2d" })
      const page = yield* Chromium.open(`${url}/#/own-key`)
      const rotated = yield* Effect.promise(async () => {
        await signIn(page, raw)
        await page.getByRole("button", { name: "Rotate this key" }).click()
        const dialog = page.getByRole("dialog")
        assert.notInclude(await dialog.getByLabel("Old key stays valid").innerText(), "ends now")
        await dialog.getByLabel("Old key stays valid").selectOption("1h")
        await dialog.getByLabel("Expiry of the new key").selectOption("After a duration")
        await dialog.getByLabel("Valid for").fill("0")
        await dialog.getByRole("button", { name: "Rotate", exact: true }).click()
        await dialog.getByText("Enter a whole number from 1 to 9999").waitFor()
        // No key outlives the one that makes it.
        await dialog.getByLabel("Valid for").fill("30")
        await dialog.getByRole("button", { name: "Rotate", exact: true }).click()
        await dialog.getByRole("alert").getByText("rule_not_contained").waitFor()
        await dialog.getByLabel("Valid for").and(page.locator("[aria-invalid=true]")).waitFor()
        await dialog.getByLabel("Valid for").fill("1")
        await dialog.getByRole("button", { name: "Rotate", exact: true }).click()
        const shown = dialog.getByRole("region", { name: "The key", exact: true }).locator("pre")
        const text = await shown.innerText()
        await dialog.getByRole("button", { name: "Done" }).click()
        await dialog.waitFor({ state: "hidden" })
        return text
      })
      const now = yield* whoami(rotated)
      assert.strictEqual(now.name, "of a person")
      assert.isBelow(Date.parse(now.expiresAt ?? ""), Date.now() + 86_400_000)
      assert.strictEqual((yield* whoami(raw)).status, "expiring")
      const revoked = yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
      assert.strictEqual(revoked.status, 200)
      yield* Effect.promise(async () => {
        await page.getByText(now.id).waitFor()
        await page.reload()
        await page.getByText(now.id).waitFor()
      })
    })
  )

  it.effect("a page that cannot go on with the own new key says so, beside the key", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* Deployment
      const { raw } = yield* createKey({ name: "of a person elsewhere", rule: { role: "Viewer" } })
      const page = yield* Chromium.open(`${url}/#/own-key`)
      const shown = yield* Effect.promise(async () => {
        await signIn(page, raw)
        await page.getByRole("button", { name: "Rotate this key" }).click()
        await page.route("**/api/v1/session", (route) =>
          route.request().method() === "POST" ? route.abort() : route.continue()
        )
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Rotate", exact: true }).click()
        await dialog.getByRole("alert").getByText("This page still uses the old key").waitFor()
        return await dialog.getByRole("region", { name: "The key", exact: true }).locator("pre").innerText()
      })
      assert.strictEqual((yield* whoami(shown)).status, "active")
    })
  )
})

suite("Users > API Keys > the last Admin", Deployment.layer(options), (it) => {
  it.effect("is narrowed and revoked only by one who says so once more", () =>
    Effect.gen(function* () {
      const { call, createKey, keysFile, url } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "the last one", rule: { role: "Admin" } })
      const files = yield* FileSystem.FileSystem
      yield* files.writeFileString(keysFile, "[]")
      yield* eventually(
        "the configured Admin is gone",
        call("/api/v1/whoami", { key: "admin" }),
        ({ status }) => status === 401
      )
      const page = yield* Chromium.open(`${url}/${KEYS}/${apiKey.id}/change`)
      yield* Effect.promise(async () => {
        await signIn(page, raw)
        await page.getByRole("radio", { name: "Viewer" }).check()
        const force = page.getByLabel("Narrow the last Admin anyway")
        assert.strictEqual(await force.count(), 0)
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("alert").getByText("last_admin").waitFor()
        await force.waitFor()
        await page.getByRole("link", { name: "Cancel" }).click()
        await chooseAction(page, "the last one", "Revoke")
        await page.getByLabel("Type the key's name to confirm").fill("the last one")
        const revoke = page.getByRole("button", { name: "Revoke", exact: true })
        await revoke.click()
        await page.getByRole("alert").getByText("last_admin").waitFor()
        await page.getByLabel("Revoke the last Admin anyway").check()
        await revoke.click()
        await page.getByText("You were signed out: your key was revoked").waitFor()
      })
      assert.strictEqual((yield* call("/api/v1/whoami", { bearer: raw })).status, 401)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
