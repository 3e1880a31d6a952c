import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FileSystem, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { TLSSocket } from "node:tls"
import type { Cluster, Credential } from "../../../src/registry/Cluster.ts"
import { Transport, type TransportRequest } from "../../../src/kube/Transport.ts"
import * as ApiServer from "../../fixture/ApiServer.ts"
import { makeAuthority } from "../../fixture/Certificates.ts"
import * as Plugin from "../../fixture/Plugin.ts"
import { eventually } from "../../fixture/Waiting.ts"

const pods: TransportRequest = { method: "GET", path: "/api/v1/pods", action: { verb: "list", resource: "pods" } }
const call = (cluster: Cluster) => Transport.use((service) => service.call(cluster, pods))
const reasonOf = (cluster: Cluster) =>
  call(cluster).pipe(
    Effect.flip,
    Effect.map((error) => error.reason)
  )

/** The clock stands still, so that what is believed for a time is believed until the test says otherwise. */
const still = <A, E>(effect: Effect.Effect<A, E, Transport | NodeServices.NodeServices | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(Layer.fresh(Transport.layer)), Effect.provide(NodeServices.layer))

/** Takes one bearer token, which the test may change. */
const serving = (accepts: () => string) =>
  ApiServer.start(({ headers }, response) => {
    const isGood = headers["authorization"]?.[0] === `Bearer ${accepts()}`
    ApiServer.json(response, isGood ? 200 : 401, isGood ? {} : ApiServer.status(401, "Unauthorized", "Unauthorized"))
  })

const exec = (plugin: Extract<Credential, { _tag: "Exec" }>["plugin"]): Credential => ({ _tag: "Exec", plugin })

/** Prints `token-1`, `token-2` and so on. */
const COUNTING = `const count = fs.readFileSync(directory + "/runs", "utf8").split("\\n").length - 1`

describe("token files", () => {
  it.effect("a rotated token is used once the old reading is two seconds old", () =>
    still(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = `${yield* files.makeTempDirectoryScoped()}/token`
        yield* files.writeFileString(path, "old\n")
        const server = yield* ApiServer.start((_seen, response) => ApiServer.json(response, 200, {}))
        const cluster = ApiServer.clusterAt(server, { credential: { _tag: "TokenFile", path } })
        yield* call(cluster)
        yield* files.writeFileString(path, "new\n")
        yield* call(cluster)
        yield* TestClock.adjust("2 seconds")
        yield* call(cluster)
        const sent = server.requests.map(({ headers }) => headers["authorization"]?.[0])
        assert.deepStrictEqual(sent, ["Bearer old", "Bearer old", "Bearer new"])
        assert.strictEqual(server.connections().made, 1)
      })
    )
  )

  it.effect("a token that is refused is read again at once", () =>
    still(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = `${yield* files.makeTempDirectoryScoped()}/token`
        yield* files.writeFileString(path, "old")
        let accepted = "old"
        const server = yield* serving(() => accepted)
        const cluster = ApiServer.clusterAt(server, { credential: { _tag: "TokenFile", path } })
        yield* call(cluster)
        yield* files.writeFileString(path, "new")
        accepted = "new"
        assert.strictEqual((yield* call(cluster)).status, 200)
        assert.strictEqual(server.requests.length, 3)
      })
    )
  )

  it.effect("a missing file is no credential, and no request is sent without it", () =>
    still(
      Effect.gen(function* () {
        const server = yield* serving(() => "any")
        const reason = yield* reasonOf(
          ApiServer.clusterAt(server, { credential: { _tag: "TokenFile", path: "/nowhere/token" } })
        )
        assert.strictEqual(reason.message, "no credential: /nowhere/token cannot be read")
        assert.strictEqual(server.requests.length, 0)
      })
    )
  )

  it.effect("a static token that is refused is not sent again", () =>
    still(
      Effect.gen(function* () {
        const server = yield* serving(() => "good")
        const reason = yield* reasonOf(ApiServer.clusterAt(server, { credential: ApiServer.token("bad") }))
        assert.strictEqual(reason._tag, "ClusterUnauthorized")
        assert.strictEqual(server.requests.length, 1)
      })
    )
  )
})

describe("certificate files", () => {
  it.effect("a rotated client certificate is presented on new connections", () =>
    still(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const directory = yield* files.makeTempDirectoryScoped()
        const authority = yield* Effect.promise(() => makeAuthority())
        const write = Effect.fnUntraced(function* (commonName: string) {
          const { certificate, key } = yield* Effect.promise(() => authority.issue({ commonName }))
          yield* files.writeFileString(`${directory}/me.crt`, certificate)
          yield* files.writeFileString(`${directory}/me.key`, key)
        })
        const presented: Array<string> = []
        const server = yield* ApiServer.start(
          (_seen, response, request) => {
            if (request.socket instanceof TLSSocket)
              presented.push(String(request.socket.getPeerCertificate().subject.CN))
            ApiServer.json(response, 200, {})
          },
          { authority, tls: { requestCert: true, ca: authority.pem } }
        )
        const cluster = ApiServer.clusterAt(server, {
          credential: {
            _tag: "ClientCertificate",
            certificate: { _tag: "File", path: `${directory}/me.crt` },
            key: { _tag: "File", path: `${directory}/me.key` }
          }
        })
        yield* write("first")
        yield* call(cluster)
        yield* write("second")
        yield* TestClock.adjust("2 seconds")
        yield* call(cluster)
        assert.deepStrictEqual(presented, ["first", "second"])
        assert.strictEqual(server.connections().made, 2)
      })
    )
  )
})

describe("plugins", () => {
  it.effect("fifty calls at once share one run", () =>
    still(
      Effect.gen(function* () {
        const { plugin, runs } = yield* Plugin.write(`${COUNTING}; print({ token: "token-" + count })`)
        const server = yield* serving(() => "token-1")
        const cluster = ApiServer.clusterAt(server, { credential: exec(plugin) })
        yield* Effect.all(
          Array.from({ length: 50 }, () => call(cluster)),
          { concurrency: 50 }
        )
        assert.strictEqual(yield* runs, 1)
      })
    )
  )

  it.live("one that is slower than its callers' patience gets done all the same, in one run", () =>
    still(
      Effect.gen(function* () {
        const { directory, plugin, runs } = yield* Plugin.write(
          `const wait = () => fs.existsSync(directory + "/go") ? print({ token: "token-1" }) : setTimeout(wait, 10); wait()`
        )
        const files = yield* FileSystem.FileSystem
        const server = yield* serving(() => "token-1")
        const cluster = ApiServer.clusterAt(server, { credential: exec(plugin) })
        yield* Effect.timeoutOption(call(cluster), "50 millis")
        yield* eventually(runs, (count) => count === 1)
        yield* Effect.timeoutOption(call(cluster), "50 millis")
        yield* files.writeFileString(`${directory}/go`, "")
        assert.strictEqual((yield* call(cluster)).status, 200)
        assert.strictEqual(yield* runs, 1)
      })
    )
  )

  it.live("one that does not end when told to holds up nobody's deadline", () =>
    still(
      Effect.gen(function* () {
        const { directory, plugin } = yield* Plugin.write(
          `process.on("SIGTERM", () => {}); fs.writeFileSync(directory + "/deaf", ""); setInterval(() => {}, 1000)`
        )
        const files = yield* FileSystem.FileSystem
        const server = yield* serving(() => "any")
        const cluster = ApiServer.clusterAt(server, { credential: exec(plugin) })
        yield* Effect.timeoutOption(call(cluster), "50 millis")
        yield* eventually(files.exists(`${directory}/deaf`), (deaf) => deaf)
        const startedAt = yield* Clock.currentTimeMillis
        yield* Effect.timeoutOption(call(cluster), "50 millis")
        assert.isBelow((yield* Clock.currentTimeMillis) - startedAt, 1_500)
      })
    )
  )

  it.effect("a credential is used until shortly before it expires, then replaced", () =>
    still(
      Effect.gen(function* () {
        const { plugin, runs } = yield* Plugin.write(
          `${COUNTING}; print({ token: "token-" + count, expirationTimestamp: count === 1 ? "1970-01-01T00:15:00Z" : "1970-01-01T00:30:00Z" })`
        )
        const server = yield* ApiServer.start((_seen, response) => ApiServer.json(response, 200, {}))
        const cluster = ApiServer.clusterAt(server, { credential: exec(plugin) })
        yield* call(cluster)
        yield* TestClock.setTime(13 * 60_000 + 59_000)
        yield* call(cluster)
        assert.strictEqual(yield* runs, 1)
        yield* TestClock.setTime(14 * 60_000 + 1_000)
        yield* call(cluster)
        assert.strictEqual(yield* runs, 2)
      })
    )
  )

  it.effect("a refused credential forces one new run and one more try; a flood of refusals forces no more", () =>
    still(
      Effect.gen(function* () {
        const { plugin, runs } = yield* Plugin.write(`${COUNTING}; print({ token: "token-" + count })`)
        let accepted = "token-2"
        const server = yield* serving(() => accepted)
        const cluster = ApiServer.clusterAt(server, { credential: exec(plugin) })
        assert.strictEqual((yield* call(cluster)).status, 200)
        assert.strictEqual(yield* runs, 2)
        assert.strictEqual(server.requests.length, 2)
        accepted = "none of them"
        yield* Effect.all(
          Array.from({ length: 20 }, () => reasonOf(cluster)),
          { concurrency: 20 }
        )
        assert.strictEqual(yield* runs, 2)
        yield* TestClock.adjust("10 seconds")
        const reasons = yield* Effect.all(
          Array.from({ length: 20 }, () => reasonOf(cluster)),
          { concurrency: 20 }
        )
        assert.strictEqual(yield* runs, 3)
        assert.isTrue(reasons.every((reason) => reason._tag === "ClusterUnauthorized"))
      })
    )
  )

  it.effect("two clusters that share a plugin's command do not share its credential", () =>
    still(
      Effect.gen(function* () {
        const { plugin } = yield* Plugin.write(
          `print({ token: JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.cluster.server })`,
          {
            provideClusterInfo: true
          }
        )
        const one = yield* ApiServer.start((_seen, response) => ApiServer.json(response, 200, {}))
        const two = yield* ApiServer.start((_seen, response) => ApiServer.json(response, 200, {}))
        for (const server of [one, two]) {
          yield* call(ApiServer.clusterAt(server, { credential: exec(plugin) }))
          assert.deepStrictEqual(server.requests[0]?.headers["authorization"], [`Bearer ${server.url}`])
        }
      })
    )
  )

  it.effect("a certificate that a plugin prints is presented", () =>
    still(
      Effect.gen(function* () {
        const authority = yield* Effect.promise(() => makeAuthority())
        const { certificate, key } = yield* Effect.promise(() => authority.issue())
        const server = yield* ApiServer.start((_seen, response) => ApiServer.json(response, 200, {}), {
          authority,
          tls: { requestCert: true, rejectUnauthorized: true, ca: authority.pem }
        })
        const status = JSON.stringify({ clientCertificateData: certificate, clientKeyData: key })
        const { plugin } = yield* Plugin.write(`print(${status})`)
        assert.strictEqual((yield* call(ApiServer.clusterAt(server, { credential: exec(plugin) }))).status, 200)
      })
    )
  )

  it.effect("a plugin that fails is left alone for five seconds, and its problem is told meanwhile", () =>
    still(
      Effect.gen(function* () {
        const { plugin, runs } = yield* Plugin.write(`console.error("no network"); process.exit(1)`)
        const server = yield* serving(() => "any")
        const cluster = ApiServer.clusterAt(server, { credential: exec(plugin) })
        const first = yield* reasonOf(cluster)
        const second = yield* reasonOf(cluster)
        assert.include(first.message, "ended with 1: no network")
        assert.strictEqual(second.message, first.message)
        assert.strictEqual(yield* runs, 1)
        yield* TestClock.adjust("5 seconds")
        yield* reasonOf(cluster)
        assert.strictEqual(yield* runs, 2)
      })
    )
  )
})
