import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import type { Code } from "@quarterdeck/contract/Problem"
import { PriceEffect } from "@quarterdeck/cost/CostRow"
import type { PriceBook } from "@quarterdeck/cost/PriceBook"
import { eventually } from "@quarterdeck/harness"
import { Clock, Effect, Schema } from "effect"
import { aDay, keep } from "./costHistory.ts"
import { type Call, Deployment, type KeyName } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const PRICES = "/api/v1/prices"
const put = (body: unknown, key: KeyName = "admin"): Call => ({ method: "PUT", key, body })

const cpu = (cpuPerCoreHour: number, more: object = {}) => ({
  resource: "node",
  match: {},
  cpuPerCoreHour,
  ...more
})

/** Replaces the present book by one that was made of it. */
const replaced = Effect.fnUntraced(function* (change: (book: PriceBook) => object) {
  const deployment = yield* Deployment
  const before = yield* deployment.prices()
  const reply = yield* deployment.call(PRICES, put(change(before)))
  assert.strictEqual(reply.status, 200, reply.text)
  const after = yield* deployment.prices()
  assert.deepStrictEqual(JSON.parse(reply.text), JSON.parse(JSON.stringify(after)))
  return { before, after }
})

const DRY_RUN = `${PRICES}?dryRun=true`
const decodeEffect = Schema.decodeUnknownEffect(Schema.fromJsonString(PriceEffect), { onExcessProperty: "error" })
const decodeEvents = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList))

const preview = Effect.fnUntraced(function* (book: object) {
  const reply = yield* (yield* Deployment).call(DRY_RUN, put(book))
  assert.strictEqual(reply.status, 200, reply.text)
  return yield* decodeEffect(reply.text)
})

onOneDriver("prices", { children: [], furnish: keep(["hub"]) }, (it) => {
  it.effect("every key reads the rates, with the version that a change must name", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const key of ["viewer", "operator", "admin", "shopViewer"] as const) {
        const { currency, default: usual, version } = yield* deployment.prices({ key })
        assert.isAtLeast(version, 1)
        assert.strictEqual(currency, "USD")
        assert.strictEqual(usual.aws.cpuPerCoreHour, 0.031611)
      }
    })
  )

  it.effect("an unscoped Admin replaces the book, which is read again with the next version", () =>
    Effect.gen(function* () {
      const { after, before } = yield* replaced((book) => ({ ...book, overrides: [cpu(0.05)] }))
      assert.strictEqual(after.version, before.version + 1)
      assert.deepStrictEqual(after.overrides, [{ resource: "node", match: {}, cpuPerCoreHour: 0.05 }])
    })
  )

  it.effect("409 for a book that was changed since it was read; nothing is changed", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const read = yield* deployment.prices()
      const { after } = yield* replaced((book) => ({ ...book, overrides: [cpu(0.06)] }))
      const problem = yield* deployment.problem(PRICES, put({ ...read, overrides: [] }))
      assert.deepInclude(problem, { status: 409, code: "prices_stale", field: "version" })
      assert.deepStrictEqual(yield* deployment.prices(), after)
    })
  )

  it.effect.each<KeyName>(["viewer", "operator", "prodAdmin", "shopAdmin"])("403 for a change by %s", (key) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const problem = yield* deployment.problem(PRICES, put({}, key))
      assert.deepInclude(problem, { status: 403, code: "role_forbidden" })
    })
  )

  it.effect.each<[string, (book: PriceBook) => unknown, number, Code, string | undefined]>([
    [
      "a negative price",
      (book) => ({ ...book, overrides: [cpu(-1)] }),
      400,
      "invalid_body",
      "overrides[0].cpuPerCoreHour"
    ],
    [
      "a misspelt match",
      (book) => ({ ...book, overrides: [cpu(1, { match: { clusters: "hub" } })] }),
      400,
      "invalid_body",
      "overrides[0].match.clusters"
    ],
    [
      "an override of nothing",
      (book) => ({ ...book, overrides: [{ resource: "node", match: {} }] }),
      400,
      "invalid_body",
      "overrides[0]"
    ],
    [
      "two overrides of one thing",
      (book) => ({ ...book, overrides: [cpu(1), cpu(2)] }),
      400,
      "invalid_body",
      "overrides[1]"
    ],
    ["a currency that is none", (book) => ({ ...book, currency: "dollar" }), 400, "invalid_body", "currency"],
    [
      "another currency than the costs that there are",
      (book) => ({ ...book, currency: "EUR" }),
      400,
      "invalid_body",
      "currency"
    ],
    ["a rate of zero", (book) => ({ ...book, rate: 0 }), 400, "invalid_body", "rate"],
    [
      "an instant before what is kept by the hour",
      (book) => ({ ...book, overrides: [cpu(1, { validFrom: "2020-01-01T00:00:00Z" })] }),
      400,
      "invalid_body",
      "overrides[0].validFrom"
    ],
    ["an unknown field", (book) => ({ ...book, discount: 5 }), 400, "invalid_body", "discount"],
    ["no version", (book) => ({ ...book, version: undefined }), 400, "invalid_body", "version"],
    ["more than 1 MiB", (book) => ({ ...book, currency: "E".repeat(1_100_000) }), 413, "body_too_large", undefined]
  ])("refuses a book with %s, and keeps the old one", ([, change, status, code, field]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const before = yield* deployment.prices()
      const problem = yield* deployment.problem(PRICES, put(change(before)))
      assert.deepInclude(problem, { status, code, ...(field === undefined ? {} : { field }) })
      assert.deepStrictEqual(yield* deployment.prices(), before)
    })
  )

  it.effect("a dry run tells the totals of the last seven days by either book, and changes nothing", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const present = yield* deployment.prices()
      const { after, before } = yield* preview({ ...present, overrides: [cpu(3)] })
      // Two workloads of 1 and 0.5 cores, for as many hours as the reports say.
      const { totals } = yield* deployment.costs("?range=7d")
      assert.strictEqual(before.hoursExisted, totals.hoursExisted)
      assert.isAbove(after.cpuCoreHours, 0)
      assert.closeTo(after.cpuCost, after.cpuCoreHours * 3, 1e-6)
      assert.isBelow(before.cpuCost, after.cpuCost)
      const same = yield* preview(present)
      assert.deepStrictEqual([same.after, same.before.cpuCost], [same.before, before.cpuCost])
      assert.deepStrictEqual(yield* deployment.prices(), present)
    })
  )

  it.effect.each<[string, KeyName, (book: PriceBook) => unknown, number, Code]>([
    ["of a scoped Admin", "prodAdmin", (book) => book, 403, "role_forbidden"],
    ["of a Viewer", "viewer", (book) => book, 403, "role_forbidden"],
    ["of another version", "admin", (book) => ({ ...book, version: book.version + 1 }), 409, "prices_stale"],
    ["of a negative price", "admin", (book) => ({ ...book, overrides: [cpu(-1)] }), 400, "invalid_body"],
    ["of another currency", "admin", (book) => ({ ...book, currency: "EUR" }), 400, "invalid_body"],
    ["of more than 1 MiB", "admin", (book) => ({ ...book, currency: "E".repeat(1_100_000) }), 413, "body_too_large"]
  ])("a dry run %s is refused as the change would be", ([, key, change, status, code]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const book = change(yield* deployment.prices())
      const [dry, real] = [
        yield* deployment.problem(DRY_RUN, put(book, key)),
        yield* deployment.problem(PRICES, put(book, key))
      ]
      assert.deepInclude(dry, { status, code })
      assert.deepStrictEqual(
        [dry.status, dry.code, dry.detail, dry.field],
        [real.status, real.code, real.detail, real.field]
      )
    })
  )

  it.effect.each(["yes", "", "TRUE", "true&dryRun=true"])("400 for dryRun=%s, and nothing is changed", (text) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const before = yield* deployment.prices()
      const book = { ...before, overrides: [cpu(77)] }
      const problem = yield* deployment.problem(`${PRICES}?dryRun=${text}`, put(book))
      assert.deepInclude(problem, { status: 400, code: "invalid_parameter", field: "dryRun" })
      assert.deepStrictEqual(yield* deployment.prices(), before)
    })
  )

  it.effect("what is no dry run to the route is none to the audit", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const headers = [["X-Request-Id", "double.mark"]] as const
      const book = yield* deployment.prices()
      const problem = yield* deployment.problem(`${PRICES}??dryRun=true`, { ...put(book), headers })
      assert.deepInclude(problem, { status: 400, code: "unknown_parameter", field: '"?dryRun"' })
      const events = yield* eventually(
        "the refused change is told",
        Effect.map(
          Effect.flatMap(deployment.call("/api/v1/audit?resource=prices&limit=5000", { key: "admin" }), ({ text }) =>
            decodeEvents(text)
          ),
          ({ events }) => events.filter(({ requestId }) => requestId === "double.mark")
        ),
        ({ length }) => length > 1
      )
      assert.deepStrictEqual(
        events.map(({ status, target, verb }) => [verb, status, target.object]),
        [
          ["operate", 400, undefined],
          ["operate", 0, undefined]
        ]
      )
    })
  )

  it.effect("dryRun=false changes the book", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const before = yield* deployment.prices()
      const reply = yield* deployment.call(`${PRICES}?dryRun=false`, put({ ...before, overrides: [cpu(0.07)] }))
      assert.strictEqual(reply.status, 200, reply.text)
      assert.strictEqual((yield* deployment.prices()).version, before.version + 1)
    })
  )

  it.effect("a dry run is no change in the audit, and a denied one says what it was", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const book = yield* deployment.prices()
      const sent = (requestId: string, path: string, key: KeyName) =>
        deployment.call(path, { ...put(book, key), headers: [["X-Request-Id", requestId]] })
      const eventsOf = Effect.fnUntraced(function* (requestId: string) {
        const { text } = yield* deployment.call("/api/v1/audit?resource=prices&limit=5000", { key: "admin" })
        const { events } = yield* decodeEvents(text)
        return events.filter((event) => event.requestId === requestId)
      })
      yield* sent("dry", DRY_RUN, "admin")
      yield* sent("real", PRICES, "admin")
      // Denials are folded while others of the same second are many.
      let attempt = 0
      const denied = Effect.suspend(() => {
        const requestId = `denied.${attempt++}`
        return Effect.andThen(sent(requestId, DRY_RUN, "viewer"), eventsOf(requestId))
      })
      const [event] = yield* eventually("the denial is told", denied, ({ length }) => length > 0, {
        within: "20 seconds"
      })
      assert.deepInclude(event, { verb: "read", decision: "deny", status: 403, code: "role_forbidden" })
      assert.strictEqual(event?.target.object, "dryRun")
      const outcomes = yield* eventually("the change is told", eventsOf("real"), ({ length }) => length > 1, {
        within: "20 seconds"
      })
      assert.deepStrictEqual(
        outcomes.map(({ status, verb }) => [verb, status]),
        [
          ["operate", 200],
          ["operate", 0]
        ]
      )
      assert.lengthOf(yield* eventsOf("dry"), 0)
    })
  )

  it.effect("a key that reaches some clusters only does not learn of others by their prices", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* replaced((book) => ({
        ...book,
        overrides: [cpu(0.1), cpu(0.2, { match: { cluster: "prod" } }), cpu(0.3, { match: { cluster: "secret" } })]
      }))
      const { text } = yield* deployment.call(PRICES, { key: "prodViewer" })
      assert.include(text, '"prod"')
      assert.notInclude(text, "secret")
      assert.strictEqual((yield* deployment.prices()).overrides.length, 3)
    })
  )

  it.effect("a new price with an earlier date charges closed hours anew", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const nowMs = yield* Clock.currentTimeMillis
      const validFrom = new Date(nowMs - 10 * 86_400_000).toISOString()
      const day = yield* aDay
      const cost = Effect.map(
        deployment.costs(day, { namespaces: ["shop"] }),
        ({ aggregatedWorkloads }) => aggregatedWorkloads[0]?.cpuCost
      )
      assert.strictEqual(yield* cost, 24)
      yield* replaced((book) => ({ ...book, overrides: [cpu(100, { validFrom })] }))
      yield* eventually("a core costs 100 an hour", cost, (now) => now === 2_400, { within: "20 seconds" })
    })
  )

  it.effect("the header is not read, and a parameter is refused", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const reply = yield* deployment.call(PRICES, { headers: [["X-Service-Cluster", "||"]] })
      assert.strictEqual(reply.status, 200)
      assert.deepInclude(yield* deployment.problem(`${PRICES}?cluster=hub`), {
        status: 400,
        code: "unknown_parameter",
        field: "cluster"
      })
    })
  )
})
