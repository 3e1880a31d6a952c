/**
 * What the cost history claims: reports, closings, room, and a large fleet.
 */
import { Effect } from "effect"
import type { Suite } from "../Suite.ts"
import { scale } from "./scale.ts"
import { closings, reports } from "./store.ts"

export const cost: Suite = {
  name: "cost",
  measure: Effect.fnUntraced(function* (extent) {
    return [
      ...(yield* Effect.scoped(reports(extent))),
      ...(yield* Effect.scoped(closings(extent))),
      ...(yield* Effect.scoped(scale(extent)))
    ]
  })
}
