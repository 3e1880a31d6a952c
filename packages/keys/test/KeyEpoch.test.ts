import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { KeyConfig } from "../src/KeyConfig.ts"
import { CurrentKeyEpoch, KeyEpoch } from "../src/KeyEpoch.ts"
import { KeyStore } from "../src/KeyStore.ts"
import { layerCached } from "../src/store/Cached.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { entry, listOf, waitForAlarm, waitForNames, withFiles, write } from "./keysFiles.ts"
import { at, hashOf, record } from "./samples.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const now = at("2026-02-01T00:00:00Z")
const key = record({ id: "key_1", hash: hashOf("a") })
const successor = record({ id: "key_2", hash: hashOf("b") })

describe("the epoch of keys", () => {
  it.effect.each<[string, (store: KeyStore["Service"]) => Effect.Effect<unknown, unknown>]>([
    ["revoked", (store) => store.revoke(key.id, now)],
    ["changed", (store) => store.update(key.id, { name: "another" })],
    ["rotated", (store) => store.rotate(key.id, { at: now, endsAt: now, successor })]
  ])("is another once a key was %s, and the same while keys are made, read and used", ([, change]) =>
    Effect.gen(function* () {
      const epoch = new KeyEpoch()
      const store = yield* KeyStore.pipe(
        Effect.provide(layerCached.pipe(Layer.provide(layerMemory))),
        Effect.provideService(CurrentKeyEpoch, epoch)
      )
      const before = epoch.number
      yield* store.insert(key)
      yield* store.findByHash(key.hash)
      yield* store.touch([{ id: key.id, at: now }])
      assert.strictEqual(epoch.number, before)
      yield* change(store)
      assert.notStrictEqual(epoch.number, before)
    })
  )

  it.live("is another once other deploy-time keys are in force, and the same while a broken file leaves them", () =>
    Effect.gen(function* () {
      const epoch = new KeyEpoch()
      const path = join(yield* temporaryDirectory, "keys")
      yield* write(path, listOf(entry("one", "a")))
      const followed = Effect.gen(function* () {
        const before = epoch.number
        const { byHash } = yield* (yield* KeyConfig).current
        assert.isTrue(byHash.has(hashOf("a")))
        yield* write(path, "not: a list")
        yield* waitForAlarm("list")
        assert.strictEqual(epoch.number, before)
        yield* write(path, listOf(entry("two", "b")))
        yield* waitForNames("two")
        assert.notStrictEqual(epoch.number, before)
      })
      yield* withFiles([path], followed).pipe(Effect.provideService(CurrentKeyEpoch, epoch))
    })
  )
})
