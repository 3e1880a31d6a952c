/**
 * Functions that stop at the first failed step.
 */
import { Result } from "effect"
import type { Outcome } from "./Status.ts"

/** A generator that yields outcomes, and returns a value if none of them is a failure. */
export type Steps<A> = Generator<Outcome<unknown>, A, never>

/**
 * Makes a function from a generator of steps.
 *
 * **Limits** the generator function is created once. A generator function written inside another function would be
 * created for each call. V8 would keep its closure, 2 KB a request, until the next full collection.
 */
export const steps =
  <Given extends ReadonlyArray<unknown>, A>(body: (...given: Given) => Steps<A>) =>
  (...given: Given): Outcome<A> =>
    Result.gen(() => body(...given))
