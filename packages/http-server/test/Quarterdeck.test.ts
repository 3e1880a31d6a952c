import { UsageSources } from "@quarterdeck/cost"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { RegistrySnapshot } from "@quarterdeck/cluster-fanout"
import type { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import * as MetricsApi from "@quarterdeck/cost/usage/MetricsApi"
import { KeyStoreError, StoreFailed } from "@quarterdeck/keys/KeyError"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Memory } from "@quarterdeck/keys"
import { Context, Effect, FileSystem, Layer, Path, type Scope, Stream } from "effect"
import { type Options, Quarterdeck } from "../src/index.ts"

/** One cluster, which nobody answers for: what is tested here asks none. */
const silent = RegistrySnapshot.make({
  parent: "hub",
  clusters: {
    hub: { connection: { server: "https://127.0.0.1:9", insecureSkipTlsVerify: false, credential: { _tag: "None" } } }
  }
})
const registryOf = (snapshot: typeof silent): ClusterRegistry["Service"] => ({
  snapshot: Effect.succeed(snapshot),
  changes: Stream.concat(Stream.succeed(snapshot), Stream.never)
})

/** Options of a deployment in a directory of its own. */
const deployment = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-ports-" })
  const keyFile = path.join(directory, "first-key")
  const options: Options = {
    clusterRegistry: registryOf(silent),
    keys: { bootstrapFile: keyFile },
    dataDirectory: path.join(directory, "data"),
    telemetry: { logLevel: "error" }
  }
  const firstKey = Effect.map(files.readFileString(keyFile), (text) => text.trim())
  return { options, firstKey }
})

const start = (options: Options) =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => Quarterdeck.start(options), catch: (error) => error }),
    (quarterdeck) => Effect.promise(quarterdeck.dispose)
  )
const startFailure = (options: Options) =>
  Effect.map(Effect.flip(start(options)), (error) => (error instanceof Error ? error.message : "not an error"))

const whoami = ({ webHandler }: Pick<Quarterdeck["Service"], "webHandler">, key: string) =>
  Effect.promise(async () => {
    const request = new Request("http://host/api/v1/whoami", { headers: { authorization: `Bearer ${key}` } })
    const response = await webHandler(request)
    return { status: response.status, text: await response.text() }
  })

/** A store of keys in memory that tells when it is opened, used and closed. */
const observedStore = (log: Array<string>) =>
  Layer.effect(
    KeyStore,
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => log.push("opened")),
        () => Effect.sync(() => log.push("closed"))
      )
      const store = yield* KeyStore
      const touch: (typeof store)["touch"] = (uses) =>
        Effect.tap(store.touch(uses), () => Effect.sync(() => log.push("use noted")))
      return KeyStore.of({ ...store, touch })
    })
  ).pipe(Layer.provide(Memory.layerMemory))

const live = <A, E>(body: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Scope.Scope>) =>
  body.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("a part of the host's own", () => {
  it.live("is opened with the service and closed after what the service writes at its end, when it is a layer", () =>
    live(
      Effect.gen(function* () {
        const { firstKey, options } = yield* deployment
        const log: Array<string> = []
        yield* Effect.scoped(
          Effect.gen(function* () {
            const quarterdeck = yield* start({ ...options, keyStore: observedStore(log) })
            assert.deepStrictEqual(log, ["opened"])
            assert.strictEqual((yield* whoami(quarterdeck, yield* firstKey)).status, 200)
          })
        )
        assert.deepStrictEqual(log, ["opened", "use noted", "closed"])
      })
    )
  )

  it.live("stays open when it is a value, for a service that is started again on it", () =>
    live(
      Effect.gen(function* () {
        const { firstKey, options } = yield* deployment
        const log: Array<string> = []
        const keyStore = Context.get(yield* Layer.build(observedStore(log)), KeyStore)
        for (const _start of ["first", "second"]) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const quarterdeck = yield* start({ ...options, keyStore })
              assert.strictEqual((yield* whoami(quarterdeck, yield* firstKey)).status, 200)
            })
          )
        }
        assert.deepStrictEqual(log, ["opened", "use noted", "use noted"])
        assert.strictEqual(yield* keyStore.count, 1)
      })
    )
  )

  it.live("is shared with an Effect application that provides the same layer", () =>
    live(
      Effect.gen(function* () {
        const { firstKey, options } = yield* deployment
        const { telemetry: _, ...shared } = options
        const log: Array<string> = []
        const keyStore = observedStore(log)
        const services = yield* Layer.build(Layer.merge(Quarterdeck.layer({ ...shared, keyStore }), keyStore))
        assert.strictEqual((yield* whoami(Context.get(services, Quarterdeck), yield* firstKey)).status, 200)
        assert.strictEqual(yield* Context.get(services, KeyStore).count, 1)
        assert.deepStrictEqual(log, ["opened"])
      })
    )
  )

  it.live("that cannot be opened is named, and leaves nothing half started", () =>
    live(
      Effect.gen(function* () {
        const { options } = yield* deployment
        const refused = Layer.effect(KeyStore, Effect.fail(new Error("the database refused the password")))
        assert.strictEqual(
          yield* startFailure({ ...options, keyStore: refused }),
          "keyStore: the database refused the password"
        )
        yield* start({ ...options, keyStore: Memory.layerMemory })
      })
    )
  )

  it.live("that breaks a law of registries as the service starts is refused", () =>
    live(
      Effect.gen(function* () {
        const { options } = yield* deployment
        assert.strictEqual(
          yield* startFailure({ ...options, clusterRegistry: registryOf({ ...silent, clusters: [] }) }),
          "clusterRegistry: the parent is hub, but the clusters with the role parent are: none"
        )
      })
    )
  )

  it.live("that fails while it is asked is a 503 which tells nobody why", () =>
    live(
      Effect.gen(function* () {
        const { firstKey, options } = yield* deployment
        const store = Context.get(yield* Layer.build(Memory.layerMemory), KeyStore)
        let isGone = false
        const keyStore = KeyStore.of({
          ...store,
          findByHash: (hash) =>
            Effect.suspend(() =>
              isGone
                ? Effect.fail(
                    new KeyStoreError({
                      reason: new StoreFailed({ operation: "findByHash", cause: new Error("db.internal is gone") })
                    })
                  )
                : store.findByHash(hash)
            )
        })
        const quarterdeck = yield* start({ ...options, keyStore })
        isGone = true
        const { status, text } = yield* whoami(quarterdeck, yield* firstKey)
        assert.strictEqual(status, 503)
        assert.notInclude(text, "db.internal")
      })
    )
  )

  it.live("may take the service's own source of usage for some clusters", () =>
    live(
      Effect.gen(function* () {
        const { options } = yield* deployment
        const log: Array<string> = []
        const usageSources = Layer.effect(
          UsageSources.UsageSources,
          Effect.map(MetricsApi.make, (metrics) =>
            UsageSources.UsageSources.of({
              of: (cluster) => {
                log.push(cluster)
                return metrics
              }
            })
          )
        )
        yield* start({ ...options, usageSources })
        assert.deepStrictEqual(log, ["hub"])
      })
    )
  )

  it.live("is refused beside a setting that says the same, and both are named", () =>
    live(
      Effect.gen(function* () {
        const { options } = yield* deployment
        assert.strictEqual(
          yield* startFailure({ ...options, clusters: { parent: "hub" } }),
          "options: clusterRegistry and clusters.parent both decide which clusters there are: set only one of them"
        )
      })
    )
  )
})
