import { assert, describe, layer } from "@effect/vitest"
import { Fault } from "@quarterdeck/harness"
import { Effect, Layer, Redacted } from "effect"
import { createServer as createHttpServer, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import type { Duplex } from "node:stream"
import type { Cluster } from "../../src/registry/Cluster.ts"
import * as ByteServer from "../fixture/ByteServer.ts"
import { clusterAt } from "../fixture/ClusterAt.ts"
import { EmbeddedCluster, type FaultyCluster } from "../fixture/EmbeddedCluster.ts"
import { ask, facts, onCluster, reasonOf, transport } from "../fixture/TransportCalls.ts"

/** The proxy in front of the cluster has an authority of its own, which is not the cluster's. */
const otherAuthority = ({ embedded, server }: FaultyCluster) => ({ server, caPem: embedded.caPem })

layer(EmbeddedCluster.layer(), { excludeTestServices: true })((it) => {
  describe("trust", () => {
    const refused = (name: string, code: string, problem: "expired" | "notYetValid" | "wrongHost") =>
      it.effect(`${name}: the certificate is refused and no request is sent`, () =>
        onCluster((server) =>
          Effect.gen(function* () {
            yield* server.inject(Fault.staleCertificate({ problem }))
            const reason = yield* reasonOf(server.entered())
            assert.deepStrictEqual(facts(reason), { _tag: "ClusterCertificateInvalid", code })
            assert.strictEqual(server.requests.length, 0)
          })
        )
      )

    refused("an expired certificate", "CERT_HAS_EXPIRED", "expired")
    refused("a certificate of the future", "CERT_NOT_YET_VALID", "notYetValid")
    refused("a certificate for another name", "ERR_TLS_CERT_ALTNAME_INVALID", "wrongHost")

    it.effect("a certificate of another authority is refused", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const other = clusterAt(otherAuthority(server))
          const reason = yield* reasonOf(other)
          assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
        })
      )
    )

    it.effect("without an authority of its own a cluster must be known to the system's roots", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const { certificateAuthority: _, ...bare } = server.entered().connection
          const reason = yield* reasonOf({ ...server.entered(), connection: bare, generation: "bare" })
          assert.deepStrictEqual(facts(reason), {
            _tag: "ClusterCertificateInvalid",
            code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
          })
        })
      )
    )

    it.effect("tls-server-name is the name that is checked", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.staleCertificate({ problem: "wrongHost" }))
          // The name that the wrong certificate is for.
          const { status } = yield* ask(server.entered({ tlsServerName: "elsewhere.example" }))
          assert.strictEqual(status, 200)
        })
      )
    )

    it.effect("insecure-skip-tls-verify takes any certificate", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.staleCertificate({ problem: "expired" }))
          assert.strictEqual((yield* ask(server.entered({ insecureSkipTlsVerify: true }))).status, 200)
        })
      )
    )

    it.effect("a certificate authority that is not PEM is no credential, and says so without quoting it", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const broken = server.entered({
            certificateAuthority: { _tag: "Data", pem: Redacted.make("-----BEGIN rubbish") }
          })
          const reason = yield* reasonOf(broken)
          assert.strictEqual(reason._tag, "ClusterCredentialUnavailable")
          assert.notInclude(reason.message, "rubbish")
        })
      )
    )

    it.effect("a client certificate is presented", () =>
      Effect.gen(function* () {
        const server = yield* ByteServer.start('"certified"')
        const { certificate, key } = yield* Effect.promise(() => server.authority.issue("service"))
        const certified: Cluster = clusterAt(server, {
          credential: {
            _tag: "ClientCertificate",
            certificate: { _tag: "Data", pem: Redacted.make(certificate) },
            key: { _tag: "Data", pem: Redacted.make(key) }
          }
        })
        assert.strictEqual((yield* ask(certified)).body.toString(), '"certified"')
        assert.deepStrictEqual(server.presented, ["service"])
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(transport)))
    )
  })

  describe("proxies", () => {
    /** A forward proxy that tunnels and tells whither. */
    const startProxy = (allow: (authorization: string | undefined) => boolean = () => true) =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const sockets = new Set<Duplex>()
        const server = createHttpServer().on("connect", (request: IncomingMessage, socket: Duplex) => {
          asked.push(request.url ?? "")
          sockets.add(socket)
          socket.on("error", () => socket.destroy())
          if (!allow(request.headers["proxy-authorization"]))
            return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
          const [host = "", port = ""] = (request.url ?? "").split(":")
          const upstream = connect(Number(port), host, () => {
            socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
            upstream.pipe(socket).pipe(upstream)
          })
          upstream.on("error", () => socket.destroy())
          socket.once("close", () => upstream.destroy())
        })
        const port = yield* Effect.acquireRelease(
          Effect.callback<number>((resume) => {
            server.listen(0, "127.0.0.1", () => {
              const address = server.address()
              resume(
                typeof address === "object" && address !== null ? Effect.succeed(address.port) : Effect.die("no port")
              )
            })
          }),
          () =>
            Effect.callback<void>((resume) => {
              server.close(() => resume(Effect.void))
              for (const socket of sockets) socket.destroy()
            })
        )
        return { asked, port }
      })

    it.effect("calls go through the tunnel, over the usual four connections and with the cluster's own trust", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const proxy = yield* startProxy(
            (authorization) => authorization === `Basic ${Buffer.from("me:p@ss").toString("base64")}`
          )
          const proxyUrl = `http://me:p%40ss@127.0.0.1:${proxy.port}/`
          // Whom the calls are made for may do so by a group alone: the cluster answers if it is told of both.
          yield* server.objects.create({
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRoleBinding",
            metadata: { name: "team-b" },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
            subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "b" }]
          })
          const through = server.entered({ proxyUrl, impersonation: { user: "ops", groups: ["a", "b"], extra: {} } })
          yield* Effect.all(
            Array.from({ length: 50 }, () => ask(through)),
            { concurrency: 50 }
          )
          assert.isAtMost((yield* server.connections).made, 4)
          assert.strictEqual(proxy.asked[0], new URL(server.server).host)
          assert.deepStrictEqual(server.requests[0]?.headers["impersonate-group"], ["a", "b"])
          const reason = yield* reasonOf(clusterAt(otherAuthority(server), { proxyUrl }))
          assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
        })
      )
    )

    it.effect("a proxy that refuses leaves the cluster unreachable", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const proxy = yield* startProxy(() => false)
          const reason = yield* reasonOf(server.entered({ proxyUrl: `http://127.0.0.1:${proxy.port}` }))
          assert.strictEqual(reason._tag, "ClusterUnreachable")
          assert.strictEqual((yield* server.connections).made, 0)
        })
      )
    )

    it.effect("proxies of the environment are not asked", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const proxy = yield* startProxy()
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

  describe("identity", () => {
    it.effect("several impersonated groups are sent as several lines", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          // A cluster that takes passwords is none of today.
          yield* server.inject(Fault.fixedReply())
          yield* ask(
            server.entered({
              credential: { _tag: "Basic", username: "jane", password: Redacted.make("pass:word") },
              impersonation: {
                user: "ops",
                uid: "u-1",
                groups: ["dev", "ops, all"],
                extra: { "acme.com/project": ["a", "b"] }
              }
            })
          )
          const headers = server.requests[0]?.headers ?? {}
          assert.deepStrictEqual(headers["authorization"], [
            `Basic ${Buffer.from("jane:pass:word").toString("base64")}`
          ])
          assert.deepStrictEqual(headers["impersonate-user"], ["ops"])
          assert.deepStrictEqual(headers["impersonate-uid"], ["u-1"])
          assert.deepStrictEqual(headers["impersonate-group"], ["dev", "ops, all"])
          assert.deepStrictEqual(headers["impersonate-extra-acme.com%2fproject"], ["a", "b"])
        })
      )
    )
  })
})
