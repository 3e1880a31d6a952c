import { assert, describe, it, layer } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect, Layer } from "effect"
import { createServer, request, type Server } from "node:http"
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

/** Collects what the page's policy has kept from it. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  await page.exposeFunction("noteViolation", (text: string) => found.push(text))
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    window.noteViolation([event.violatedDirective, event.blockedURI, event.sample, event.sourceFile].join(" ")))`)
  return found
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

/** A proxy that serves an address below a prefix, and nothing else. */
const proxyOf = (prefix: string, to: string) =>
  Effect.callback<Server>((resume) => {
    const server = createServer((incoming, outgoing) => {
      const path = incoming.url ?? ""
      if (!path.startsWith(`${prefix}/`)) return outgoing.writeHead(404).end()
      const forwarded = request(
        to + path.slice(prefix.length),
        { method: incoming.method, headers: incoming.headers },
        (reply) => {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(outgoing)
        }
      )
      forwarded.on("error", () => outgoing.destroy())
      return incoming.pipe(forwarded)
    }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }).pipe(
    (open) =>
      Effect.acquireRelease(open, (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
      ),
    Effect.map((server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    })
  )

describe("the page at /docs, in a browser", () => {
  Chromium.sayIfLeftOut(it)
  if (!Chromium.runs) return

  const deployed = Layer.merge(Deployment.layer({ driver: Embedded.driver, children: [] }), Chromium.Chromium.layer)
  layer(deployed, { excludeTestServices: true })((it) => {
    it.effect("sends the key that its reader authorises with", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const page = yield* Chromium.open(`${url}/docs`)
        const without = yield* Effect.promise(() => listClusters(page))
        assert.strictEqual(without.status(), 401)

        const kept = yield* Effect.promise(() => violations(page))
        const reloaded = yield* Effect.promise(() => page.reload())
        assert.match(reloaded?.headers()["content-security-policy"] ?? "", /^default-src 'none'; script-src 'sha256-/)
        yield* Effect.promise(() => authorize(page, rawKey("viewer")))
        const reply = yield* Effect.promise(() => listClusters(page))
        assert.strictEqual(reply.status(), 200)
        assert.include(yield* Effect.promise(() => reply.text()), '"name":"hub"')
        assert.deepStrictEqual(kept, [])
      })
    )

    it.effect("calls the API beside it, also behind a proxy that takes a prefix off", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const proxy = yield* proxyOf("/fleet", url)
        const page = yield* Chromium.open(`${proxy}/fleet/docs`)
        yield* Effect.promise(() => authorize(page, rawKey("viewer")))
        const reply = yield* Effect.promise(() => listClusters(page))
        assert.strictEqual(new URL(reply.url()).pathname, "/fleet/api/v1/clusters")
        assert.strictEqual(reply.status(), 200)
      })
    )
  })
})
