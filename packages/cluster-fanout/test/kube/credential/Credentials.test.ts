import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { inRealTime } from "@quarterdeck/embedded-cluster/Machine"
import { Fault } from "@quarterdeck/harness"
import { Clock, Effect, FileSystem, Layer, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Credential } from "../../../src/registry/Cluster.ts"
import { Transport } from "../../../src/kube/Transport.ts"
import * as ByteServer from "../../fixture/ByteServer.ts"
import { clusterAt, token } from "../../fixture/ClusterAt.ts"
import { EmbeddedCluster, type FaultyCluster, start } from "../../fixture/EmbeddedCluster.ts"
import * as Plugin from "../../fixture/Plugin.ts"
import { ask, reasonOf } from "../../fixture/TransportCalls.ts"
import { eventually } from "../../fixture/Waiting.ts"

/** The clock stands still, so that what is believed for a time is believed until the test says otherwise. */
const still = <A, E>(
  test: (server: FaultyCluster) => Effect.Effect<A, E, Transport | NodeServices.NodeServices | Scope.Scope>
) =>
  Effect.gen(function* () {
    const { anew } = yield* EmbeddedCluster
    const server = yield* anew
    return yield* Effect.scoped(test(server)).pipe(
      Effect.provide(Layer.fresh(Transport.layer)),
      Effect.provide(NodeServices.layer)
    )
  })

const exec = (plugin: Extract<Credential, { _tag: "Exec" }>["plugin"]): Credential => ({ _tag: "Exec", plugin })
/** The credentials that the cluster was shown, request by request. */
const sent = ({ requests }: FaultyCluster) => requests.map(({ headers }) => headers["authorization"]?.[0])

/** Prints `token-1`, `token-2` and so on. */
const COUNTING = `const count = fs.readFileSync(directory + "/runs", "utf8").split("\\n").length - 1`

const tokens = ["old", "new", "token-1", "token-2", "renewed-2", "for-one"]

layer(EmbeddedCluster.layer({ tokens }))((it) => {
  describe("token files", () => {
    it.effect("a rotated token is used once the old reading is two seconds old", () =>
      still((server) =>
        Effect.gen(function* () {
          const files = yield* FileSystem.FileSystem
          const path = `${yield* files.makeTempDirectoryScoped()}/token`
          yield* files.writeFileString(path, "old\n")
          const cluster = server.entered({ credential: { _tag: "TokenFile", path } })
          yield* ask(cluster)
          yield* files.writeFileString(path, "new\n")
          yield* ask(cluster)
          yield* TestClock.adjust("2 seconds")
          yield* ask(cluster)
          assert.deepStrictEqual(sent(server), ["Bearer old", "Bearer old", "Bearer new"])
          assert.strictEqual((yield* server.connections).made, 1)
        })
      )
    )

    it.effect("a token that is refused is read again at once", () =>
      still((server) =>
        Effect.gen(function* () {
          const files = yield* FileSystem.FileSystem
          const path = `${yield* files.makeTempDirectoryScoped()}/token`
          yield* files.writeFileString(path, "old")
          const cluster = server.entered({ credential: { _tag: "TokenFile", path } })
          yield* ask(cluster)
          yield* files.writeFileString(path, "new")
          yield* server.inject(Fault.unauthorized({ match: { next: 1 } }))
          assert.strictEqual((yield* ask(cluster)).status, 200)
          assert.deepStrictEqual(sent(server), ["Bearer old", "Bearer old", "Bearer new"])
        })
      )
    )

    it.effect("a missing file is no credential, and no request is sent without it", () =>
      still((server) =>
        Effect.gen(function* () {
          const reason = yield* reasonOf(server.entered({ credential: { _tag: "TokenFile", path: "/nowhere/token" } }))
          assert.strictEqual(reason.message, "no credential: /nowhere/token cannot be read")
          assert.strictEqual(server.requests.length, 0)
        })
      )
    )

    it.effect("a static token that is refused is not sent again", () =>
      still((server) =>
        Effect.gen(function* () {
          const reason = yield* reasonOf(server.entered({ credential: token("bad") }))
          assert.strictEqual(reason._tag, "ClusterUnauthorized")
          assert.strictEqual(server.requests.length, 1)
        })
      )
    )
  })

  describe("certificate files", () => {
    it.effect("a client certificate is presented beside a token file and a password, and rotates with them", () =>
      still(() =>
        Effect.gen(function* () {
          const files = yield* FileSystem.FileSystem
          const directory = yield* files.makeTempDirectoryScoped()
          const server = yield* ByteServer.start("{}")
          const write = Effect.fnUntraced(function* (commonName: string) {
            const { certificate, key } = yield* Effect.promise(() => server.authority.issue(commonName))
            yield* files.writeFileString(`${directory}/me.crt`, certificate)
            yield* files.writeFileString(`${directory}/me.key`, key)
            yield* files.writeFileString(`${directory}/token`, commonName)
          })
          const clientCertificate = {
            certificate: { _tag: "File", path: `${directory}/me.crt` },
            key: { _tag: "File", path: `${directory}/me.key` }
          } as const
          const byToken = clusterAt(server, {
            credential: { _tag: "TokenFile", path: `${directory}/token`, clientCertificate }
          })
          const byPassword = clusterAt(server, {
            credential: { _tag: "Basic", username: "me", password: Redacted.make("p"), clientCertificate }
          })
          yield* write("first")
          yield* ask(byToken)
          yield* ask(byPassword)
          yield* write("second")
          yield* TestClock.adjust("2 seconds")
          yield* ask(byToken)
          assert.deepStrictEqual(server.presented, ["first", "first", "second"])
          assert.deepStrictEqual(server.authorizations, ["Bearer first", "Basic bWU6cA==", "Bearer second"])
        })
      )
    )

    it.effect("a rotated client certificate is presented on new connections", () =>
      still(() =>
        Effect.gen(function* () {
          const files = yield* FileSystem.FileSystem
          const directory = yield* files.makeTempDirectoryScoped()
          const server = yield* ByteServer.start("{}")
          const write = Effect.fnUntraced(function* (commonName: string) {
            const { certificate, key } = yield* Effect.promise(() => server.authority.issue(commonName))
            yield* files.writeFileString(`${directory}/me.crt`, certificate)
            yield* files.writeFileString(`${directory}/me.key`, key)
          })
          const cluster = clusterAt(server, {
            credential: {
              _tag: "ClientCertificate",
              certificate: { _tag: "File", path: `${directory}/me.crt` },
              key: { _tag: "File", path: `${directory}/me.key` }
            }
          })
          yield* write("first")
          yield* ask(cluster)
          yield* write("second")
          yield* TestClock.adjust("2 seconds")
          yield* ask(cluster)
          assert.deepStrictEqual(server.presented, ["first", "second"])
          assert.strictEqual(server.made(), 2)
        })
      )
    )
  })

  describe("plugins", () => {
    it.effect("fifty calls at once share one run", () =>
      still((server) =>
        Effect.gen(function* () {
          const { plugin, runs } = yield* Plugin.write(`${COUNTING}; print({ token: "token-" + count })`)
          const cluster = server.entered({ credential: exec(plugin) })
          yield* Effect.all(
            Array.from({ length: 50 }, () => ask(cluster)),
            { concurrency: 50 }
          )
          assert.strictEqual(yield* runs, 1)
        })
      )
    )

    it.effect("one that is slower than its callers' patience gets done all the same, in one run", () =>
      still((server) =>
        Effect.gen(function* () {
          const { directory, plugin, runs } = yield* Plugin.write(
            [
              `const watcher = fs.watch(directory, look)`,
              `let said = false`,
              `function look() {`,
              `  if (said || !fs.existsSync(directory + "/go")) return`,
              `  said = true`,
              `  watcher.close()`,
              `  print({ token: "token-1" })`,
              `}`,
              `look()`
            ].join("\n")
          )
          const files = yield* FileSystem.FileSystem
          const cluster = server.entered({ credential: exec(plugin) })
          yield* Effect.timeoutOption(ask(cluster), "50 millis")
          yield* eventually(runs, (count) => count === 1)
          yield* Effect.timeoutOption(ask(cluster), "50 millis")
          yield* files.writeFileString(`${directory}/go`, "")
          assert.strictEqual((yield* ask(cluster)).status, 200)
          assert.strictEqual(yield* runs, 1)
        })
      ).pipe(inRealTime)
    )

    it.effect("one that ignores its termination delays no caller's deadline", () =>
      still((server) =>
        Effect.gen(function* () {
          const { directory, plugin } = yield* Plugin.write(
            `process.on("SIGTERM", () => {}); fs.writeFileSync(directory + "/deaf", ""); setInterval(() => {}, 1000)`
          )
          const files = yield* FileSystem.FileSystem
          const cluster = server.entered({ credential: exec(plugin) })
          yield* Effect.timeoutOption(ask(cluster), "50 millis")
          yield* eventually(files.exists(`${directory}/deaf`), (deaf) => deaf)
          const startedAt = yield* Clock.currentTimeMillis
          yield* Effect.timeoutOption(ask(cluster), "50 millis")
          assert.isBelow((yield* Clock.currentTimeMillis) - startedAt, 1_500)
        })
      ).pipe(inRealTime)
    )

    it.effect("a credential is used until shortly before it expires, then replaced", () =>
      still((server) =>
        Effect.gen(function* () {
          const { plugin, runs } = yield* Plugin.write(
            `${COUNTING}; print({ token: "token-" + count, expirationTimestamp: count === 1 ? "1970-01-01T00:15:00Z" : "1970-01-01T00:30:00Z" })`
          )
          const cluster = server.entered({ credential: exec(plugin) })
          yield* ask(cluster)
          yield* TestClock.setTime(13 * 60_000 + 59_000)
          yield* ask(cluster)
          assert.strictEqual(yield* runs, 1)
          yield* TestClock.setTime(14 * 60_000 + 1_000)
          yield* ask(cluster)
          assert.strictEqual(yield* runs, 2)
          assert.deepStrictEqual(sent(server), ["Bearer token-1", "Bearer token-1", "Bearer token-2"])
        })
      )
    )

    it.effect("a refused credential forces one new run and one more try; a flood of refusals forces no more", () =>
      still((server) =>
        Effect.gen(function* () {
          const { plugin, runs } = yield* Plugin.write(`${COUNTING}; print({ token: "renewed-" + count })`)
          const cluster = server.entered({ credential: exec(plugin) })
          assert.strictEqual((yield* ask(cluster)).status, 200)
          assert.strictEqual(yield* runs, 2)
          assert.strictEqual(server.requests.length, 2)
          yield* server.inject(Fault.unauthorized())
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
      still((one) =>
        Effect.gen(function* () {
          // Each knows no other token than its own.
          const two = yield* start({ tokens: ["for-two"] })
          const own = { [one.server]: "for-one", [two.server]: "for-two" }
          const { plugin } = yield* Plugin.write(
            `print({ token: ${JSON.stringify(own)}[JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.cluster.server] })`,
            {
              provideClusterInfo: true
            }
          )
          for (const server of [one, two]) {
            yield* ask(server.entered({ credential: exec(plugin) }))
            assert.deepStrictEqual(sent(server), [`Bearer ${own[server.server]}`])
          }
        })
      )
    )

    it.effect("a certificate that a plugin prints is presented", () =>
      still(() =>
        Effect.gen(function* () {
          const server = yield* ByteServer.start("{}")
          const { certificate, key } = yield* Effect.promise(() => server.authority.issue("plugin"))
          const status = JSON.stringify({ clientCertificateData: certificate, clientKeyData: key })
          const { plugin } = yield* Plugin.write(`print(${status})`)
          assert.strictEqual((yield* ask(clusterAt(server, { credential: exec(plugin) }))).status, 200)
          assert.deepStrictEqual(server.presented, ["plugin"])
        })
      )
    )

    it.effect("a plugin that fails is not run again for five seconds, and its problem is reported meanwhile", () =>
      still((server) =>
        Effect.gen(function* () {
          const { plugin, runs } = yield* Plugin.write(`console.error("no network"); process.exit(1)`)
          const cluster = server.entered({ credential: exec(plugin) })
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
})
