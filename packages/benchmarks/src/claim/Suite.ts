/**
 * A named set of claims, measured by one command, part by part.
 */
import type { Effect, Option, Scope } from "effect"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import type { Claim } from "./Claim.ts"

/** How much to measure: `quick` has smaller sizes and fewer runs, and ends within 50 s. */
export interface Extent {
  readonly quick: boolean
}

/** Claims that are measured together: another part is measured whatever becomes of this one. */
export interface Part {
  /** What is measured, as the output says it where it was not. */
  readonly name: string
  /** Says in a sentence what this machine lacks for it, if anything. */
  readonly lacks?: Effect.Effect<Option.Option<string>>
  /** Measures one claim after the other. **Errors** whatever the measured thing fails with. */
  readonly measure: (
    extent: Extent
  ) => Effect.Effect<ReadonlyArray<Claim>, { readonly message: string }, Scope.Scope | NodeServices.NodeServices>
}

export interface Suite {
  readonly name: string
  readonly parts: (extent: Extent) => ReadonlyArray<Part>
}
