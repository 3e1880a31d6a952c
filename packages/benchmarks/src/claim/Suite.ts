/**
 * A named set of claims that one command measures, part by part.
 */
import type { Effect, Option, Scope } from "effect"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import type { Claim } from "./Claim.ts"

/** The extent of a run: `quick` uses smaller sizes and fewer runs, and ends within 50 s. */
export interface Extent {
  readonly quick: boolean
}

/** Claims that are measured together. If a part fails, the next parts are still measured. */
export interface Part {
  /** The name of the part in the output. */
  readonly name: string
  /** Returns, in a sentence, the requirement that this machine lacks, if any. */
  readonly lacks?: Effect.Effect<Option.Option<string>>
  /** Measures the claims one after the other. **Errors** any failure of the measured code. */
  readonly measure: (
    extent: Extent
  ) => Effect.Effect<ReadonlyArray<Claim>, { readonly message: string }, Scope.Scope | NodeServices.NodeServices>
}

export interface Suite {
  readonly name: string
  readonly parts: (extent: Extent) => ReadonlyArray<Part>
}
