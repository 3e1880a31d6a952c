/**
 * What the harness claims: starts, resets, seeds and memory of several clusters.
 */
import { Effect } from "effect"
import type { Suite } from "../Suite.ts"
import { memory } from "./memory.ts"
import { resets } from "./resets.ts"
import { seeds } from "./seeds.ts"
import { starts } from "./starts.ts"

export const harness: Suite = {
  name: "harness",
  measure: Effect.fnUntraced(function* (extent) {
    return [...(yield* starts(extent)), ...(yield* resets(extent)), yield* seeds(extent), ...(yield* memory(extent))]
  })
}
