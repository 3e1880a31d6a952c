import { assert } from "@effect/vitest"
import type { PriceBook } from "@quarterdeck/cost/PriceBook"
import { eventually } from "@quarterdeck/harness"
import { Clock, Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { aDay, keep } from "./costHistory.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const PRICES = "/api/v1/prices"
const DAYS_MS = 86_400_000

/** Sends the first bytes of a book, and destroys the socket some turns of the event loop after they are on their way. */
const abort = Effect.fnUntraced(function* (text: string, bytes: number, turns: number) {
  const { host, hostname, port } = new URL((yield* Deployment).url)
  yield* Effect.callback<void>((resume) => {
    const socket = connect(Number(port), hostname)
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.void))
    const head = [
      `PUT ${PRICES} HTTP/1.1`,
      ...[`Host: ${host}`, `Authorization: Bearer ${rawKey("admin")}`, "Content-Type: application/json"],
      `Content-Length: ${Buffer.byteLength(text)}`
    ]
    const leave = (left: number): void => {
      if (left === 0) socket.destroy()
      else setImmediate(() => leave(left - 1))
    }
    socket.write(`${head.join("\r\n")}\r\n\r\n${text.slice(0, bytes)}`, () => leave(turns))
  })
})

/** A book whose parts all say the same figure: half of it would show. */
const bookWith = Effect.fnUntraced(function* (figure: number) {
  const book = yield* (yield* Deployment).prices({ key: "admin" })
  const validFrom = new Date((yield* Clock.currentTimeMillis) - 10 * DAYS_MS).toISOString()
  return {
    ...book,
    rate: 1,
    overrides: [
      { resource: "node", match: {}, cpuPerCoreHour: figure, validFrom },
      { resource: "storage", match: {}, storagePerGiBHour: figure, validFrom }
    ]
  }
})

const figuresOf = ({ overrides }: PriceBook): ReadonlyArray<number> =>
  overrides.map((override) => {
    if (override.resource === "node") return override.cpuPerCoreHour ?? 0
    return override.resource === "storage" ? (override.storagePerGiBHour ?? 0) : 0
  })

const isWhole = (book: PriceBook): boolean => {
  const [first, second, ...more] = figuresOf(book)
  return first === undefined || (first === second && more.length === 0)
}

const History = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ book: Schema.Struct({ version: Schema.Int, overrides: Schema.Array(Schema.Json) }) }))
)

const AnyJson = Schema.fromJsonString(Schema.Json)

/** The version and overrides of the books on the disk. */
const onDisk = Effect.gen(function* () {
  const { dataDirectory } = yield* Deployment
  const text = yield* Effect.promise(() => readFile(join(dataDirectory, "prices.json"), "utf8"))
  return (yield* Schema.decodeUnknownEffect(History)(text)).map(({ book: { overrides, version } }) => ({
    version,
    overrides
  }))
})

/** The same of the book that counts. */
const inMemory = Effect.gen(function* () {
  const { overrides, version } = yield* (yield* Deployment).prices({ key: "admin" })
  return { version, overrides: yield* Schema.decodeUnknownEffect(AnyJson)(JSON.stringify(overrides)) }
})

/** Puts a book, and reads the present one again whenever an aborted one was faster. */
const put = Effect.fnUntraced(function* (figure: number) {
  const deployment = yield* Deployment
  const attempt = Effect.gen(function* () {
    const body = yield* bookWith(figure)
    return yield* deployment.call(PRICES, { method: "PUT", key: "admin", body })
  })
  const { status, text } = yield* eventually("no book comes between", attempt, ({ status }) => status !== 409)
  assert.strictEqual(status, 200, text)
})

onOneDriver("a change of prices that its client aborts", { children: [], furnish: keep(["hub"]) }, (it) => {
  it.effect.each([0, 1, 0.5, -1])("changes nothing where the body is not whole (%d)", (part) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* put(7)
      const before = yield* deployment.prices({ key: "admin" })
      const text = JSON.stringify(yield* bookWith(8))
      const bytes = part < 0 ? text.length + part : part < 1 ? Math.floor(text.length * part) : part
      for (let turns = 0; turns < 4; turns++) yield* abort(text, bytes, turns)
      // Whoever goes on from what was read is not too late: nobody came between.
      const body = { ...(yield* bookWith(9)), version: before.version }
      const reply = yield* deployment.call(PRICES, { method: "PUT", key: "admin", body })
      assert.strictEqual(reply.status, 200, reply.text)
      const after = yield* deployment.prices({ key: "admin" })
      assert.deepStrictEqual([after.version, figuresOf(after)], [before.version + 1, [9, 9]])
      assert.deepStrictEqual((yield* onDisk).at(-1), yield* inMemory)
    })
  )

  it.effect("is made whole or not at all where the body was, in memory, on the disk and in closed hours", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* put(100)
      for (let round = 0; round < 24; round++) {
        const text = JSON.stringify(yield* bookWith(200 + round))
        yield* abort(text, text.length, round)
        const seen = yield* deployment.prices({ key: "admin" })
        assert.isTrue(isWhole(seen), JSON.stringify(seen.overrides))
        yield* put(300 + round)
        const [disk, memory] = [yield* onDisk, yield* inMemory]
        assert.deepStrictEqual(disk.at(-1), memory)
        // Each version once: an aborted change lies before this one, or was refused.
        const versions = disk.map(({ version }) => version)
        assert.deepStrictEqual(
          versions,
          versions.map((_, index) => (versions[0] ?? 0) + index)
        )
      }
      const last = yield* deployment.prices({ key: "admin" })
      const day = yield* aDay
      const cost = Effect.map(
        deployment.costs(day, { namespaces: ["shop"] }),
        ({ aggregatedWorkloads }) => aggregatedWorkloads[0]?.cpuCost
      )
      const [figure = 0] = figuresOf(last)
      yield* eventually("closed hours have the last price", cost, (now) => now === 24 * figure, {
        within: "30 seconds"
      })
    })
  )
})
