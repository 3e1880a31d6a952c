/**
 * What costs claim: reports, closings, room, a large fleet, and that no closed hour is lost.
 */
import { Effect } from "effect"
import type { Suite } from "../Suite.ts"
import { closings } from "./closings.ts"
import { kills } from "./kills.ts"
import { reports } from "./reports.ts"
import { scale } from "./scale.ts"

export const cost: Suite = {
  name: "cost",
  measure: Effect.fnUntraced(function* (extent) {
    return [
      ...(yield* Effect.scoped(reports(extent))),
      ...(yield* Effect.scoped(closings())),
      ...(yield* Effect.scoped(scale(extent))),
      yield* Effect.scoped(kills(extent))
    ]
  })
}
