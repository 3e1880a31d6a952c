import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hour, series } from "../store/samples.ts"
import { asking, closing, getWorkloads, monday, reporting } from "./reporting.ts"

describe("pages of a report of workloads", () => {
  it.effect("comes in pages that neither repeat nor leave out a row, with the totals of all", () =>
    Effect.gen(function* () {
      const amounts = Array.from(
        { length: 25 },
        (_, index) => [series(`w-${index}`), { cpuCostNanos: index % 4 }] as const
      )
      yield* closing([
        hour(
          monday,
          amounts.map(([one, amount]) => [one, { ...amount, existedSeconds: 60 }])
        )
      ])
      const whole = yield* getWorkloads(asking())
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page = { limit: 4, ...(cursor === undefined ? {} : { cursor }) }
        const reply = yield* getWorkloads(asking({ page }))
        assert.deepStrictEqual(reply.totals, whole.totals)
        assert.isAtMost(reply.aggregatedWorkloads.length, 4)
        seen.push(...reply.aggregatedWorkloads.map(({ id }) => id))
        cursor = reply.nextCursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        seen,
        whole.aggregatedWorkloads.map(({ id }) => id)
      )
      assert.strictEqual(new Set(seen).size, 25)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("takes a cursor for the same key, filter and range only", () =>
    Effect.gen(function* () {
      yield* closing([
        hour(monday, [
          [series("api"), { cpuCostNanos: 1 }],
          [series("web"), { cpuCostNanos: 2 }]
        ])
      ])
      const { nextCursor } = yield* getWorkloads(asking({ page: { limit: 1 } }))
      assert.isDefined(nextCursor)
      const page = { limit: 1, cursor: nextCursor ?? "" }
      assert.strictEqual((yield* getWorkloads(asking({ page }))).aggregatedWorkloads[0]?.workloadName, "api")
      for (const other of [
        { cursorBinding: "key-2" },
        { filter: { namespaces: ["shop"] } },
        { filter: { workloadTypes: ["Deployment"] } },
        { range: { range: "8d" } },
        { page: { limit: 1, cursor: `${page.cursor}x` } }
      ]) {
        const refused = yield* Effect.flip(getWorkloads(asking({ page, ...other })))
        assert.strictEqual(refused._tag, "CursorInvalid")
      }
    }).pipe(Effect.provide(reporting()))
  )
})
