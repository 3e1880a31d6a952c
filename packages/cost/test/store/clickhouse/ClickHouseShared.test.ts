import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import { CostStore } from "../../../src/store/CostStore.ts"
import { layerClickHouse } from "../../../src/store/ClickHouse.ts"
import { HOUR_MS, hourOf } from "../../../src/hour/Units.ts"
import * as Server from "./Server.ts"
import { addedUp, amountsOf, at, cost, days, hour, hoursFrom, prod, series, stage } from "../samples.ts"

const monday = at("2026-03-02T00:00")
const window = { startMs: monday, endMs: monday + days(9) }

/** A program of its own on a database. */
const programOn = (url: URL, timeoutMs = 60_000) =>
  Effect.map(Layer.build(Layer.fresh(layerClickHouse({ url: Redacted.make(url), timeoutMs }))), (context) =>
    Context.get(context, CostStore)
  )

const failureOn = (url: URL, timeoutMs?: number) => Effect.flip(programOn(url, timeoutMs))

/** A way to a server on which the answer to the first statement that begins so is lost. */
const losing = (url: URL, beginning: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: URL; readonly lost: () => number; readonly close: () => void }>((resume) => {
      let lost = 0
      const server = createServer((asked, reply) => {
        const { headers, method, url: path = "/" } = asked
        const query = new URL(path, url).searchParams.get("query") ?? ""
        const loses = lost === 0 && query.startsWith(beginning)
        if (loses) lost++
        const onward = request(new URL(path, url.origin), { method, headers }, (answer) => {
          if (loses) answer.resume().on("end", () => asked.socket.destroy())
          else answer.pipe(reply.writeHead(answer.statusCode ?? 500, answer.headers))
        })
        asked.pipe(onward.on("error", () => asked.socket.destroy()))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        if (typeof address !== "object" || address === null) return
        const way = new URL(url)
        way.port = String(address.port)
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: way, lost: () => lost, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** A server that accepts and says nothing. */
const silent = Effect.acquireRelease(
  Effect.callback<{ readonly url: URL; readonly close: () => void }>((resume) => {
    const server = createServer(() => undefined)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address !== "object" || address === null) return
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: new URL(`http://u:secret@127.0.0.1:${address.port}/x`), close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("a cost history in ClickHouse that programs share", () => {
  Server.tested(() => {
    it.live("takes an hour from one of many programs that close it at once", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const programs = [yield* programOn(url), yield* programOn(url), yield* programOn(url), yield* programOn(url)]
        for (let index = 0; index < 5; index++) {
          const startMs = monday + index * HOUR_MS
          const outcomes = yield* Effect.forEach(
            programs,
            (store, place) => Effect.result(store.close(cost(startMs, "api", place + 1))),
            { concurrency: "unbounded" }
          )
          const won = outcomes.flatMap((outcome, place) => (outcome._tag === "Success" ? [place] : []))
          const refused = outcomes.flatMap((outcome) =>
            outcome._tag === "Failure" ? [outcome.failure.reason._tag] : []
          )
          assert.strictEqual(won.length, 1)
          assert.deepStrictEqual(refused, ["HourClosed", "HourClosed", "HourClosed"])
          const read = yield* (programs[0] ?? assert.fail()).hours(prod, { startMs, endMs: startMs + HOUR_MS })
          assert.deepStrictEqual(read, [cost(startMs, "api", (won[0] ?? 0) + 1)])
        }
      })
    )

    it.live("takes the hours of many programs that each have their clusters", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const programs = [yield* programOn(url), yield* programOn(url)]
        const [ours = [], theirs = []] = [prod, stage].map((cluster) =>
          hoursFrom(monday, 8).map((startMs, index) => cost(startMs, "api", index + 1, { cluster }))
        )
        yield* Effect.forEach(
          programs,
          (store, place) => Effect.forEach(place === 0 ? ours : theirs, (one) => store.close(one)),
          { concurrency: "unbounded" }
        )
        for (const store of programs) {
          assert.deepStrictEqual(yield* store.hours(prod, window), ours)
          assert.deepStrictEqual(yield* store.hours(stage, window), theirs)
        }
      })
    )

    it.live("shows a rewrite of many hours whole or not at all, however often one looks", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const [writer, reader] = [yield* programOn(url), yield* programOn(url)]
        const all = (amount: number) => hoursFrom(monday, 30).map((startMs) => cost(startMs, "api", amount))
        yield* writer.rewrite(all(1))
        const seen: Array<number | undefined> = []
        const look = Effect.map(reader.sums([prod], window), ([sums]) => seen.push(sums?.columns.cpuCostNanos[0]))
        const rewrites = Effect.forEach([2, 3, 4, 5], (amount) => writer.rewrite(all(amount)), { discard: true })
        yield* Effect.race(Effect.forever(look), rewrites)
        assert.isAbove(seen.length, 2)
        for (const amount of seen) assert.include([30, 60, 90, 120, 150], amount)
      })
    )

    it.live("counts nothing of what was written and never committed", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        yield* store.close(cost(monday, "api", 5))
        // A program that was killed before its commit leaves rows of a generation that nothing names.
        yield* Server.ask(url, "INSERT INTO hours SELECT * REPLACE (generation + 1 AS generation) FROM hours")
        const [sums] = yield* store.sums([prod], window)
        assert(sums !== undefined)
        assert.deepStrictEqual(amountsOf(sums), addedUp([cost(monday, "api", 5)], monday, window.endMs).amounts)
        assert.deepStrictEqual(yield* store.hours(prod, window), [cost(monday, "api", 5)])
      })
    )

    it.live("reads the same in a program that starts later, whatever the names", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const labels = {
          "a\\b": "'; DROP TABLE hours; --",
          tab: "\t\n\r",
          quote: '"{x:UInt8}',
          ü: "漢字 😀",
          empty: ""
        }
        const closed = hour(monday, [
          [
            series('it\'s \\n a "name"', { namespace: "`ns`", kind: "{k:String}", uid: "\\N", labels }),
            { cpuCostNanos: 7 }
          ],
          [series("", { namespace: "", kind: "", uid: "", labels: {} }), { memoryCostNanos: -8 }]
        ])
        yield* Effect.scoped(Effect.flatMap(programOn(url), (store) => store.close(closed)))
        const store = yield* programOn(url)
        assert.deepStrictEqual(yield* store.hours(prod, window), [closed])
        const [sums] = yield* store.sums([prod], window)
        assert(sums !== undefined)
        assert.deepStrictEqual(amountsOf(sums), amountsOf(closed))
      })
    )

    it.live("takes nothing from an hour that is no whole numbers, and goes on", () =>
      Effect.gen(function* () {
        const store = yield* programOn(yield* Server.freshDatabase)
        for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
          const error = yield* Effect.flip(store.close(cost(monday, "db", wrong)))
          assert.strictEqual(error.message, `could not close an hour: ${wrong} is not a whole number`)
        }
        const large = yield* Effect.flip(store.close(cost(monday, "db", 2 ** 63)))
        assert.strictEqual(large.message, `could not close an hour: ${2 ** 63} is too large`)
        yield* Effect.flip(store.rewrite([cost(monday, "api", 1), cost(monday + 1, "api", 1)]))
        assert.deepStrictEqual(yield* store.extents, [])
        yield* store.close(cost(monday, "api", 5))
      })
    )

    it.live("takes an hour once, and says so, though the word of it is lost on the way", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const lossy = yield* losing(url, "INSERT INTO ledger")
        const store = yield* programOn(lossy.url)
        yield* store.close(cost(monday, "api", 5))
        assert.isAbove(lossy.lost(), 0)
        yield* store.rewrite([cost(monday + HOUR_MS, "api", 6)])
        const read = yield* store.hours(prod, window)
        assert.deepStrictEqual(read, [cost(monday, "api", 5), cost(monday + HOUR_MS, "api", 6)])
        assert.strictEqual(yield* Server.ask(url, "SELECT count() FROM ledger"), "2")
      })
    )

    it.live("answers questions of one's own as the docs put them, without what does not count", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        const startMs = hourOf(yield* Clock.currentTimeMillis) - HOUR_MS
        yield* store.close(cost(startMs, "api", 5))
        yield* store.rewrite([cost(startMs, "api", 2_500_000_000)])
        const page = yield* Effect.promise(() =>
          readFile(new URL("../../../../../docs/tasks/clickhouse.md", import.meta.url), "utf8")
        )
        const [, view = "", question = ""] = /(CREATE VIEW[^;]*);\n\n(SELECT[^;]*);/.exec(page) ?? []
        yield* Server.ask(url, view.replaceAll("quarterdeck.", ""))
        assert.strictEqual(yield* Server.ask(url, question.replaceAll("quarterdeck.", "")), "prod\tshop\t2.5")
      })
    )

    it.live("is refused to an older program, and left as it is", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        yield* Effect.scoped(Effect.flatMap(programOn(url), (store) => store.close(cost(monday, "api", 5))))
        yield* Server.ask(url, "INSERT INTO schema_version (version) VALUES (99)")
        const error = yield* failureOn(url)
        assert.strictEqual(error.reason._tag, "StoreUnreadable")
        assert.strictEqual(
          error.message,
          "the cost history has schema version 99, this program knows 3: run the newer program, or restore a backup"
        )
        assert.strictEqual(yield* Server.ask(url, "SELECT count() FROM hours"), "1")
      })
    )

    it.live("opens in many programs that start at once", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        yield* Effect.forEach([1, 2, 3], () => programOn(url), { concurrency: "unbounded" })
        const store = yield* programOn(url)
        yield* store.close(cost(monday, "api", 5))
      })
    )

    it.live("says what is damaged instead of reading less than there was", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        yield* store.close(
          hour(monday, [
            [series("api"), {}],
            [series("db"), {}]
          ])
        )
        yield* Server.ask(url, "ALTER TABLE hours DELETE WHERE name = 'db'")
        const error = yield* Effect.flip(store.hours(prod, window))
        assert.strictEqual(error.reason._tag, "StoreUnreadable")
        assert.strictEqual(error.message, "the hour 2026-03-02T00:00:00.000Z of prod is damaged: it has 1 of 2 series")
      })
    )

    it.live("tells why it cannot be opened, and never the password", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const wrong = new URL(url)
        wrong.password = "not-the-secret"
        const nowhere = new URL(url)
        nowhere.port = "1"
        const other = new URL(url)
        other.pathname = "/no_such_database"
        const quiet = yield* silent
        for (const [address, timeoutMs] of [
          [wrong, undefined],
          [nowhere, undefined],
          [other, undefined],
          [quiet.url, 300],
          [new URL("ftp://u:secret@host/x"), undefined],
          [new URL("http://u:secret@host/x?compression=1"), undefined]
        ] as const) {
          const error = yield* failureOn(address, timeoutMs)
          assert.strictEqual(error.reason._tag, "StoreUnavailable", address.href)
          assert.notMatch(`${error.message} ${JSON.stringify(error)} ${String(error.stack)}`, /secret|p@ss|p%40ss/)
        }
        const late = yield* failureOn(quiet.url, 300)
        assert.strictEqual(
          late.message,
          "could not bring the tables of the cost history up to date: no answer within 300 ms"
        )
      })
    )
  })
})
