import { assert, describe, layer } from "@effect/vitest"
import { type Code, Problem } from "@quarterdeck/contract/Problem"
import { Embedded } from "@quarterdeck/harness"
import { Deferred, Effect, Schema } from "effect"
import { Deployment } from "./Deployment.ts"

const decodeProblem = Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))

/** How many requests are on their way at any time. */
const PARALLEL = 500
/** How many begin once the revocation was answered. */
const AFTER = PARALLEL

describe("a revocation that races 500 requests", () => {
  layer(
    Deployment.layer({
      driver: Embedded.driver,
      children: [],
      options: { limits: { keyPerSecond: 0, failedPerSecond: 0 } }
    }),
    { timeout: "60 seconds", excludeTestServices: true }
  )((it) => {
    it.effect.each<[string, (id: string) => readonly [path: string, method: string, body?: object]]>([
      ["revoked", (id) => [`/api/v1/apiKeys/${id}`, "DELETE"]],
      ["rotated without grace", (id) => [`/api/v1/apiKeys/${id}/rotate`, "POST", {}]]
    ])("of a key that is %s: none that begins after the reply succeeds", ([, callOf]) =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        const { apiKey, raw } = yield* createKey({ name: "racing", rule: { role: "Viewer" } })
        const underWay = yield* Deferred.make<void>()
        let isOver = false
        let passed = 0
        let begunAfter = 0
        const late: Array<number> = []
        const codes = new Set<Code>()

        /** Asks one after the other until enough have begun after the reply. */
        const ask = Effect.gen(function* () {
          while (begunAfter < AFTER) {
            const beganAfter = isOver
            if (beganAfter) begunAfter++
            const { status, text } = yield* call("/api/v1/whoami", { bearer: raw })
            if (beganAfter) late.push(status)
            if (status === 200 && ++passed === PARALLEL) yield* Deferred.succeed(underWay, undefined)
            if (status !== 200) codes.add((yield* decodeProblem(text)).code)
          }
        })
        const [path, method, body] = callOf(apiKey.id)
        const end = Effect.gen(function* () {
          yield* Deferred.await(underWay)
          const { status, text } = yield* call(path, { method, key: "admin", ...(body === undefined ? {} : { body }) })
          isOver = true
          assert.isBelow(status, 300, text)
        })
        yield* Effect.all([end, ...Array.from({ length: PARALLEL }, () => ask)], {
          concurrency: "unbounded",
          discard: true
        })
        assert.isAtLeast(passed, PARALLEL)
        assert.isAtLeast(late.length, AFTER)
        assert.deepStrictEqual([...new Set(late)], [401])
        for (const code of codes) assert.include(["key_revoked", "key_expired"], code)
      })
    )
  })
})
