/**
 * What a run of a suite came to: the claims that were measured, and which were not and why.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Option } from "effect"
import { type Claim, isMet } from "./Claim.ts"
import type { Extent, Suite } from "./Suite.ts"

/** A part of a suite that has no figures. */
export interface Unmeasured {
  readonly part: string
  readonly reason: string
}

/** Tells what was measured, what the machine lacks, and what broke off. */
export interface Outcome {
  readonly claims: ReadonlyArray<Claim>
  readonly leftOut: ReadonlyArray<Unmeasured>
  readonly failed: ReadonlyArray<Unmeasured>
}

/** Tells whether every goal is kept and nothing broke off; what the machine lacks is no miss. */
export const isGood = ({ claims, failed }: Outcome): boolean => failed.length === 0 && claims.every(isMet)

/** Measures the parts of a suite one after the other, and keeps what is measured when one of them fails: all, or those with `only` in their names. */
export const of = Effect.fnUntraced(function* (
  suite: Suite,
  extent: Extent,
  only: string = ""
): Effect.fn.Return<Outcome, never, NodeServices.NodeServices> {
  const claims: Array<Claim> = []
  const leftOut: Array<Unmeasured> = []
  const failed: Array<Unmeasured> = []
  for (const { lacks = Effect.succeedNone, measure, name } of suite.parts(extent)) {
    if (!name.includes(only)) continue
    const lacking = yield* lacks
    if (Option.isSome(lacking)) {
      leftOut.push({ part: name, reason: lacking.value })
      continue
    }
    const exit = yield* Effect.exit(Effect.scoped(measure(extent)))
    if (Exit.isSuccess(exit)) claims.push(...exit.value)
    else failed.push({ part: name, reason: reasonOf(exit.cause) })
  }
  return { claims, leftOut, failed }
})

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string => {
  const error = Cause.squash(cause)
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)
}
