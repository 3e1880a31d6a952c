import { assert, describe, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { createServer } from "node:net"
import { clusterAt } from "../fixture/ClusterAt.ts"
import { EmbeddedCluster, type FaultyCluster } from "../fixture/EmbeddedCluster.ts"
import { listen } from "../fixture/Listening.ts"
import * as Proxies from "../fixture/Proxies.ts"
import { ask, onCluster, reasonOf } from "../fixture/TransportCalls.ts"

/** The authority of the cluster behind the faults, which does not sign for what stands in front of it. */
const otherAuthority = ({ embedded, server }: FaultyCluster) => ({ server, caPem: embedded.caPem })

const BASIC = `Basic ${Buffer.from("me:p@ss").toString("base64")}`

/** Each kind of proxy, without a user and with one. */
const KINDS = [
  ["http", Proxies.startHttp(), ""],
  ["http", Proxies.startHttp((authorization) => authorization === BASIC), "me:p%40ss@"],
  ["socks5", Proxies.startSocks(), ""],
  ["socks5h", Proxies.startSocks("me:p@ss"), "me:p%40ss@"]
] as const

layer(EmbeddedCluster.layer(), { excludeTestServices: true })((it) => {
  describe("a proxy-url", () => {
    it.effect.each(KINDS)(
      "%s: calls go through the tunnel, over the usual four connections and with the cluster's own trust (%#)",
      ([scheme, start, user]) =>
        onCluster((server) =>
          Effect.gen(function* () {
            const proxy = yield* start
            const proxyUrl = `${scheme}://${user}127.0.0.1:${proxy.port}/`
            const through = server.entered({ proxyUrl })
            yield* Effect.all(
              Array.from({ length: 50 }, () => ask(through)),
              { concurrency: 50 }
            )
            assert.isAtMost((yield* server.connections).made, 4)
            assert.strictEqual(proxy.asked[0], new URL(server.server).host)
            const reason = yield* reasonOf(clusterAt(otherAuthority(server), { proxyUrl }))
            assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
          })
        )
    )

    it.effect.each([
      ["http", Proxies.startHttp(() => false), "PROXY_AUTHENTICATION_REQUIRED"],
      ["socks5", Proxies.startSocks("me:other"), "UNKNOWN"]
    ] as const)("%s: a proxy that refuses leaves the cluster unreachable", ([scheme, start, code]) =>
      onCluster((server) =>
        Effect.gen(function* () {
          const proxy = yield* start
          const reason = yield* reasonOf(server.entered({ proxyUrl: `${scheme}://me:p%40ss@127.0.0.1:${proxy.port}` }))
          assert.deepInclude(reason, { _tag: "ClusterUnreachable", code })
          assert.strictEqual((yield* server.connections).made, 0)
        })
      )
    )

    it.effect.each(["http", "socks5"])("%s: a proxy that hangs up leaves the cluster unreachable", (scheme) =>
      onCluster((server) =>
        Effect.gen(function* () {
          let connections = 0
          const port = yield* listen(
            createServer((socket) => {
              connections++
              socket.destroy()
            })
          )
          const reason = yield* reasonOf(server.entered({ proxyUrl: `${scheme}://127.0.0.1:${port}` }))
          assert.strictEqual(reason._tag, "ClusterUnreachable")
          assert.isAtMost(connections, 4)
        })
      )
    )

    it.effect.each(["http", "socks5"])("%s: a registered cluster's proxy keeps to the address rule", (scheme) =>
      onCluster((server) =>
        Effect.gen(function* () {
          const start: Effect.Effect<Proxies.Proxy, never, Scope.Scope> =
            scheme === "http" ? Proxies.startHttp() : Proxies.startSocks()
          const proxy = yield* start
          const proxyUrl = `${scheme}://127.0.0.1:${proxy.port}`
          const refused = server.entered({ proxyUrl, addressRule: { allowLoopback: false } })
          assert.deepInclude(yield* reasonOf(refused), { _tag: "ClusterUnreachable", code: "ADDRESS_FORBIDDEN" })
          assert.deepStrictEqual(proxy.asked, [])
          const allowed = server.entered({ proxyUrl, addressRule: { allowLoopback: true } })
          assert.strictEqual((yield* ask(allowed)).status, 200)
        })
      )
    )

    it.effect("is the only proxy: the transport does not read the environment", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const proxy = yield* Proxies.startHttp()
          yield* Effect.acquireRelease(
            Effect.sync(() => {
              process.env["HTTPS_PROXY"] = `http://127.0.0.1:${proxy.port}`
            }),
            () =>
              Effect.sync(() => {
                delete process.env["HTTPS_PROXY"]
              })
          )
          assert.strictEqual((yield* ask(server.entered())).status, 200)
          assert.deepStrictEqual(proxy.asked, [])
        })
      )
    )
  })
})
