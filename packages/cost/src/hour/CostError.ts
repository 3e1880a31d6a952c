/**
 * Errors of the cost history.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/** The hour is already closed. Only a rewrite can change it. */
export class HourClosed extends Schema.TaggedError<HourClosed>()("HourClosed", {
  cluster: ClusterName,
  startMs: Schema.Int
}) {
  override get message(): string {
    return `the hour ${new Date(this.startMs).toISOString()} of ${this.cluster} is closed already`
  }
}

/** Only the daily sum of the hour's day is stored, so the hour cannot be written. */
export class HourForgotten extends Schema.TaggedError<HourForgotten>()("HourForgotten", {
  cluster: ClusterName,
  startMs: Schema.Int
}) {
  override get message(): string {
    return `the hour ${new Date(this.startMs).toISOString()} of ${this.cluster} is older than the hours that are kept`
  }
}

/** The store itself failed: its file, server or worker. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  /** The failed action, as a verb phrase. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `could not ${this.action}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** The disk is full, so nothing was written. The same call succeeds once the disk has room again. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", {
  /** The call that failed, as a verb phrase. */
  action: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `could not ${this.action}: ${this.problem}`
  }
}

/** The stored data is damaged, or was written by a newer release. */
export class StoreUnreadable extends Schema.TaggedError<StoreUnreadable>()("StoreUnreadable", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** Any error of the cost history. */
export class CostError extends Schema.TaggedError<CostError>()("CostError", {
  reason: Schema.Union([HourClosed, HourForgotten, StoreUnavailable, DiskFull, StoreUnreadable])
}) {
  override get message(): string {
    return this.reason.message
  }
}
