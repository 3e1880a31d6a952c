import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { ConfigProvider, Effect, FileSystem, Option, type Scope } from "effect"
import { ClusterRegistry } from "../../src/registry/ClusterRegistry.ts"
import * as InCluster from "../../src/registry/InCluster.ts"

const mounted = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const directory = yield* files.makeTempDirectoryScoped()
  yield* files.writeFileString(`${directory}/token`, "t")
  yield* files.writeFileString(`${directory}/ca.crt`, "pem")
  return directory
})

const live =
  (environment: Record<string, string>) =>
  <A, E>(effect: Effect.Effect<A, E, Scope.Scope | NodeServices.NodeServices>) =>
    effect.pipe(
      Effect.scoped,
      Effect.provide(NodeServices.layer),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
    )

const POD = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }

describe("InCluster", () => {
  it.live("the pod's service account is the parent's credential, in files that are re-read", () =>
    Effect.gen(function* () {
      const directory = yield* mounted
      const snapshot = yield* ClusterRegistry.use((registry) => registry.snapshot).pipe(
        Effect.provide(InCluster.layer({ directory }))
      )
      assert.strictEqual(snapshot.parent, "parent")
      const [cluster] = snapshot.clusters
      assert.strictEqual(cluster?.origin, "inCluster")
      assert.deepStrictEqual(cluster?.connection, {
        server: "https://10.0.0.1:443",
        certificateAuthority: { _tag: "File", path: `${directory}/ca.crt` },
        insecureSkipTlsVerify: false,
        credential: { _tag: "TokenFile", path: `${directory}/token` }
      })
    }).pipe(live(POD))
  )

  it.live("the name can be given, and an IPv6 address gets its brackets", () =>
    Effect.gen(function* () {
      const cluster = yield* InCluster.cluster({ directory: yield* mounted, name: ClusterName.make("home") })
      assert.strictEqual(cluster.name, "home")
      assert.strictEqual(cluster.connection.server, "https://[fd00::1]:6443")
    }).pipe(live({ KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" }))
  )

  it.live("the account's namespace is known where a file says it", () =>
    Effect.gen(function* () {
      const directory = yield* mounted
      assert.deepStrictEqual(yield* InCluster.namespace({ directory }), Option.none())
      const files = yield* FileSystem.FileSystem
      yield* files.writeFileString(`${directory}/namespace`, "observability\n")
      assert.deepStrictEqual(yield* InCluster.namespace({ directory }), Option.some("observability"))
    }).pipe(live(POD))
  )

  it.live("outside a pod it says what is missing", () =>
    Effect.gen(function* () {
      const directory = yield* mounted
      const error = yield* Effect.flip(InCluster.cluster({ directory }))
      assert.include(error.message, "KUBERNETES_SERVICE_HOST")
    }).pipe(live({}))
  )

  it.live("without a mounted token it says which file", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(InCluster.cluster({ directory: "/nowhere" }))
      assert.include(error.message, "/nowhere/token cannot be read")
    }).pipe(live(POD))
  )
})
