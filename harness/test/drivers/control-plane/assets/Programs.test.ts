import { assert, describe, it } from "@effect/vitest"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { ConfigProvider, Effect, Option } from "effect"
import {
  cacheDirectory,
  cachedVersions,
  find,
  KUBERNETES_MINOR,
  KUBERNETES_VERSION
} from "../../../../src/drivers/control-plane/assets/Programs.ts"
import { temporaryDirectory } from "../../../machine/Fixture.ts"

const on = (settings: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings))

const put = (path: string, mode = 0o755) =>
  Effect.promise(async () => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, "")
    await chmod(path, mode)
  })

const originOf = (settings: Record<string, string>) =>
  Effect.map(
    find("etcd"),
    Option.map((program) => program.origin)
  ).pipe(on(settings))

describe("Programs", () => {
  it.effect("the cache lies under XDG_CACHE_HOME, else under the home directory", () =>
    Effect.gen(function* () {
      const inside = join("quarterdeck", "kubernetes", KUBERNETES_VERSION)
      assert.strictEqual(yield* cacheDirectory.pipe(on({ XDG_CACHE_HOME: "/c", HOME: "/h" })), join("/c", inside))
      assert.strictEqual(yield* cacheDirectory.pipe(on({ XDG_CACHE_HOME: "", HOME: "/h" })), join("/h/.cache", inside))
    })
  )

  it.effect(
    "a file named by its variable wins over KUBEBUILDER_ASSETS, that over the cache; others must be able to run",
    () =>
      Effect.gen(function* () {
        const home = yield* temporaryDirectory
        const named = join(home, "named")
        const file = join(home, "my-etcd")
        const settings = { XDG_CACHE_HOME: home, KUBEBUILDER_ASSETS: named, TEST_ASSET_ETCD: file }
        const cache = yield* cacheDirectory.pipe(on(settings))
        assert.deepStrictEqual(yield* originOf(settings), Option.none())
        yield* put(join(cache, "etcd"))
        assert.deepStrictEqual(yield* originOf(settings), Option.some("cache"))
        yield* put(join(named, "etcd"), 0o644)
        // The superuser may run nothing either that nobody may run.
        assert.deepStrictEqual(yield* originOf(settings), Option.some("cache"))
        yield* put(join(named, "etcd"))
        assert.deepStrictEqual(yield* originOf(settings), Option.some("KUBEBUILDER_ASSETS"))
        yield* put(file)
        assert.deepStrictEqual(yield* originOf(settings), Option.some("TEST_ASSET"))
      })
  )

  it.effect("the variable of a program with a dash has an underscore", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "server")
      yield* put(path)
      const found = yield* find("kube-apiserver").pipe(on({ HOME: "/nowhere", TEST_ASSET_KUBE_APISERVER: path }))
      assert.strictEqual(Option.getOrUndefined(found)?.path, path)
    })
  )

  it.effect("a version means the newest patch in the cache that has the program, and nothing outside the cache", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const named = join(home, "named")
      const settings = { XDG_CACHE_HOME: home, KUBEBUILDER_ASSETS: named }
      const root = join(home, "quarterdeck", "kubernetes")
      yield* put(join(named, "etcd"))
      for (const version of ["v1.33.9", "v1.33.10", "v1.34.0"]) yield* put(join(root, version, "etcd"))
      // Without the program, or no release at all.
      for (const directory of ["v1.33.11", "v1.33.12.building-1_2_3-x", "modules"]) {
        yield* put(join(root, directory, "other"))
      }
      const versionOf = (asked: string) =>
        Effect.map(
          find("etcd", asked),
          Option.map(({ version }) => version)
        ).pipe(on(settings))
      assert.deepStrictEqual(yield* versionOf("1.33"), Option.some("v1.33.10"))
      assert.deepStrictEqual(yield* versionOf("v1.33.9"), Option.some("v1.33.9"))
      assert.deepStrictEqual(yield* versionOf("1.35"), Option.none())
      assert.deepStrictEqual(yield* versionOf("newest"), Option.none())
      assert.deepStrictEqual(yield* cachedVersions.pipe(on(settings)), ["v1.34.0", "v1.33.11", "v1.33.10", "v1.33.9"])
    })
  )

  it.effect("without a version another patch of the own minor release does, but the own release wins", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const settings = { XDG_CACHE_HOME: home }
      const root = join(home, "quarterdeck", "kubernetes")
      const version = Effect.map(
        find("etcd"),
        Option.map(({ version }) => version)
      ).pipe(on(settings))
      yield* put(join(root, `v${KUBERNETES_MINOR}.99`, "etcd"))
      assert.deepStrictEqual(yield* version, Option.some(`v${KUBERNETES_MINOR}.99`))
      yield* put(join(root, KUBERNETES_VERSION, "etcd"))
      assert.deepStrictEqual(yield* version, Option.some(KUBERNETES_VERSION))
    })
  )
})
