/**
 * The outcome of a suite: the measured claims, and the parts without figures.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Option } from "effect"
import { type Claim, isMet } from "./Claim.ts"
import type { Extent, Suite } from "./Suite.ts"

/** A part of a suite without figures. */
export interface Unmeasured {
  readonly part: string
  readonly reason: string
}

/** The measured claims, the parts left out because the machine lacks a requirement, and the failed parts. */
export interface Outcome {
  readonly claims: ReadonlyArray<Claim>
  readonly leftOut: ReadonlyArray<Unmeasured>
  readonly failed: ReadonlyArray<Unmeasured>
}

/** Returns true if every goal is met and no part failed. Parts left out do not count. */
export const isGood = ({ claims, failed }: Outcome): boolean => failed.length === 0 && claims.every(isMet)

/**
 * Measures the parts of a suite one after the other. Continues if a part fails.
 *
 * **Shape** measures only parts whose names contain `only`.
 */
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
