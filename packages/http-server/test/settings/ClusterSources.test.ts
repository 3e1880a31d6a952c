import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, FileSystem, Path } from "effect"
import type { Settings } from "../../src/settings/Settings.ts"
import * as ClusterSources from "../../src/settings/ClusterSources.ts"
import { Surroundings } from "../../src/settings/Surroundings.ts"

const unset: Settings["clusters"] = {
  kubeconfig: [],
  names: {},
  parent: undefined,
  header: "X-Service-Cluster",
  allowLoopback: false,
  secretFile: undefined,
  argoSecrets: [],
  profiles: [],
  allowedCommands: []
}

layer(NodeServices.layer)("ClusterSources", (it) => {
  const makeHome = Effect.fn(function* (...names: ReadonlyArray<string>) {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const home = yield* files.makeTempDirectoryScoped()
    yield* files.makeDirectory(join(home, ".kube"))
    yield* Effect.forEach(names, (name) => files.writeFileString(join(home, name), ""))
    return { home, at: (name: string) => join(home, name) }
  })
  const resolve = (home: string, variables: Record<string, string>, clusters: Partial<Settings["clusters"]> = {}) =>
    ClusterSources.resolve({ ...unset, ...clusters }, { directory: home }).pipe(
      Effect.provideService(Surroundings, { home, variables })
    )

  it.effect("takes ~/.kube/config and its current context when nothing is set", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome(".kube/config")
      assert.deepStrictEqual(yield* resolve(home, {}), {
        inCluster: false,
        kubeconfig: [at(".kube/config")],
        parent: undefined
      })
    })
  )

  it.effect("takes KUBECONFIG before it, passing over files that do not exist", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome(".kube/config", "a", "b")
      const sources = yield* resolve(home, { KUBECONFIG: `${at("b")}::${at("missing")}:${at("a")}` })
      assert.deepStrictEqual(sources.kubeconfig, [at("b"), at("a")])
    })
  )

  it.effect("takes ~/.kube/config when KUBECONFIG is empty", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome(".kube/config")
      assert.deepStrictEqual((yield* resolve(home, { KUBECONFIG: "" })).kubeconfig, [at(".kube/config")])
    })
  )

  it.effect("takes the setting before everything, with the parent that it names", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome(".kube/config", "a", "b")
      const parent = ClusterName.make("prod")
      assert.deepStrictEqual(yield* resolve(home, { KUBECONFIG: at("b") }, { kubeconfig: [at("a")], parent }), {
        inCluster: false,
        kubeconfig: [at("a")],
        parent
      })
    })
  )

  it.effect("refuses a file that the setting names and that is not there", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome(".kube/config", "a")
      const error = yield* Effect.flip(resolve(home, {}, { kubeconfig: [at("a"), at("typo")] }))
      assert.strictEqual(error.message, `clusters.kubeconfig: ${at("typo")} does not exist`)
    })
  )

  it.effect("refuses to start without any cluster, and says what to set", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome()
      for (const variables of [{}, { KUBECONFIG: at("missing") }]) {
        const error = yield* Effect.flip(resolve(home, variables))
        assert.match(error.message, /^no cluster: .*; set clusters\.kubeconfig$/)
      }
    })
  )

  it.effect("does not take a machine for a pod without a service account's token", () =>
    Effect.gen(function* () {
      const { home } = yield* makeHome(".kube/config")
      assert.isFalse((yield* resolve(home, { KUBERNETES_SERVICE_HOST: "10.96.0.1" })).inCluster)
    })
  )

  it.effect("takes a pod's own cluster alone, as the parent, whatever KUBECONFIG says", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome("token", "a")
      const variables = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBECONFIG: at("a") }
      assert.deepStrictEqual(yield* resolve(home, variables), {
        inCluster: true,
        kubeconfig: [],
        parent: ClusterSources.OWN_CLUSTER
      })
    })
  )

  it.effect("adds what the setting names to a pod's own cluster, which stays the parent", () =>
    Effect.gen(function* () {
      const { at, home } = yield* makeHome("token", "a")
      const sources = yield* resolve(home, { KUBERNETES_SERVICE_HOST: "10.96.0.1" }, { kubeconfig: [at("a")] })
      assert.deepStrictEqual(sources, { inCluster: true, kubeconfig: [at("a")], parent: ClusterSources.OWN_CLUSTER })
    })
  )
})
