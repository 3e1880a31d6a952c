/**
 * The plan and the results of a load, exchanged between the benchmark and the load generator.
 */
import { Schema } from "effect"

/** A request to send. **Shape** `path` includes the query. */
export const Question = Schema.Struct({ path: Schema.String, key: Schema.String })
export type Question = typeof Question.Type

/**
 * A load over several connections. Each sends its next request as soon as it has an answer.
 *
 * **Shape** the connections share the list of questions and take them in turn. With `pages`, a connection follows the cursor
 * of an answer once. `status` is the expected status, by default 200.
 *
 * **Units** seconds.
 */
export const Plan = Schema.Struct({
  port: Schema.Int,
  connections: Schema.Int,
  seconds: Schema.Finite,
  questions: Schema.Array(Question),
  pages: Schema.Boolean,
  status: Schema.optionalKey(Schema.Int)
})
export type Plan = typeof Plan.Type

/**
 * The counts, the rate and the latencies of a load.
 *
 * **Shape** `asked` counts started requests, `refused` answers with another status than the plan's.
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
