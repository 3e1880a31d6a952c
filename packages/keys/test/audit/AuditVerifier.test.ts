import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { HEAD_FILE } from "../../src/audit/AuditHead.ts"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { AuditStore } from "../../src/audit/AuditStore.ts"
import { verify } from "../../src/audit/AuditVerifier.ts"
import { hashOf } from "../../src/audit/Chain.ts"
import { factsAt } from "./facts.ts"
import { directoryWithKey, logIn, passUntil } from "./world.ts"

/** Writes events to a new audit, closes it, and returns its directory. */
const written = (count: number) =>
  Effect.tap(directoryWithKey, (directory) =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      for (let index = 1; index <= count; index++) yield* log.write(factsAt(index))
    }).pipe(Effect.provide(logIn(directory)))
  )

/** Changes the file like an attacker with write access. */
const tamper = (directory: string, change: (file: DatabaseSync) => void) =>
  Effect.sync(() => {
    const file = new DatabaseSync(join(directory, "audit.sqlite"))
    try {
      change(file)
    } finally {
      file.close()
    }
  })

/** Recomputes the hashes from a row on, like an attacker who knows the algorithm. */
const rehash = (file: DatabaseSync, from: number) => {
  const rows = file.prepare("SELECT number, body FROM events WHERE number >= ? ORDER BY number").all(from)
  let previous = String(
    file.prepare("SELECT hash FROM events WHERE number = ?").get(from - 1)?.["hash"] ?? "0".repeat(64)
  )
  for (const row of rows) {
    const hash = hashOf(Number(row["number"]), previous, String(row["body"]))
    file
      .prepare("UPDATE events SET previous_hash = ?, hash = ? WHERE number = ?")
      .run(previous, hash, Number(row["number"]))
    previous = hash
  }
}

describe("the check of the audit", () => {
  it.effect("finds an unchanged audit whole, up to its last row", () =>
    Effect.gen(function* () {
      const found = yield* verify(yield* written(20))
      assert.deepInclude(found, { _tag: "Whole", rows: 20, first: 1, last: 20, unproven: 0 })
    })
  )

  it.effect("finds an audit whole that has no event yet", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* verify(yield* written(0)), { _tag: "Whole", rows: 0, last: 0, unproven: 0 })
    })
  )

  it.effect.each<[string, (file: DatabaseSync) => void, number, RegExp]>([
    ["a row in the middle is deleted", (file) => file.exec("DELETE FROM events WHERE number = 7"), 7, /missing/],
    ["the first row is deleted", (file) => file.exec("DELETE FROM events WHERE number = 1"), 1, /missing/],
    ["the last row is deleted", (file) => file.exec("DELETE FROM events WHERE number = 20"), 20, /missing/],
    ["rows are cut from the end", (file) => file.exec("DELETE FROM events WHERE number > 15"), 16, /missing/],
    ["all rows are deleted", (file) => file.exec("DELETE FROM events"), 1, /missing/],
    [
      "who did it is changed",
      (file) => file.exec(`UPDATE events SET body = replace(body, 'key_1', 'key_2') WHERE number = 4`),
      4,
      /changed/
    ],
    ["when it was is changed", (file) => file.exec("UPDATE events SET at_ms = 1 WHERE number = 9"), 9, /instant/],
    ["a hash is changed", (file) => file.exec("UPDATE events SET hash = previous_hash WHERE number = 9"), 9, /changed/],
    [
      "two rows are swapped",
      (file) =>
        file.exec(`UPDATE events SET number = -3 WHERE number = 3; UPDATE events SET number = 3 WHERE number = 8;
          UPDATE events SET number = 8 WHERE number = -3`),
      3,
      /changed/
    ],
    [
      "a row is deleted and those after it take its number",
      (file) =>
        file.exec(`DELETE FROM events WHERE number = 5; UPDATE events SET number = -number WHERE number > 5;
          UPDATE events SET number = -number - 1 WHERE number < 0`),
      5,
      /changed/
    ],
    [
      "a row is changed and every hash after it made right",
      (file) => {
        file.exec(`UPDATE events SET body = replace(body, 'key_1', 'key_2') WHERE number = 4`)
        rehash(file, 4)
      },
      20,
      /rewritten/
    ],
    [
      "rows are cut from the end and others written in their place",
      (file) => {
        file.exec(`UPDATE events SET body = replace(body, 'create', 'delete') WHERE number > 18`)
        rehash(file, 19)
      },
      20,
      /rewritten/
    ],
    [
      "a checkpoint is made up for rows cut from the beginning",
      (file) =>
        file.exec(`INSERT INTO checkpoint SELECT 1, number, hash, 1, hash FROM events WHERE number = 5;
          DELETE FROM events WHERE number <= 5`),
      5,
      /checkpoint was not signed/
    ]
  ])("names the first row that is wrong when %s", ([, change, number, problem]) =>
    Effect.gen(function* () {
      const directory = yield* written(20)
      yield* tamper(directory, change)
      const found = yield* verify(directory)
      assert.deepInclude(found, { _tag: "Broken", number })
      assert.match(found._tag === "Broken" ? found.problem : "", problem)
    })
  )

  it.effect("takes no head that the installation did not sign", () =>
    Effect.gen(function* () {
      const directory = yield* written(20)
      const path = join(directory, HEAD_FILE)
      const text = yield* Effect.promise(() => readFile(path, "utf8"))
      yield* tamper(directory, (file) => file.exec("DELETE FROM events WHERE number > 15"))
      yield* Effect.promise(() => writeFile(path, text.replace('"number":20', '"number":15')))
      const found = yield* verify(directory)
      assert.strictEqual(found._tag, "Broken")
      assert.match(found._tag === "Broken" ? found.problem : "", /was not signed/)
      yield* Effect.promise(() => rm(path))
      assert.match((yield* Effect.flip(verify(directory))).message, /audit\.head: there is no such file/)
    })
  )

  it.effect("says how many rows the head does not prove yet", () =>
    Effect.gen(function* () {
      const directory = yield* directoryWithKey
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        yield* log.write(factsAt(1))
        const head = Effect.promise(() => readFile(join(directory, HEAD_FILE), "utf8").catch(() => "{}"))
        yield* passUntil(head, (text) => text.startsWith('{"number":1,'))
        yield* log.write(factsAt(2))
        const found = yield* verify(directory)
        assert.deepInclude(found, { _tag: "Whole", rows: 2, last: 2, unproven: 1 })
      }).pipe(Effect.provide(logIn(directory)))
    })
  )

  it.effect("finds the rest whole after old events were removed, and misses one that was removed beside", () =>
    Effect.gen(function* () {
      const directory = yield* directoryWithKey
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        for (let index = 1; index <= 20; index++) yield* log.write(factsAt(index * 1_000))
        const removed = yield* (yield* AuditStore).prune(DateTime.makeUnsafe(8_000))
        assert.strictEqual(removed?.number, 7)
        assert.isUndefined(yield* (yield* AuditStore).prune(DateTime.makeUnsafe(8_000)))
      }).pipe(Effect.provide(logIn(directory)))
      assert.deepInclude(yield* verify(directory), { _tag: "Whole", rows: 13, first: 8, last: 20 })
      yield* tamper(directory, (file) => file.exec("DELETE FROM events WHERE number = 8"))
      assert.deepInclude(yield* verify(directory), { _tag: "Broken", number: 8 })
    })
  )

  it.effect("finds an audit whole of which every event was removed, and goes on from there", () =>
    Effect.gen(function* () {
      const directory = yield* directoryWithKey
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        yield* log.write(factsAt(1))
        yield* (yield* AuditStore).prune(DateTime.makeUnsafe(8_000))
      }).pipe(Effect.provide(logIn(directory)))
      assert.deepInclude(yield* verify(directory), { _tag: "Whole", rows: 0, last: 1 })
      yield* Effect.gen(function* () {
        yield* (yield* AuditLog).write(factsAt(2))
      }).pipe(Effect.provide(logIn(directory)))
      assert.deepInclude(yield* verify(directory), { _tag: "Whole", rows: 1, first: 2, last: 2 })
    })
  )

  it.effect("still names the row after a server was started on what was cut, which says so", () =>
    Effect.gen(function* () {
      const directory = yield* written(20)
      yield* tamper(directory, (file) => file.exec("DELETE FROM events WHERE number > 15"))
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        for (let index = 21; index <= 40; index++) yield* log.write(factsAt(index))
        yield* TestClock.adjust("5 seconds")
      }).pipe(Effect.provide(logIn(directory)))
      assert.deepInclude(yield* verify(directory), { _tag: "Broken", number: 20 })
    })
  )
})
