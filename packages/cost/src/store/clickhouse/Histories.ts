/**
 * ClickHouse adapter of `HistoryStore`.
 */
import { Clock, Effect } from "effect"
import * as HistoryStore from "../HistoryStore.ts"
import { text } from "../sqlite/SqlValue.ts"
import type { Client } from "./Client.ts"

/**
 * Makes the adapter.
 *
 * **Limits** Only one process at a time may save: the one that samples. The later of two records of a key counts.
 */
export const make = ({ insert, read }: Client): HistoryStore.HistoryStore["Service"] => {
  const all = Effect.gen(function* () {
    const records: Array<string> = []
    const sql = "SELECT record FROM histories FINAL"
    yield* read({ action: "read the book of cost histories", sql }, ([record]) => void records.push(text(record)))
    return yield* Effect.forEach(records, (record) => HistoryStore.parse(record))
  })
  const save = Effect.fn("HistoryStore.save")(function* (histories: ReadonlyArray<HistoryStore.KeptHistory>) {
    const version = yield* Clock.currentTimeMillis
    const rows = histories.map((history) => [history.key, version, HistoryStore.print(history)])
    const columns = ["key", "version", "record"] as const
    yield* insert({ action: "keep the book of cost histories", table: "histories", columns, rows })
  })
  return HistoryStore.HistoryStore.of({ all, save })
}
