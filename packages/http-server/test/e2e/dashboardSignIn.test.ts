import { assert, describe, it, layer } from "@effect/vitest"
import { Embedded, eventually } from "@quarterdeck/harness"
import { Effect, Layer } from "effect"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Deployment } from "./Deployment.ts"

describe("signing in, in a browser", () => {
  Chromium.sayIfLeftOut(it)
  if (!Chromium.runs) return

  layer(Layer.merge(Deployment.layer({ driver: Embedded.driver, children: [] }), Chromium.Chromium.layer), {
    excludeTestServices: true,
    timeout: "120 seconds"
  })((it) => {
    it.effect("a late answer that nobody is signed in does not undo a sign-in", () =>
      Effect.gen(function* () {
        const { createKey, url } = yield* Deployment
        const { raw } = yield* createKey({ name: "of a person on a slow line", rule: { role: "Viewer" } })
        const page = yield* Chromium.open(`${url}/#/own-key`)
        const signedIn = Promise.withResolvers<void>()
        const late = yield* Effect.promise(async () => {
          await page.getByLabel("API key", { exact: true }).waitFor()
          const seen: Array<Promise<void>> = []
          await page.route("**/api/v1/session", async (route) => {
            if (route.request().method() !== "GET" || seen.length > 0) return route.continue()
            const response = await route.fetch()
            seen.push(signedIn.promise.then(() => route.fulfill({ response })))
            return undefined
          })
          return seen
        })
        // As when its reader comes back to the page, to sign in.
        yield* eventually(
          "the page asks again who is signed in",
          Effect.promise(() =>
            page.evaluate<unknown>('void document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
          ),
          () => late.length > 0
        )
        yield* Effect.promise(async () => {
          await signIn(page, raw)
          const own = page.getByRole("heading", { name: "Your key", exact: true })
          await own.waitFor()
          const asked = page.waitForResponse(
            (reply) => reply.url().endsWith("/api/v1/session") && reply.status() === 200
          )
          signedIn.resolve()
          await Promise.all(late)
          await Promise.race([asked, page.getByRole("button", { name: "Sign in" }).waitFor()])
          assert.isTrue(await own.isVisible(), await page.locator("body").innerText())
        })
      })
    )

    it.effect("takes a pasted header for its key, says the bound of a longer text, and reaches another tab", () =>
      Effect.gen(function* () {
        const { createKey, url } = yield* Deployment
        const { raw } = yield* createKey({ name: "of a person with two tabs", rule: { role: "Viewer" } })
        const page = yield* Chromium.open(`${url}/#/own-key`)
        yield* Effect.promise(async () => {
          const other = await page.context().newPage()
          await other.goto(`${url}/#/own-key`)
          await other.getByRole("button", { name: "Sign in" }).waitFor()
          const field = page.getByLabel("API key", { exact: true })
          await field.fill("k".repeat(5_000))
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByText("it has 5,000 bytes, and a key has at most 4,086").waitFor()
          await field.fill(`Bearer ${raw}`)
          assert.strictEqual(await field.inputValue(), raw)
          await page.getByRole("button", { name: "Sign in" }).click()
          for (const tab of [page, other]) {
            await tab.getByRole("heading", { name: "Your key", exact: true }).waitFor()
          }
        })
      })
    )
  })
})
