import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Option, Redacted } from "effect"
import type { Connection } from "../../src/registry/Cluster.ts"
import * as RegisteredClusters from "../../src/registry/RegisteredClusters.ts"
import * as registryFeed from "../../src/registry/RegistryFeed.ts"
import { make as snapshotOf } from "../../src/registry/RegistrySnapshot.ts"
import * as StoredConnection from "../../src/registry/StoredConnection.ts"

const rule = { allowLoopback: false }
const connectionTo = (host: string, token = "t"): Connection => ({
  server: `https://${host}.test`,
  insecureSkipTlsVerify: false,
  credential: { _tag: "Token", token: Redacted.make(token) },
  addressRule: rule
})
const given = (...names: ReadonlyArray<string>) =>
  snapshotOf({
    parent: "hub",
    clusters: Object.fromEntries(["hub", ...names].map((name) => [name, { connection: connectionTo(name) }]))
  })
const registration = (name: string, token?: string): RegisteredClusters.Registration => ({
  name: ClusterName.make(name),
  labels: { tier: "gold" },
  connection: connectionTo(`${name}-registered`, token)
})

describe("clusters that are registered beside others", () => {
  it.live("are children after the parent, and make way for a configured one of their name while there is one", () =>
    Effect.gen(function* () {
      const base = yield* registryFeed.make(given("b"))
      const { registry, replace } = yield* RegisteredClusters.make(base.registry, {
        clusters: [registration("c"), registration("a")],
        problems: []
      })
      const shown = Effect.map(registry.snapshot, ({ clusters, problems }) => ({
        servers: clusters.map(({ connection, name }) => `${name} ${connection.server}`),
        codes: problems.map(({ code }) => code)
      }))
      const [hub, a, b, c] = [
        "hub https://hub.test",
        "a https://a-registered.test",
        "b https://b.test",
        "c https://c-registered.test"
      ]
      assert.deepStrictEqual(yield* shown, { servers: [hub, a, b, c], codes: [] })

      yield* base.publish(given("a", "b"))
      const taken = yield* eventually("the configured one is shown", shown, ({ codes }) => codes.length > 0)
      assert.deepStrictEqual(taken, { servers: [hub, "a https://a.test", b, c], codes: ["nameTaken"] })

      yield* replace({ clusters: [registration("a")], problems: [] })
      assert.deepStrictEqual((yield* shown).servers, [hub, "a https://a.test", b])
      yield* base.publish(given())
      yield* eventually("the registered one is back", shown, ({ servers }) => servers.join() === [hub, a].join())
    }).pipe(Effect.scoped)
  )

  it("keep their generation with their connection, and only then", () => {
    const generationOf = (token: string) => RegisteredClusters.clusterOf(registration("a", token)).generation
    assert.strictEqual(generationOf("one"), generationOf("one"))
    assert.notStrictEqual(generationOf("one"), generationOf("two"))
  })
})

describe("the text of a registered cluster", () => {
  const stored = { labels: { tier: "gold" }, connection: connectionTo("a", "secret") }

  it("is read back, under the rule for addresses of the time", () => {
    const text = Option.getOrThrow(StoredConnection.print(stored))
    const read = Option.getOrThrow(StoredConnection.read(text, { allowLoopback: true }))
    assert.deepStrictEqual(read.connection.addressRule, { allowLoopback: true })
    const { credential } = read.connection
    assert.strictEqual(credential._tag === "Token" ? Redacted.value(credential.token) : undefined, "secret")
    assert.notInclude(JSON.stringify(read), "secret")
  })

  it("keeps a client certificate beside a token", () => {
    const data = (text: string) => ({ _tag: "Data", pem: Redacted.make(text) }) as const
    const clientCertificate = { certificate: data("CERT"), key: data("KEY") }
    const credential = { _tag: "Token", token: Redacted.make("secret"), clientCertificate } as const
    const text = Option.getOrThrow(
      StoredConnection.print({ ...stored, connection: { ...stored.connection, credential } })
    )
    const { connection } = Option.getOrThrow(StoredConnection.read(text, rule))
    const kept = connection.credential._tag === "Token" ? connection.credential.clientCertificate : undefined
    assert.strictEqual(kept?.key._tag === "Data" ? Redacted.value(kept.key.pem) : undefined, "KEY")
  })

  it.each<[string, Partial<Connection>]>([
    [
      "a file of a client certificate",
      {
        credential: {
          _tag: "Token",
          token: Redacted.make("t"),
          clientCertificate: { certificate: { _tag: "File", path: "/c" }, key: { _tag: "File", path: "/k" } }
        }
      }
    ],
    ["a token file", { credential: { _tag: "TokenFile", path: "/etc/token" } }],
    ["a file of an authority", { certificateAuthority: { _tag: "File", path: "/etc/ca" } }],
    ["an unchecked certificate", { insecureSkipTlsVerify: true }]
  ])("is not made of %s", (_, part) => {
    const connection = { ...stored.connection, ...part }
    assert.isTrue(Option.isNone(StoredConnection.print({ ...stored, connection })))
  })

  it("that names a program is not read", () => {
    const text = Option.getOrThrow(StoredConnection.print(stored))
    const other = text.replace('"_tag":"Token"', '"_tag":"Exec"')
    assert.isTrue(Option.isNone(StoredConnection.read(other, rule)))
  })
})
