import { assert, describe } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect, Metric, Schema } from "effect"
import * as HitRecorder from "../../src/http/hot/HitRecorder.ts"
import { type Call, Deployment, to } from "./Deployment.ts"
import { bytesOf, ordinary, suite, WITHIN, withId } from "./HotSuite.ts"

/** Requests that the fast path refused in this process. */
const refused = Effect.map(Metric.value(HitRecorder.refusals), ({ count }) => count)

const PATH = "/api/v1/workloads"
const TIMES = 20
const from = (address: string) => ["X-Forwarded-For", address] as const

const COUNTED = [
  /^quarterdeck_rate_limited_total/,
  /^quarterdeck_failed_authentications_total/,
  /^quarterdeck_http_requests_total\{.*route="\/api\/v1\/workloads"/,
  /^quarterdeck_http_request_seconds_count\{.*route="\/api\/v1\/workloads"/
]

/** The counters of refusals, by name. */
const counters = Effect.gen(function* () {
  const { call } = yield* Deployment
  const { status, text } = yield* call("/metrics", { key: "admin" })
  assert.strictEqual(status, 200)
  const lines = text.split("\n").filter((line) => COUNTED.some((pattern) => pattern.test(line)))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]))
})

/** Runs an effect, and returns with its result by how much it raised each counter. */
const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* counters
    const value = yield* effect
    const raised = [...(yield* counters)].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    return { value, raised: Object.fromEntries(raised.filter(([, by]) => by !== 0)) }
  })

const Events = Schema.Struct({
  events: Schema.Array(
    Schema.Struct({
      actor: Schema.Record(Schema.String, Schema.Unknown),
      count: Schema.optionalKey(Schema.Number),
      address: Schema.String,
      route: Schema.String,
      resource: Schema.String,
      verb: Schema.String,
      via: Schema.String,
      decision: Schema.String,
      status: Schema.Number,
      code: Schema.optionalKey(Schema.String),
      target: Schema.Unknown
    })
  )
})
const decodeEvents = Schema.decodeUnknownEffect(Schema.fromJsonString(Events))

describe("refusals on the fast path", () => {
  const { clock, it: registered } = suite({
    children: ["prod"],
    options: {
      server: { trustedProxies: ["127.0.0.0/8", "::1"] },
      limits: { keyPerSecond: 1, keyBurst: 12, failedPerSecond: 1, failedBurst: 8 }
    }
  })
  /** Refills the bucket of each key, also of the one that reads metrics and audit. */
  const refill = Effect.sync(() => clock.advance(60_000))
  registered((it) => {
    it.effect("of a key above its limit are those of the normal path, and count the same", () =>
      Effect.gen(function* () {
        yield* refill
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const asked = (ask: typeof askOrdinary, key: "viewer" | "operator") =>
          Effect.forEach(Array.from({ length: 2 * TIMES }), () =>
            Effect.map(ask(PATH, withId({ key, headers: to("*") })), (reply) =>
              reply.status === 200 ? "200" : bytesOf(reply)
            )
          )
        const before = yield* refused
        const hot = yield* counting(asked(askHot, "viewer"))
        // The audit has ten denials of a key singly. The fast path refuses the others.
        assert.isAtLeast((yield* refused) - before, 2 * TIMES - 12 - 11)
        const normal = yield* counting(asked(askOrdinary, "operator"))
        assert.deepStrictEqual(hot, normal)
        assert.strictEqual(hot.raised['quarterdeck_rate_limited_total{limit="key"}'], 2 * TIMES - 12)

        // A key is admitted again at the time that Retry-After names.
        clock.advance(1_000)
        assert.strictEqual((yield* askHot(PATH, withId({ key: "viewer", headers: to("*") }))).status, 200)
        assert.strictEqual((yield* askHot(PATH, withId({ key: "viewer", headers: to("*") }))).status, 429)
      }).pipe(clock.whileStopped)
    )

    it.effect.each<[string, string, string, (time: number) => string]>([
      ["one unknown key", "203.0.113.1", "203.0.113.2", () => "no-such-key"],
      ["unknown keys that all differ", "203.0.113.3", "203.0.113.4", (time) => `guess-${time}`]
    ])("of %s are those of the normal path, and count the same", ([, hotAddress, normalAddress, keyOf]) =>
      Effect.gen(function* () {
        yield* refill
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const asked = (ask: typeof askOrdinary, address: string) =>
          Effect.forEach(Array.from({ length: TIMES }).keys(), (time) =>
            Effect.map(ask(PATH, withId({ bearer: keyOf(time), headers: [from(address)] })), bytesOf)
          )
        const before = yield* refused
        const hot = yield* counting(asked(askHot, hotAddress))
        assert.isAtLeast((yield* refused) - before, TIMES - 8 - 1)
        const normal = yield* counting(asked(askOrdinary, normalAddress))
        assert.deepStrictEqual(hot, normal)
        assert.strictEqual(hot.raised["quarterdeck_failed_authentications_total"], TIMES)
        assert.strictEqual(hot.raised['quarterdeck_rate_limited_total{limit="failed"}'], TIMES - 8)
        // A valid key passes from the same address, and an address below its limit gets 401.
        const valid: Call = { key: "prodViewer", headers: [from(hotAddress), ...to("prod")] }
        assert.strictEqual((yield* askHot(PATH, valid)).status, 200)
        const other: Call = { bearer: keyOf(0), headers: [from(`${hotAddress}9`)] }
        assert.strictEqual((yield* askHot(PATH, other)).status, 401)
      }).pipe(clock.whileStopped)
    )

    it.effect("leave the same in the audit", () =>
      Effect.gen(function* () {
        yield* refill
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const before = yield* refused
        for (let time = 0; time < TIMES; time++) {
          yield* askHot(PATH, withId({ bearer: "of-the-audit", headers: [from("198.51.100.1")] }))
          yield* askOrdinary(PATH, withId({ bearer: "of-the-audit", headers: [from("198.51.100.2")] }))
        }
        assert.isAbove((yield* refused) - before, TIMES / 2)
        clock.advance(61_000)
        const events = yield* eventually(
          "the folded refusals are in the audit",
          Effect.andThen(refill, askHot("/api/v1/audit?limit=500", { key: "admin" })).pipe(
            Effect.flatMap(({ text }) => decodeEvents(text))
          ),
          ({ events: found }) => found.filter(({ address }) => address === "198.51.100.1").length === 3,
          WITHIN
        )
        const of = (wanted: string) =>
          events.events
            .filter(({ address }) => address === wanted)
            .map(({ address: _address, ...event }) => event)
            .toSorted((one, other) => one.status - other.status || (one.count ?? 0) - (other.count ?? 0))
        assert.deepStrictEqual(of("198.51.100.1"), of("198.51.100.2"))
        assert.deepStrictEqual(
          of("198.51.100.1").map(({ count = 1, status }) => [status, count]),
          [
            [401, 1],
            [401, 7],
            [429, TIMES - 8]
          ]
        )
      }).pipe(clock.whileStopped)
    )

    it.effect("end with the key: one that is revoked gets 401 by the next request", () =>
      Effect.gen(function* () {
        yield* refill
        const { call, createKey } = yield* Deployment
        const { apiKey, raw } = yield* createKey({ name: "flood", rule: { role: "Viewer" } })
        const asked = withId({ bearer: raw })
        const before = yield* refused
        for (let time = 0; time < 40; time++) yield* call(PATH, asked)
        assert.isAbove((yield* refused) - before, 0)
        assert.strictEqual((yield* call(PATH, asked)).status, 429)
        clock.advance(12_000)
        assert.isBelow((yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })).status, 300)
        assert.strictEqual((yield* call(PATH, asked)).status, 401)
      }).pipe(clock.whileStopped)
    )

    it.effect("are summarized in the log with the refusals of the normal path", () =>
      Effect.gen(function* () {
        yield* refill
        const { call } = yield* Deployment
        const folded = Effect.map(call("/metrics", { key: "admin" }), ({ text }) =>
          Number(/^quarterdeck_folded_log_lines_total (\d+)/m.exec(text)?.[1] ?? 0)
        )
        const before = { folded: yield* folded, refused: yield* refused }
        for (let time = 0; time < TIMES; time++)
          yield* call(PATH, { bearer: "of-the-log", headers: [from("198.51.100.3")] })
        assert.isAbove((yield* refused) - before.refused, TIMES / 2)
        yield* eventually(
          "most lines are folded",
          Effect.andThen(refill, folded),
          (count) => count - before.folded >= TIMES / 2,
          WITHIN
        )
      }).pipe(clock.whileStopped)
    )
  })
})
