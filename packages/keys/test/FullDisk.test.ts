import { assert, describe, it } from "@effect/vitest"
import { DiskReserve } from "@quarterdeck/sqlite-thread"
import { Effect, Layer, Option } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { AuditStore } from "../src/audit/AuditStore.ts"
import { KeyStore } from "../src/KeyStore.ts"
import { layerSqlite } from "../src/store/sqlite/Sqlite.ts"
import { factsAt } from "./audit/facts.ts"
import { passUntil, storeIn } from "./audit/world.ts"
import { fill, free, mount } from "./fullDisk.ts"
import { at, hashOf, record } from "./samples.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const stores = (directory: string, reserve: Layer.Layer<never>) =>
  Layer.merge(Layer.fresh(layerSqlite({ directory })), storeIn(directory)).pipe(Layer.provideMerge(reserve))

const withReserve = (directory: string) => stores(directory, Layer.fresh(DiskReserve.layer({ directory })))

const disk = Effect.flatMap(temporaryDirectory, mount)
const reserveOf = (directory: string) => join(directory, DiskReserve.FILE_NAME)

const now = at("2026-01-02T00:00:00Z")
const key = record({ id: "key_a", hash: hashOf("a") })
const large = record({ id: "key_b", hash: hashOf("b"), name: "n".repeat(100_000) })

const appendUntilFull = Effect.flatMap(AuditStore, (store) =>
  Effect.flip(Effect.forever(store.append(Array.from({ length: 100 }, (_, index) => factsAt(index)))))
)

describe("on a disk of 64 MiB that another file fills", () => {
  it.effect("a key is revoked, with its events, and stays revoked after a restart on the full disk", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore
        const audit = yield* AuditStore
        yield* keys.insert(key)
        assert.strictEqual(statSync(reserveOf(directory)).size, DiskReserve.RESERVE_BYTES)
        yield* fill(directory)

        const refused = yield* Effect.flip(keys.insert(large))
        assert.strictEqual(refused.reason._tag, "StoreFailed")
        assert.isFalse(existsSync(reserveOf(directory)))
        assert.isTrue((yield* Effect.flip(audit.append([factsAt(1)]))).isFull)
        assert.strictEqual((yield* Effect.flip(audit.probe)).isFull, true)

        const revocation = factsAt(2, { verb: "delete", requestId: "revocation" })
        yield* audit.append([revocation], { isRevocation: true })
        assert.isDefined(Option.getOrThrow(yield* keys.revoke("key_a", now, "key_z")).revokedAt)
        yield* fill(directory)
      }).pipe(Effect.provide(withReserve(directory)))

      yield* Effect.gen(function* () {
        const found = Option.getOrThrow(yield* (yield* KeyStore).find("key_a"))
        assert.deepStrictEqual([found.revokedAt, found.revokedBy], [now, "key_z"])
        const { kept } = yield* (yield* AuditStore).list({ query: {}, limit: 1 })
        assert.strictEqual(kept[0]?.event.requestId, "revocation")
      }).pipe(Effect.provide(withReserve(directory)))
    })
  )

  it.effect("a start is possible, for which the reserve is given up", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* Effect.flatMap(KeyStore, (keys) => keys.insert(key)).pipe(Effect.provide(withReserve(directory)))
      yield* fill(directory)
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore
        assert.isFalse(existsSync(reserveOf(directory)))
        assert.isDefined(Option.getOrThrow(yield* keys.revoke("key_a", now)).revokedAt)
        assert.strictEqual((yield* Effect.flip(keys.insert(large))).reason._tag, "StoreFailed")
      }).pipe(Effect.provide(withReserve(directory)))
    })
  )

  it.effect("the reserve is made again, and changes are taken, once there is room", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore
        yield* fill(directory)
        assert.isTrue((yield* appendUntilFull).isFull)
        yield* Effect.flip(keys.insert(key))
        yield* free(directory)
        yield* passUntil(
          Effect.sync(() => existsSync(reserveOf(directory))),
          (exists) => exists
        )
        yield* passUntil(Effect.option(keys.insert(key)), Option.isSome)
        yield* (yield* AuditStore).append([factsAt(1)])
      }).pipe(Effect.provide(withReserve(directory)))
    })
  )

  it.effect("each store reports SQLite's first error", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore
        yield* keys.insert(key)
        yield* fill(directory)
        const { problem } = yield* appendUntilFull
        assert.strictEqual(problem, "database or disk is full")
        const rotation = { at: now, endsAt: now, successor: large }
        const { reason } = yield* Effect.flip(Effect.forever(keys.rotate("key_a", rotation)))
        assert.strictEqual(
          reason._tag === "StoreFailed" && reason.cause instanceof Error && reason.cause.message,
          "database or disk is full"
        )
      }).pipe(Effect.provide(stores(directory, Layer.empty)))
    })
  )
})
