import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { serve } from "@hono/node-server"
import { routes } from "@quarterdeck/example-embed-in-effect/app"
import { makeApp } from "@quarterdeck/example-embed-in-hono/app"
import { Embedded, eventually, Fleet } from "@quarterdeck/harness"
import { type Options, Quarterdeck } from "@quarterdeck/http-server"
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { HttpRouter } from "effect/http"
import express from "express"
import { createHash } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

const KEY = "mounting-test-key-0123456789"

/** A host with the service mounted below `/quarterdeck`. */
class Host extends Context.Service<Host, { readonly url: string }>()("@quarterdeck/example-mounting/Host") {}

/** Options of a deployment with one cluster and one key. */
const deployment = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-mounting-" })
  const at = (name: string) => path.join(directory, name)
  yield* files.writeFileString(at("kubeconfig.yaml"), fleet.kubeconfig)
  const hash = createHash("sha256").update(KEY).digest("hex")
  yield* files.writeFileString(at("keys.yaml"), JSON.stringify([{ name: "test", hash, rule: { role: "Viewer" } }]))
  const options: Options = {
    clusters: { kubeconfig: [at("kubeconfig.yaml")], parent: "hub" },
    keys: { file: at("keys.yaml") },
    dataDirectory: at("data")
  }
  return options
})

const started = Effect.flatMap(deployment, (options) =>
  Effect.acquireRelease(
    Effect.promise(() => Quarterdeck.start(options)),
    (quarterdeck) => Effect.promise(quarterdeck.dispose)
  )
)

/** Waits until a server listens, and closes it with the scope. */
const listening = (open: () => Server) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = open()
      server.once("listening", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return { url: `http://127.0.0.1:${isInet(address) ? address.port : 0}` }
    })
  )

const isInet = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === "object" && address !== null

const inExpress = Layer.effect(
  Host,
  Effect.gen(function* () {
    const quarterdeck = yield* started
    const app = express()
    app.get("/", (_request, response) => response.send("an application of its own"))
    app.use("/quarterdeck", quarterdeck.nodeHandler)
    return yield* listening(() => app.listen(0, "127.0.0.1"))
  })
)

const inHono = Layer.effect(
  Host,
  Effect.gen(function* () {
    const app = makeApp(yield* started)
    return yield* listening(() => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", createServer })
      if ("closeAllConnections" in server) return server
      throw new Error("Hono opens an HTTP/1.1 server unless it is told otherwise")
    })
  })
)

const inEffect = Layer.effect(
  Host,
  Effect.gen(function* () {
    const options = yield* deployment
    const server = createServer()
    yield* Layer.build(
      HttpRouter.serve(routes(options), { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" }))
      )
    )
    const address = server.address()
    return { url: `http://127.0.0.1:${isInet(address) ? address.port : 0}` }
  })
)

const decodeDocument = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ servers: Schema.Array(Schema.Struct({ url: Schema.String })) }))
)

const get = Effect.fnUntraced(function* (
  path: string,
  init: RequestInit = { headers: { authorization: `Bearer ${KEY}` } }
) {
  const { url } = yield* Host
  const response = yield* Effect.promise((signal) => fetch(`${url}${path}`, { ...init, signal }))
  const text = yield* Effect.promise(() => response.text())
  return { status: response.status, url: response.url, text, headers: response.headers }
})

describe.each([
  ["Express", inExpress],
  ["Hono", inHono],
  ["Effect", inEffect]
] as const)("mounted in %s", (_name, host) => {
  layer(host.pipe(Layer.provide(NodeServices.layer), Layer.orDie), { excludeTestServices: true })((it) => {
    it.effect("answers below its prefix, and leaves the rest to the application", () =>
      Effect.gen(function* () {
        yield* eventually("the service is ready", get("/quarterdeck/readyz", {}), ({ status }) => status === 200)
        const clusters = yield* get("/quarterdeck/api/v1/clusters")
        assert.strictEqual(clusters.status, 200)
        assert.include(clusters.text, '"name":"hub"')
        assert.strictEqual((yield* get("/")).text, "an application of its own")
      })
    )

    it.effect("says in its document where it is", () =>
      Effect.gen(function* () {
        const document = yield* get("/quarterdeck/openapi.json", {})
        const { servers } = yield* decodeDocument(document.text)
        assert.deepStrictEqual(servers, [{ url: "/quarterdeck" }])
      })
    )

    it.effect("serves its pages below its prefix, whose files they name relative to themselves", () =>
      Effect.gen(function* () {
        const page = yield* get("/quarterdeck/", {})
        assert.strictEqual(page.status, 200)
        assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; /)
        assert.strictEqual(page.headers.get("cache-control"), "no-store")
        const [, script = ""] = /src="\.(\/assets\/[^"]+\.js)"/.exec(page.text) ?? []
        const asset = yield* get(`/quarterdeck${script}`, { headers: { "accept-encoding": "gzip" } })
        assert.strictEqual(asset.status, 200)
        assert.strictEqual(asset.headers.get("content-type"), "text/javascript; charset=utf-8")
        assert.strictEqual(asset.headers.get("content-encoding"), "gzip")
        assert.include(asset.headers.get("cache-control"), "immutable")
        const withoutSlash = yield* get("/quarterdeck", {})
        assert.strictEqual(withoutSlash.url, page.url)
      })
    )

    it.effect("refuses below its prefix as it does alone", () =>
      Effect.gen(function* () {
        const unknown = yield* get("/quarterdeck/api/v1/nothing", {})
        assert.strictEqual(unknown.status, 401)
        assert.match(unknown.headers.get("www-authenticate") ?? "", /^Bearer/)
        assert.strictEqual((yield* get("/quarterdeck/api/v1/nothing")).status, 404)
        const wrongMethod = yield* get("/quarterdeck/api/v1/workloads", {
          method: "DELETE",
          headers: { authorization: `Bearer ${KEY}` }
        })
        assert.deepStrictEqual([wrongMethod.status, wrongMethod.headers.get("allow")], [405, "GET, HEAD"])
        assert.notStrictEqual((yield* get("/api/v1/clusters")).status, 200)
      })
    )

    it.effect("refuses two credentials", () =>
      Effect.gen(function* () {
        const twice = yield* get("/quarterdeck/api/v1/clusters", {
          headers: [
            ["authorization", `Bearer ${KEY}`],
            ["authorization", `Bearer ${KEY}`]
          ]
        })
        assert.strictEqual(twice.status, 400)
      })
    )
  })
})
