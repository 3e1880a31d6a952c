import { assert, describe, it, layer } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect } from "effect"
import type { Page, Response } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { Deployment, rawKey } from "./Deployment.ts"

const authorize = async (page: Page, key: string): Promise<void> => {
  await page.getByRole("button", { name: "Authorize" }).click()
  await page.getByLabel("auth-bearer-value").fill(key)
  const scheme = page.locator(".auth-container").filter({ hasText: "bearer" })
  await scheme.getByRole("button", { name: "Apply credentials" }).click()
  await scheme.getByRole("button", { name: "Close" }).click()
}

/** Tries the list of clusters, and gives what the server answered once the page shows it. */
const listClusters = async (page: Page): Promise<Response> => {
  const operation = page.locator(".opblock").filter({ hasText: "/api/v1/clusters" })
  await operation.getByRole("button", { name: "/api/v1/clusters" }).first().click()
  await operation.getByRole("button", { name: "Try it out" }).click()
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/api/v1/clusters"))
  await operation.getByRole("button", { name: "Execute" }).click()
  await operation.locator(".live-responses-table .response").waitFor()
  return answered
}

describe("the page at /docs, in a browser", () => {
  Chromium.sayIfLeftOut(it)
  if (!Chromium.runs) return

  layer(Deployment.layer({ driver: Embedded.driver, children: [] }), { excludeTestServices: true })((it) => {
    it.effect("sends the key that its reader authorises with", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const page = yield* Chromium.open(`${url}/docs`)
        const without = yield* Effect.promise(() => listClusters(page))
        assert.strictEqual(without.status(), 401)

        yield* Effect.promise(() => page.reload())
        yield* Effect.promise(() => authorize(page, rawKey("viewer")))
        const reply = yield* Effect.promise(() => listClusters(page))
        assert.strictEqual(reply.status(), 200)
        assert.include(yield* Effect.promise(() => reply.text()), '"name":"hub"')
      })
    )
  })
})
