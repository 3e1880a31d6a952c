/**
 * Why usage could not be read.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/**
 * The source did not answer, or refused.
 *
 * **Shape** `source` is what was asked, without credentials; `retryAfterMs` is there where the source itself said how long
 * to leave it alone.
 */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  cluster: ClusterName,
  source: Schema.String,
  problem: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Natural),
  /** Where the past ends that could not be read. **Units** milliseconds since the epoch. For what asks for a past. */
  untilMs: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `usage of ${this.cluster} from ${this.source}: ${this.problem}`
  }

  /** The message where the cluster is named already. */
  get explanation(): string {
    return `${this.source}: ${this.problem}`
  }
}

/** Says of a past where it ends that could not be read. */
export const until = ({ cluster, problem, retryAfterMs, source }: UsageError, untilMs: number): UsageError =>
  new UsageError({ cluster, source, problem, untilMs, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
