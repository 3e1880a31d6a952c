import { assert, describe, it, layer } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Context, Effect, FileSystem, Layer, Logger, Path, Schema } from "effect"
import { createHash } from "node:crypto"
import { NodeServices } from "@effect/platform-node"
import type { Page } from "playwright-core"
import { parse } from "yaml"
import { DashboardPage } from "../../src/http/pages/DashboardRoute.ts"
import * as Chromium from "./Chromium.ts"
import { addTags, chooseAction, fill, pages, prepare, signIn, SIZES, tabTo } from "./DashboardWalk.ts"
import { Deployment, rawKey, to } from "./Deployment.ts"
import { auditOf } from "./PageAudit.ts"
import { remainsOf } from "./PageRemains.ts"

/** What the server has logged, as an operator would read it. */
const log: Array<string> = []
const logging = Context.make(
  Logger.CurrentLoggers,
  new Set([Logger.map(Logger.formatLogFmt, (line) => log.push(line))])
)

/** What the preview says: each cluster with the namespaces that stand under it. */
const previewOf = async (page: Page): Promise<ReadonlyArray<readonly [string, ReadonlyArray<string>]>> => {
  const clusters = await page.locator("[data-cluster]").all()
  return Promise.all(
    clusters.map(async (cluster) => [
      (await cluster.getAttribute("data-cluster")) ?? "",
      await cluster.getByRole("listitem").allInnerTexts()
    ])
  )
}

/** What a key's holder is told of it, as it stands in the reply. */
const whoami = Effect.fnUntraced(function* (bearer: string) {
  const { text } = yield* (yield* Deployment).call("/api/v1/whoami", { bearer })
  return yield* decodeWhoami(text)
})

const decodeWhoami = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({ id: Schema.String, expiresAt: Schema.optionalKey(Schema.String), rule: Schema.Unknown })
  )
)

/** What stands under a heading of the page that shows a new key. */
const shown = (page: Page, name: string): Promise<string> =>
  page.getByRole("region", { name, exact: true }).locator("pre").innerText()

const shownKey = (page: Page): Promise<string> => shown(page, "The key")

describe("the dashboard, in a browser", () => {
  Chromium.sayIfLeftOut(it)
  if (!Chromium.runs) return

  layer(
    Layer.effectDiscard(prepare).pipe(
      Layer.orDie,
      Layer.provideMerge(Deployment.layer({ driver: Embedded.driver, prepare: fill, limits: logging })),
      Layer.merge(NodeServices.layer),
      Layer.merge(Chromium.Chromium.layer)
    ),
    { excludeTestServices: true }
  )((it) => {
    it.effect(
      "a key made in the page reaches what its preview promised, is rotated, and revoked signs its page out and is gone",
      () =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const admin = yield* Chromium.open(`${deployment.url}/#/users/api-keys`)
          const { helm, preview, raw } = yield* Effect.promise(async () => {
            await signIn(admin, rawKey("admin"))
            await admin.getByRole("link", { name: "Create API Key" }).click()
            await admin.getByLabel("Name", { exact: true }).fill("storefront on call")
            await admin.getByLabel("Only these", { exact: true }).check()
            await addTags(admin, "Cluster names", ["prod", "stage", "later"])
            await admin.getByLabel("Only namespaces with these names or labels").check()
            await addTags(admin, "Namespace labels", ["team=storefront"])
            await admin.locator("[data-cluster=later]").waitFor()
            const preview = await previewOf(admin)
            await admin.getByRole("button", { name: "Create key" }).click()
            const made = admin.getByRole("heading", { name: "storefront on call was created" })
            await made.or(admin.getByRole("alert")).first().waitFor()
            assert.isTrue(await made.isVisible(), await admin.locator("body").innerText())
            const helm = await shown(admin, "Helm values, for another deployment")
            return { helm, preview, raw: await shownKey(admin) }
          })

          const reached = yield* deployment.namespaces("", { bearer: raw, headers: to("*") })
          assert.isAbove(reached.namespaces.length, 1)
          const { expiresAt, rule } = yield* whoami(raw)
          const entry = {
            name: "storefront on call",
            hash: createHash("sha256").update(raw).digest("hex"),
            expire: expiresAt?.replace(/\.\d+Z$/, "Z"),
            rule
          }
          assert.deepStrictEqual(parse(helm), { apiKeys: { keys: [entry] } })
          assert.deepStrictEqual(
            preview,
            ["prod", "stage", "later"].map((name) => [
              name,
              reached.namespaces.filter(({ cluster }) => cluster === name).map((namespace) => namespace.name)
            ])
          )

          // Outside of its rule: a cluster, what its role may not, a namespace.
          const inShop = { headers: to("prod"), bearer: raw }
          assert.strictEqual((yield* deployment.call("/api/v1/workloads", inShop)).status, 200)
          const keys = { method: "POST", bearer: raw, body: { name: "more", rule: { role: "Viewer" } } }
          const [parent, made, platform] = yield* Effect.all([
            deployment.call("/api/v1/workloads", { bearer: raw, headers: to("hub") }),
            deployment.call("/api/v1/apiKeys", keys),
            deployment.call("/api/v1/workloads?namespace=platform", inShop)
          ])
          assert.deepStrictEqual([parent.status, made.status, platform.status], [403, 403, 403])

          const old = (yield* deployment.apiKeys("?name=storefront", { key: "admin" })).apiKeys.find(
            ({ name }) => name === "storefront on call"
          )
          const rotated = yield* Effect.promise(async () => {
            await admin.getByRole("link", { name: "Done" }).click()
            await chooseAction(admin, "storefront on call", "Rotate")
            await admin.getByLabel("Old key stays valid").selectOption("1h")
            await admin.getByRole("button", { name: "Rotate", exact: true }).click()
            const rotated = await shownKey(admin)
            await admin.getByRole("button", { name: "Done" }).click()
            await admin.locator(`[data-key="${old?.id}"]`).getByText("expiring", { exact: true }).waitFor()
            return rotated
          })
          const { id } = yield* whoami(rotated)
          for (const key of [raw, rotated]) assert.deepStrictEqual((yield* whoami(key)).rule, rule)

          const holder = yield* Chromium.open(`${deployment.url}/#/own-key`)
          yield* Effect.promise(async () => {
            await signIn(holder, rotated)
            await holder.getByRole("heading", { name: "Your key" }).waitFor()
            // The audit has what the key did and was refused, and its rotation; the page of the key that did it shows both.
            await chooseAction(admin, "storefront on call", "Audit events", old?.id)
            const events = admin.locator("[data-event]")
            await events.getByText("403 cluster_forbidden").waitFor()
            await events.getByText("403 role_forbidden").waitFor()
            await admin.getByRole("button", { name: "Clear" }).click()
            await admin.getByLabel("Resource", { exact: true }).selectOption("apiKeys")
            await events.filter({ hasText: "Created API key" }).filter({ hasText: "201" }).first().waitFor()
            await events.filter({ hasText: "Rotated API key storefront on call" }).filter({ hasText: "201" }).waitFor()
            await admin.getByRole("link", { name: "API Keys" }).click()
            await chooseAction(admin, "storefront on call", "Revoke", id)
            await admin.getByLabel("Type the key's name to confirm").fill("storefront on call")
            const revoked = admin.waitForResponse((response) => response.request().method() === "DELETE")
            await admin.getByRole("button", { name: "Revoke", exact: true }).click()
            assert.strictEqual((await revoked).status(), 200)
            await holder.getByText("You were signed out: your key was revoked").waitFor({ timeout: 5_000 })
          })
          assert.strictEqual((yield* deployment.call("/api/v1/whoami", { bearer: rotated })).status, 401)

          const files = yield* FileSystem.FileSystem
          const path = yield* Path.Path
          const remains = yield* Effect.promise(() => Promise.all([admin, holder].map(remainsOf)))
          assert.isTrue(log.some((line) => line.includes("/api/v1/session")))
          for (const key of [raw, rotated]) assert.notInclude([...remains, ...log].join("\n"), key)
          for (const name of yield* files.readDirectory(deployment.dataDirectory, { recursive: true })) {
            const file = path.join(deployment.dataDirectory, name)
            // The server goes on: a file that takes another's place has its name for a moment only.
            const bytes = yield* files.readFile(file).pipe(
              Effect.map((content) => Buffer.from(content).toString("latin1")),
              Effect.catchIf(
                ({ reason }) => reason._tag === "NotFound" || reason._tag === "BadResource",
                () => Effect.succeed("")
              )
            )
            for (const key of [raw, rotated]) assert.notInclude(bytes, key, name)
          }
        })
    )

    it.effect("a key is made by keyboard alone", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const page = yield* Chromium.open(`${deployment.url}/#/users/api-keys`)
        const raw = yield* Effect.promise(async () => {
          const { keyboard } = page
          await tabTo(page, "textbox", "API key")
          await keyboard.type(rawKey("admin"))
          await keyboard.press("Enter")
          await tabTo(page, "link", "Create API Key")
          await keyboard.press("Enter")
          await tabTo(page, "textbox", "Name")
          await keyboard.type("by keyboard")
          await tabTo(page, "radio", "Viewer")
          await keyboard.press("ArrowDown")
          await tabTo(page, "radio", "Every cluster, including those registered later")
          await keyboard.press("ArrowDown")
          await tabTo(page, "combobox", "Cluster names")
          await keyboard.type("prod")
          await keyboard.press("Enter")
          await tabTo(page, "radio", "Every namespace")
          await keyboard.press("ArrowDown")
          await tabTo(page, "combobox", "Namespace names")
          await keyboard.type("shop")
          await keyboard.press("Enter")
          await tabTo(page, "textbox", "Valid for")
          await keyboard.press("Control+A")
          await keyboard.type("7")
          await tabTo(page, "button", "Create key")
          await keyboard.press("Enter")
          await tabTo(page, "button", "Copy the key")
          const raw = await shownKey(page)
          await tabTo(page, "link", "Done")
          await keyboard.press("Enter")
          await page.getByRole("heading", { name: "API Keys" }).waitFor()
          return raw
        })
        const { text } = yield* deployment.call("/api/v1/whoami", { bearer: raw })
        assert.deepInclude(JSON.parse(text), {
          name: "by keyboard",
          rule: { role: "Operator", targetClusters: ["prod"], targetNamespaces: [{ namespaceNames: ["shop"] }] },
          status: "expiring"
        })
      })
    )

    it.effect("a form that is not complete says what is missing, where it is missing", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const page = yield* Chromium.open(`${url}/#/users/api-keys`)
        yield* Effect.promise(async () => {
          await signIn(page, rawKey("admin"))
          await page.getByRole("link", { name: "Create API Key" }).click()
          await page.getByLabel("Only these", { exact: true }).check()
          await page.getByRole("button", { name: "Create key" }).click()
          await page.getByText("Enter a name for the key").waitFor()
          await page.getByText("Enter a cluster, or choose every cluster").waitFor()
          await page.locator("[aria-invalid=true]:focus").waitFor()
          await page.getByLabel("Name", { exact: true }).fill("too long")
          await page.getByLabel("Every cluster, including those registered later").check()
          await page.getByLabel("Valid for").fill("99")
          await page.getByLabel("Unit").selectOption("y")
          await page.getByRole("button", { name: "Create key" }).click()
          await page.getByText("lies beyond the longest lifetime").first().waitFor()
        })
      })
    )

    it.effect("a mistyped key is told from an unknown one", () =>
      Effect.gen(function* () {
        const { createKey, url } = yield* Deployment
        const { raw } = yield* createKey({ name: "typed", rule: { role: "Viewer" } })
        const page = yield* Chromium.open(`${url}/#/own-key`)
        yield* Effect.promise(async () => {
          await signIn(page, raw.slice(0, -1) + (raw.endsWith("0") ? "1" : "0"))
          await page.getByText("with a mistyped character").waitFor()
          await page.getByText("invalid_key").waitFor()
          await signIn(page, raw)
          await page.getByRole("heading", { name: "Your key" }).waitFor()
        })
      })
    )

    for (const [index, [size, viewport]] of SIZES.entries()) {
      const colorScheme = index === 0 ? "dark" : "light"
      it.effect(
        `axe finds nothing serious at ${size} pixels, ${colorScheme}, and the pages keep to their policy and server`,
        () =>
          Effect.gen(function* () {
            const { url } = yield* Deployment
            const page = yield* Chromium.open("about:blank")
            yield* Effect.promise(async () => {
              await page.setViewportSize(viewport)
              await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
              assert.deepStrictEqual(await auditOf(page, url, pages(page, url)), [])
            })
          })
      )
    }
  })

  layer(
    Deployment.layer({
      driver: Embedded.driver,
      children: [],
      limits: Context.make(DashboardPage, "/nowhere/index.html")
    }),
    { excludeTestServices: true }
  )("that was not built", (it) => {
    it.effect("says how it is built", () =>
      Effect.gen(function* () {
        const { status, text } = yield* (yield* Deployment).call("/", { key: null })
        assert.strictEqual(status, 503)
        assert.include(text, "pnpm dashboard:build")
      })
    )
  })
})
