import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as CsvReader from "../../src/export/CsvReader.ts"
import * as HourCsv from "../../src/export/HourCsv.ts"
import { HourFile } from "../../src/export/HourFile.ts"
import * as Checksum from "../../src/export/Checksum.ts"
import { at, hour, series } from "../store/samples.ts"

const HOUR = 3_600_000
const monday = at("2026-03-02T00:00")
const first = hour(monday, [[series("web", { labels: { app: "web" } }), { cpuCostNanos: 5 }]])
const second = hour(monday + HOUR, [[series("web", { labels: { app: "web" } }), { cpuCostNanos: 6 }]])

const recordsOf = (text: string) => CsvReader.make(1_000_000).push(text).records

const fileOf = (...hours: ReadonlyArray<typeof first>) => {
  const seal = Checksum.make()
  const body = hours.flatMap((one) => [...HourCsv.print(one, seal)])
  return recordsOf([HourCsv.line(HourCsv.HEADER), ...body, HourCsv.printEnd(seal)].join(""))
}

const readAll = Effect.fnUntraced(function* (records: ReturnType<typeof recordsOf>) {
  const file = new HourFile()
  const hours = yield* Effect.forEach(records, (record) => file.take(record))
  yield* file.end()
  return hours.filter((one) => one !== undefined)
})

const problemOf = (records: ReturnType<typeof recordsOf>) =>
  Effect.map(Effect.flip(readAll(records)), ({ message }) => message)

describe("the records of an exported file", () => {
  it.effect("give each hour with the record that closes it", () =>
    Effect.gen(function* () {
      const file = new HourFile()
      const given = yield* Effect.forEach(fileOf(first, second), (record) =>
        Effect.map(file.take(record), Option.fromUndefinedOr)
      )
      assert.deepStrictEqual(
        given.map((one) => Option.map(one, ({ startMs }) => startMs)),
        [
          ...[Option.none(), Option.none(), Option.none(), Option.some(first.startMs)],
          ...[Option.none(), Option.none(), Option.some(second.startMs), Option.none()]
        ]
      )
      yield* file.end()
    })
  )

  it.effect("are refused when hours fall, when one is missing, and behind the end", () =>
    Effect.gen(function* () {
      assert.include(yield* problemOf(fileOf(second, first)), "must be adjacent and ascending")
      const records = fileOf(first, second)
      assert.include(yield* problemOf(records.toSpliced(4, 3)), "hours were removed or added")
      assert.include(yield* problemOf(records.slice(0, -1)), "hours are missing")
      assert.include(yield* problemOf([...records, ...records.slice(1, 2)]), "a record follows the end record")
    })
  )
})
