/**
 * A named set of claims, measured by one command.
 */
import type { Effect, Scope } from "effect"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import type { Claim } from "./Claim.ts"

/** How much to measure: `quick` has smaller sizes and fewer runs, and ends within 50 s. */
export interface Extent {
  readonly quick: boolean
}

/** Measures claims one after the other. **Errors** whatever the measured thing fails with. */
export interface Suite {
  readonly name: string
  readonly measure: (
    extent: Extent
  ) => Effect.Effect<ReadonlyArray<Claim>, { readonly message: string }, Scope.Scope | NodeServices.NodeServices>
}
