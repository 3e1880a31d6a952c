/** The two weeks of an overview, of clusters that were observed all the time and of one that left. */
import { assert } from "@effect/vitest"
import { Overview } from "@quarterdeck/contract/OverviewGroup"
import { Effect, Schema } from "effect"
import { keep } from "./costHistory.ts"
import { Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Overview))

const [TWO_WEEKS, EIGHT_DAYS, FIVE_HOURS] = [15 * 24, 8 * 24, 5]

/** `hub` has costs in both weeks. `stage` left in the week before, after five hours. */
const furnish = (directory: string) =>
  Effect.andThen(
    keep(["hub"], { hours: TWO_WEEKS })(directory),
    keep(["stage"], { hours: FIVE_HOURS, endedHoursAgo: EIGHT_DAYS })(directory)
  )

const costOf = Effect.fnUntraced(function* (target: string) {
  const { text } = yield* (yield* Deployment).call("/api/v1/overview", { key: "viewer", headers: to(target) })
  const { cost } = yield* decode(text)
  assert.isDefined(cost)
  return cost
})

onOneDriver("costs of two weeks", { children: ["later"], furnish }, (it) => {
  it.effect("are compared if every cluster was observed for about the same time in both, as cost reports do", () =>
    Effect.gen(function* () {
      const { costs } = yield* Deployment
      const hub = yield* costOf("hub")
      const every = yield* costOf("*")
      assert.closeTo(hub.previous7d ?? -1, 168 * 1.5, 2 * 1.5)
      assert.strictEqual(every.previous7d, null, "stage was observed in the week before only")
      assert.closeTo(every.last7d, hub.last7d, 0.1)
      const report = yield* costs("?range=7d", { compare: true }, { headers: to("hub") })
      assert.closeTo(report.previous?.totals?.totalCost ?? -1, hub.previous7d ?? -2, 2 * 1.5)
    })
  )
})
