/**
 * Why the history of costs could not be written or read.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/** The hour has been closed before; only a rewrite changes it. */
export class HourClosed extends Schema.TaggedError<HourClosed>()("HourClosed", {
  cluster: ClusterName,
  startMs: Schema.Int
}) {
  override get message(): string {
    return `the hour ${new Date(this.startMs).toISOString()} of ${this.cluster} is closed already`
  }
}

/** The hour's day is kept as a whole only: its hours were forgotten. */
export class HourForgotten extends Schema.TaggedError<HourForgotten>()("HourForgotten", {
  cluster: ClusterName,
  startMs: Schema.Int
}) {
  override get message(): string {
    return `the hour ${new Date(this.startMs).toISOString()} of ${this.cluster} is older than the hours that are kept`
  }
}

/** The store itself failed: its file, its server, its worker. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  /** What was being done, as a verb phrase. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `could not ${this.action}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** What is kept does not fit this release: written by a newer one, or damaged. */
export class StoreUnreadable extends Schema.TaggedError<StoreUnreadable>()("StoreUnreadable", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/**
 * Every failure of the cost history.
 */
export class CostError extends Schema.TaggedError<CostError>()("CostError", {
  reason: Schema.Union([HourClosed, HourForgotten, StoreUnavailable, StoreUnreadable])
}) {
  override get message(): string {
    return this.reason.message
  }
}
