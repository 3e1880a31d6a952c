/**
 * Reads the time range of a cost request.
 */
import { Retention } from "@quarterdeck/cost/CostReport"
import * as Range from "@quarterdeck/cost/Range"
import { Clock, Effect } from "effect"
import * as CostRefusal from "../refusal/CostRefusal.ts"

/** Makes the function that reads ranges. It fails with `invalid_parameter` and the field. */
export const make = Effect.gen(function* () {
  const { retentionDays } = yield* Retention
  return Effect.fnUntraced(function* (asked: Range.RangeQuery) {
    const parsed = Range.parse(asked, { retentionDays, nowMs: yield* Clock.currentTimeMillis })
    return yield* Effect.fromResult(parsed).pipe(Effect.catch(CostRefusal.fromReport("query")))
  })
})
