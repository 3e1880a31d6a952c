import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { PendingChanges } from "../../src/watch/PendingChanges.ts"

interface Row {
  readonly name: string
  readonly size: number
}

const rowOf = (size: number): Row => ({ name: "web", size })
const pending = () => new PendingChanges<Row>(({ name }) => name)

/** Rows that are put or removed one after the other. Each step may list all rows again, or report the due changes. */
const Steps = Schema.Array(
  Schema.Struct({
    name: Schema.Literals(["api", "db", "web"]),
    size: Schema.Literals([0, 1, 2]),
    isReported: Schema.Boolean,
    isListedAgain: Schema.Boolean
  })
).check(Schema.isMaxLength(20))

const byName = (rows: Iterable<Row>) => [...rows].toSorted((left, right) => (left.name < right.name ? -1 : 1))

/** Pauses between the changes of one row. */
const Pauses = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 }))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(20)
)

describe("changes that wait", () => {
  it("the first change of a row is due 50 ms after it", () => {
    const changes = pending()
    changes.note(rowOf(1), rowOf(2), 1_000)
    assert.strictEqual(changes.due, 1_050)
    assert.deepStrictEqual(changes.take(1_049, 1_049), [])
    assert.deepStrictEqual(changes.take(1_050, 1_050), [{ previous: rowOf(1), next: rowOf(2) }])
    assert.isUndefined(changes.due)
  })

  it("changes that come together are one, and those right after a report are the next", () => {
    const changes = pending()
    for (const [size, now] of [
      [2, 0],
      [3, 40],
      [4, 80]
    ] as const)
      changes.note(rowOf(size - 1), rowOf(size), now)
    assert.deepStrictEqual(changes.take(130, 130), [{ previous: rowOf(1), next: rowOf(4) }])
    changes.note(rowOf(4), rowOf(5), 140)
    changes.note(rowOf(5), rowOf(6), 300)
    assert.deepStrictEqual(changes.take(359, 359), [])
    assert.deepStrictEqual(changes.take(360, 360), [{ previous: rowOf(4), next: rowOf(6) }])
  })

  it("a change that is reverted is no change, and does not hold back the next", () => {
    const changes = pending()
    changes.note(rowOf(1), rowOf(2), 0)
    changes.note(rowOf(2), rowOf(1), 10)
    assert.deepStrictEqual(changes.take(60, 60), [])
    changes.note(rowOf(1), rowOf(3), 70)
    assert.strictEqual(changes.due, 120)
  })

  it("a new row that was listed again is not shown before its report", () => {
    const changes = pending()
    changes.note(undefined, rowOf(1), 0)
    assert.deepStrictEqual(changes.before([rowOf(1)]), [])
  })

  it.prop("without the waiting changes, rows are those that were reported", [Steps], ([steps]) => {
    const changes = pending()
    const rows = new Map<string, Row>()
    const reported = new Map<string, Row>()
    let now = 0
    for (const { isListedAgain, isReported, name, size } of steps) {
      const previous = rows.get(name)
      const next = size === 0 ? undefined : { name, size }
      if (next === undefined) rows.delete(name)
      else rows.set(name, next)
      changes.note(previous, next, now)
      if (isListedAgain) for (const [key, row] of rows) rows.set(key, { ...row })
      now += isReported ? 1_000 : 1
      for (const change of isReported ? changes.take(now, now) : []) {
        if (change.previous !== undefined) reported.delete(change.previous.name)
        if (change.next !== undefined) reported.set(change.next.name, change.next)
      }
      assert.deepStrictEqual(byName(changes.before([...rows.values()])), byName(reported.values()))
    }
  })

  it.prop("no change waits 250 ms, and no two reports of a row are closer than 200 ms", [Pauses], ([pauses]) => {
    const changes = pending()
    const reports: Array<readonly [at: number, size: number]> = []
    const waited: Array<number> = []
    let now = 0
    let noted = 0
    const flushUntil = (end: number) => {
      while (changes.due !== undefined && changes.due <= end) {
        const at = changes.due
        for (const { next } of changes.take(at, at)) reports.push([at, next?.size ?? 0])
      }
    }
    const times: Array<number> = []
    for (const pause of pauses) {
      now += pause
      flushUntil(now)
      times.push(now)
      noted++
      changes.note(rowOf(noted - 1), rowOf(noted), now)
    }
    flushUntil(Number.POSITIVE_INFINITY)
    for (const [index, time] of times.entries()) {
      const report = reports.find(([, size]) => size > index)
      waited.push((report?.[0] ?? Infinity) - time)
    }
    assert.isBelow(Math.max(...waited), 250)
    for (const [index, [at]] of reports.entries()) {
      const before = reports[index - 1]
      if (before !== undefined) assert.isAtLeast(at - before[0], 200)
    }
  })
})
