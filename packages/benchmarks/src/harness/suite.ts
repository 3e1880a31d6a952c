/**
 * The claims of the harness: starts, resets, seeds and memory of several clusters.
 */
import type { Suite } from "../claim/Suite.ts"
import { memory } from "./memory.ts"
import { resets } from "./resets.ts"
import { seeds } from "./seeds.ts"
import { starts } from "./starts.ts"

export const harness: Suite = {
  name: "harness",
  parts: (extent) => [...starts(extent), ...resets, seeds, memory]
}
