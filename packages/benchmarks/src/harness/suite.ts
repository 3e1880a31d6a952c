/**
 * What the harness claims: starts, resets, seeds and memory of several clusters.
 */
import { Effect } from "effect"
import type { Suite } from "../Suite.ts"
import { starts } from "./starts.ts"

export const harness: Suite = {
  name: "harness",
  measure: Effect.fnUntraced(function* (extent) {
    return yield* starts(extent)
  })
}
