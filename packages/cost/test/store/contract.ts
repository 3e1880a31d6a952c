/** What every store of costs must do. */
import type { Stores } from "./checks.ts"
import { forgets } from "./contractOfForgetting.ts"
import { keepsHours } from "./contractOfHours.ts"
import { sumsAnyHours } from "./contractOfSums.ts"

export const keepsCosts = (stores: Stores, runs: number): void => {
  keepsHours(stores)
  forgets(stores)
  sumsAnyHours(stores, runs)
}
