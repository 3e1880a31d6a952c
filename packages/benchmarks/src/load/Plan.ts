/**
 * What a load asks, and what came of it: the two files between the bench and the program that asks.
 */
import { Schema } from "effect"

/** A request as it goes out. **Shape** `path` has its query. */
export const Question = Schema.Struct({ path: Schema.String, key: Schema.String })
export type Question = typeof Question.Type

/**
 * Connections that ask one after the other, each as soon as it has its answer.
 *
 * **Shape** questions are asked in turn, by whichever connection is free. With `pages` a connection whose
 * answer has a cursor asks for the page behind it, once.
 *
 * **Units** seconds.
 */
export const Plan = Schema.Struct({
  port: Schema.Int,
  connections: Schema.Int,
  seconds: Schema.Finite,
  questions: Schema.Array(Question),
  pages: Schema.Boolean
})
export type Plan = typeof Plan.Type

/**
 * The counts, the rate and the latencies of a load.
 *
 * **Shape** `asked` counts questions begun, `refused` answers of another status than 200.
 *
 * **Units** milliseconds.
 */
export const Result = Schema.Struct({
  answered: Schema.Int,
  asked: Schema.Int,
  refused: Schema.Int,
  perSecond: Schema.Finite,
  p50: Schema.Finite,
  p99: Schema.Finite
})
export type Result = typeof Result.Type

export const decodePlan = Schema.decodeUnknownSync(Schema.fromJsonString(Plan))
export const decodeResult = Schema.decodeUnknownEffect(Schema.fromJsonString(Result))
