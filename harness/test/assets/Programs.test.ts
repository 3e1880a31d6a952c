import { assert, describe, it } from "@effect/vitest"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ConfigProvider, Effect, Option } from "effect"
import { cacheDirectory, find, KUBERNETES_VERSION } from "../../src/assets/Programs.ts"
import { temporaryDirectory } from "../internal/Fixture.ts"

const on = (settings: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings))

const put = (directory: string, mode: number) =>
  Effect.promise(async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, "etcd"), "")
    await chmod(join(directory, "etcd"), mode)
  })

describe("Programs", () => {
  it.effect("the cache lies under XDG_CACHE_HOME, else under the home directory", () =>
    Effect.gen(function* () {
      const inside = join("quarterdeck", "kubernetes", KUBERNETES_VERSION)
      assert.strictEqual(yield* cacheDirectory.pipe(on({ XDG_CACHE_HOME: "/c", HOME: "/h" })), join("/c", inside))
      assert.strictEqual(yield* cacheDirectory.pipe(on({ XDG_CACHE_HOME: "", HOME: "/h" })), join("/h/.cache", inside))
    })
  )

  it.effect(
    "KUBEBUILDER_ASSETS comes first, the cache fills in what it lacks, and files that cannot run do not count",
    () =>
      Effect.gen(function* () {
        const home = yield* temporaryDirectory
        const named = join(home, "named")
        const settings = { XDG_CACHE_HOME: home, KUBEBUILDER_ASSETS: named }
        const cache = yield* cacheDirectory.pipe(on(settings))
        const origin = Effect.map(
          find("etcd"),
          Option.map((program) => program.origin)
        ).pipe(on(settings))
        assert.deepStrictEqual(yield* origin, Option.none())
        yield* put(cache, 0o755)
        assert.deepStrictEqual(yield* origin, Option.some("cache"))
        yield* put(named, 0o644)
        // The superuser may run nothing either that nobody may run.
        assert.deepStrictEqual(yield* origin, Option.some("cache"))
        yield* put(named, 0o755)
        assert.deepStrictEqual(yield* origin, Option.some("KUBEBUILDER_ASSETS"))
      })
  )
})
