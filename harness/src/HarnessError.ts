/**
 * Why a cluster or a fleet could not be started, stopped or reached.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** The driver cannot run on this machine until `remedy` is done. */
export class DriverUnavailable extends Schema.TaggedError<DriverUnavailable>()("DriverUnavailable", {
  driver: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `the ${this.driver} driver cannot run here: ${this.remedy}`
  }
}

/** One of a cluster's programs ended although it should run; `lastLines` is the end of its log. */
export class ProgramExited extends Schema.TaggedError<ProgramExited>()("ProgramExited", {
  program: Schema.String,
  /** `exit status 1`, `signal SIGKILL`, or why it could not be started. */
  outcome: Schema.String,
  lastLines: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const log = this.lastLines.length === 0 ? "" : `; its last lines:\n${this.lastLines.join("\n")}`
    return `${this.program} ended with ${this.outcome}${log}`
  }
}

/** A cluster did not become ready in time; `last` says what its last probe answered. */
export class ClusterNotReady extends Schema.TaggedError<ClusterNotReady>()("ClusterNotReady", {
  waitedMs: Schema.Natural,
  last: Schema.String,
  lastLines: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const log = this.lastLines.length === 0 ? "" : `; the last lines of its log:\n${this.lastLines.join("\n")}`
    return `not ready after ${this.waitedMs} ms (last probe: ${this.last})${log}`
  }
}

/** No attempt found ports that stayed free until the cluster's programs listened on them. */
export class PortsTaken extends Schema.TaggedError<PortsTaken>()("PortsTaken", {
  attempts: Schema.Natural
}) {
  override get message(): string {
    return `its ports were taken by others in ${this.attempts} attempts`
  }
}

/** The machine refused something that a cluster needs: a file, a directory, a socket, a process. */
export class MachineRefused extends Schema.TaggedError<MachineRefused>()("MachineRefused", {
  /** What was being done, as a verb phrase: `create the data directory`. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `could not ${this.action}: ${why}`
  }
}

/** The options name clusters or users in a way that no fleet can have. */
export class InvalidFleet extends Schema.TaggedError<InvalidFleet>()("InvalidFleet", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/**
 * Every failure of a fleet and its drivers; recover from one with `Effect.catchReason`.
 *
 * **Shape** `cluster` is absent when the failure belongs to no single cluster.
 *
 * @since 0.1.0
 */
export class HarnessError extends Schema.TaggedError<HarnessError>()("HarnessError", {
  cluster: Schema.optionalKey(Schema.String),
  reason: Schema.Union([DriverUnavailable, ProgramExited, ClusterNotReady, PortsTaken, MachineRefused, InvalidFleet])
}) {
  override get message(): string {
    return this.cluster === undefined ? this.reason.message : `cluster ${this.cluster}: ${this.reason.message}`
  }
}
