/**
 * The error of usage sources.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/**
 * The source did not answer, refused the query, or sent an invalid response.
 *
 * **Shape** `source` is the queried address without credentials. `retryAfterMs` is the source's `Retry-After`.
 */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  cluster: ClusterName,
  source: Schema.String,
  problem: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Natural),
  /** End of the unreadable part of the past, set by `past` only. **Units** milliseconds since the epoch. */
  untilMs: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `usage of ${this.cluster} from ${this.source}: ${this.problem}`
  }

  /** The message without the cluster's name. */
  get explanation(): string {
    return `${this.source}: ${this.problem}`
  }
}

/** Returns the error with the end of the unreadable part of the past. */
export const until = ({ cluster, problem, retryAfterMs, source }: UsageError, untilMs: number): UsageError =>
  new UsageError({ cluster, source, problem, untilMs, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
