import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AuditStore } from "../../src/audit/AuditStore.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { factsAt } from "./facts.ts"
import { storeIn } from "./world.ts"

const NEWER = "schema version 99, this program knows 2: run the newer program, or restore a backup"

describe("the file of the audit", () => {
  it.effect.each<[string, (path: string) => unknown, (path: string) => string]>([
    ["is no database", (path) => writeFile(path, "no database at all".repeat(40)), () => "file is not a database"],
    ["is a directory", (path) => mkdir(path), (path) => `EISDIR: illegal operation on a directory, open '${path}'`],
    ["was written by a newer program", (path) => new DatabaseSync(path).exec("PRAGMA user_version = 99"), () => NEWER]
  ])("that %s is refused by its name and the reason", ([, write, reasonOf]) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "audit.sqlite")
      yield* Effect.promise(async () => write(path))
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(storeIn(directory))))
      assert.strictEqual(refused.message, `the audit could not open: ${reasonOf(path)} (${path})`)
    })
  )
})

/** Number of rows that a read without a match takes a while to scan. */
const ROWS = 30_000

describe("reads that go through the whole audit and match nothing", () => {
  const nothing = { query: { cluster: "nowhere", keyId: "nobody" }, limit: 100 }

  it.effect("hold up no write, and what was written meanwhile is read next", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const store = yield* AuditStore
        yield* store.append(Array.from({ length: ROWS }, (_, index) => factsAt(index)))
        const reads = yield* Effect.forEach(Array(10).keys(), () =>
          Effect.forkChild(store.list(nothing), { startImmediately: true })
        )
        yield* store.append([factsAt(ROWS, { requestId: "meanwhile" })])
        const isReading = reads.map((read) => read.pollUnsafe() === undefined)
        assert.isTrue(isReading.at(-1), "the write came after all reads")
        for (const read of reads) assert.deepStrictEqual((yield* Fiber.join(read)).kept, [])
        const newest = yield* store.list({ query: {}, limit: 1 })
        assert.strictEqual(newest.kept[0]?.event.requestId, "meanwhile")
      }).pipe(Effect.provide(storeIn(directory)))
    })
  )

  it.effect("are refused beyond as many as are answered in time", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const store = yield* AuditStore
        yield* store.append(Array.from({ length: ROWS / 10 }, (_, index) => factsAt(index)))
        const outcomes = yield* Effect.forEach(Array(33).keys(), () => Effect.result(store.list(nothing)), {
          concurrency: "unbounded"
        })
        const refused = outcomes.flatMap((outcome) => (outcome._tag === "Failure" ? [outcome.failure.message] : []))
        assert.deepStrictEqual(refused, ["the audit could not list: 32 calls are waiting"])
      }).pipe(Effect.provide(storeIn(directory)))
    })
  )
})

describe("the count of denials", () => {
  it.effect("begins at an instant, counts a fold as often as what it stands for, and leaves out what was allowed", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const store = yield* AuditStore
        const since = (ms: number) => store.denialsSince(DateTime.makeUnsafe(ms))
        assert.strictEqual(yield* since(0), 0)
        yield* store.append([
          factsAt(1, { decision: "deny" }),
          factsAt(2),
          factsAt(3, { decision: "deny", count: 40 }),
          factsAt(4, { decision: "deny" })
        ])
        assert.strictEqual(yield* since(0), 42)
        assert.strictEqual(yield* since(3), 41)
        assert.strictEqual(yield* since(5), 0)
      }).pipe(Effect.provide(storeIn(directory)))
    })
  )
})
