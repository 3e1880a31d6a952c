import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer as createHttpServer, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import type { Duplex } from "node:stream"
import * as ApiServer from "../fixture/ApiServer.ts"
import { makeAuthority } from "../fixture/Certificates.ts"
import { ask, facts, ok, reasonOf, transport } from "../fixture/TransportCalls.ts"

const authority = Effect.promise(() => makeAuthority())

describe("trust", () => {
  const refused = (
    name: string,
    code: string,
    keys: { names?: ReadonlyArray<string>; validDays?: readonly [number, number] }
  ) =>
    it.live(`${name}: the certificate is refused and no request is sent`, () =>
      Effect.gen(function* () {
        const trusted = yield* authority
        const issued = yield* Effect.promise(() => trusted.issue(keys))
        const server = yield* ApiServer.start(ok, { authority: trusted, keys: issued })
        const reason = yield* reasonOf(ApiServer.clusterAt(server, { credential: ApiServer.token("secret") }))
        assert.deepStrictEqual(facts(reason), { _tag: "ClusterCertificateInvalid", code })
        assert.strictEqual(server.requests.length, 0)
      }).pipe(Effect.scoped, Effect.provide(transport))
    )

  refused("an expired certificate", "CERT_HAS_EXPIRED", { validDays: [-3, -2] })
  refused("a certificate of the future", "CERT_NOT_YET_VALID", { validDays: [2, 3] })
  refused("a certificate for another name", "ERR_TLS_CERT_ALTNAME_INVALID", { names: ["elsewhere.test"] })

  it.live("a certificate of another authority is refused", () =>
    Effect.gen(function* () {
      const other = yield* authority
      const server = yield* ApiServer.start(ok)
      const reason = yield* reasonOf(ApiServer.clusterAt({ url: server.url, authority: other }))
      assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("without an authority of its own a cluster must be known to the system's roots", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      const { certificateAuthority: _, ...bare } = ApiServer.clusterAt(server).connection
      const reason = yield* reasonOf({ ...ApiServer.clusterAt(server), connection: bare, generation: "bare" })
      assert.deepStrictEqual(facts(reason), {
        _tag: "ClusterCertificateInvalid",
        code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
      })
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("tls-server-name is the name that is checked", () =>
    Effect.gen(function* () {
      const trusted = yield* authority
      const keys = yield* Effect.promise(() => trusted.issue({ names: ["kubernetes.internal"] }))
      const server = yield* ApiServer.start(ok, { authority: trusted, keys })
      const { status } = yield* ask(ApiServer.clusterAt(server, { tlsServerName: "kubernetes.internal" }))
      assert.strictEqual(status, 200)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("insecure-skip-tls-verify takes any certificate", () =>
    Effect.gen(function* () {
      const trusted = yield* authority
      const keys = yield* Effect.promise(() => trusted.issue({ validDays: [-3, -2] }))
      const server = yield* ApiServer.start(ok, { authority: trusted, keys })
      assert.strictEqual((yield* ask(ApiServer.clusterAt(server, { insecureSkipTlsVerify: true }))).status, 200)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("a certificate authority that is not PEM is no credential, and says so without quoting it", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      const broken = ApiServer.clusterAt(server, {
        certificateAuthority: { _tag: "Data", pem: Redacted.make("-----BEGIN rubbish") }
      })
      const reason = yield* reasonOf(broken)
      assert.strictEqual(reason._tag, "ClusterCredentialUnavailable")
      assert.notInclude(reason.message, "rubbish")
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("a client certificate is presented", () =>
    Effect.gen(function* () {
      const trusted = yield* authority
      const server = yield* ApiServer.start(
        (_seen, response) => {
          ApiServer.json(response, 200, "certified")
        },
        { authority: trusted, tls: { requestCert: true, rejectUnauthorized: true, ca: trusted.pem } }
      )
      const { certificate, key } = yield* Effect.promise(() => trusted.issue({ commonName: "service" }))
      const certified = ApiServer.clusterAt(server, {
        credential: {
          _tag: "ClientCertificate",
          certificate: { _tag: "Data", pem: Redacted.make(certificate) },
          key: { _tag: "Data", pem: Redacted.make(key) }
        }
      })
      assert.strictEqual((yield* ask(certified)).body.toString(), '"certified"')
    }).pipe(Effect.scoped, Effect.provide(transport))
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

  it.live("calls go through the tunnel, over the usual four connections and with the cluster's own trust", () =>
    Effect.gen(function* () {
      const proxy = yield* startProxy(
        (authorization) => authorization === `Basic ${Buffer.from("me:p@ss").toString("base64")}`
      )
      const server = yield* ApiServer.start(ok)
      const cluster = ApiServer.clusterAt(server, {
        proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}/`,
        impersonation: { user: "ops", groups: ["a", "b"], extra: {} }
      })
      yield* Effect.all(
        Array.from({ length: 50 }, () => ask(cluster)),
        { concurrency: 50 }
      )
      assert.isAtMost(server.connections().made, 4)
      assert.strictEqual(proxy.asked[0], `127.0.0.1:${server.port}`)
      assert.deepStrictEqual(server.requests[0]?.headers["impersonate-group"], ["a", "b"])
      const other = yield* authority
      const reason = yield* reasonOf(
        ApiServer.clusterAt(
          { url: server.url, authority: other },
          { proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}/` }
        )
      )
      assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("a proxy that refuses leaves the cluster unreachable", () =>
    Effect.gen(function* () {
      const proxy = yield* startProxy(() => false)
      const server = yield* ApiServer.start(ok)
      const reason = yield* reasonOf(ApiServer.clusterAt(server, { proxyUrl: `http://127.0.0.1:${proxy.port}` }))
      assert.strictEqual(reason._tag, "ClusterUnreachable")
      assert.strictEqual(server.connections().made, 0)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("proxies of the environment are not asked", () =>
    Effect.gen(function* () {
      const proxy = yield* startProxy()
      const server = yield* ApiServer.start(ok)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env["HTTPS_PROXY"] = `http://127.0.0.1:${proxy.port}`
        }),
        () =>
          Effect.sync(() => {
            delete process.env["HTTPS_PROXY"]
          })
      )
      assert.strictEqual((yield* ask(ApiServer.clusterAt(server))).status, 200)
      assert.deepStrictEqual(proxy.asked, [])
    }).pipe(Effect.scoped, Effect.provide(transport))
  )
})

describe("identity", () => {
  it.live("several impersonated groups are sent as several lines", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      yield* ask(
        ApiServer.clusterAt(server, {
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
      assert.deepStrictEqual(headers["authorization"], [`Basic ${Buffer.from("jane:pass:word").toString("base64")}`])
      assert.deepStrictEqual(headers["impersonate-user"], ["ops"])
      assert.deepStrictEqual(headers["impersonate-uid"], ["u-1"])
      assert.deepStrictEqual(headers["impersonate-group"], ["dev", "ops, all"])
      assert.deepStrictEqual(headers["impersonate-extra-acme.com%2fproject"], ["a", "b"])
    }).pipe(Effect.scoped, Effect.provide(transport))
  )
})
