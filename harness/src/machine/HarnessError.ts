/** Errors of starting, stopping and using clusters and fleets. */
import { Schema } from "effect"
import { MachineRefused, PortsTaken } from "@quarterdeck/embedded-cluster/Machine"

export { MachineRefused, PortsTaken }

/** The driver cannot run on this machine. `remedy` says what to do. */
export class DriverUnavailable extends Schema.TaggedError<DriverUnavailable>()("DriverUnavailable", {
  driver: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `the ${this.driver} driver cannot run here: ${this.remedy}`
  }
}

/** A program of a cluster ended unexpectedly. `lastLines` is the end of its log. */
export class ProgramExited extends Schema.TaggedError<ProgramExited>()("ProgramExited", {
  program: Schema.String,
  /** `exit status 1`, `signal SIGKILL`, or the reason why it could not be started. */
  outcome: Schema.String,
  lastLines: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const log = this.lastLines.length === 0 ? "" : `; its last lines:\n${this.lastLines.join("\n")}`
    return `${this.program} ended with ${this.outcome}${log}`
  }
}

/** A cluster did not become ready in time. `last` is the result of the last probe. */
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

/** The options describe a fleet that cannot exist: for example two clusters of one name. */
export class InvalidFleet extends Schema.TaggedError<InvalidFleet>()("InvalidFleet", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** An option of a seed has an invalid value. */
export class InvalidSeed extends Schema.TaggedError<InvalidSeed>()("InvalidSeed", {
  /** Path of the option: `size.pods`. */
  field: Schema.String,
  /** The allowed values, as a noun phrase. */
  allowed: Schema.String,
  given: Schema.String
}) {
  override get message(): string {
    return `a seed's ${this.field} must be ${this.allowed}, not ${this.given}`
  }
}

/** An object that the seed would create already exists. */
export class SeedConflict extends Schema.TaggedError<SeedConflict>()("SeedConflict", {
  /** The server's message: `namespaces "storefront" already exists`. */
  text: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return (
      `${this.text}: a seed creates its own namespaces, nodes and workloads and does not change existing objects; `
      + "seed a cluster once, before creating anything else, or reset it first (reset or restartEmpty)"
    )
  }
}

/** The action needs a running cluster, but the cluster has been killed. */
export class ClusterDown extends Schema.TaggedError<ClusterDown>()("ClusterDown", {
  /** The action, as a verb phrase: `reset it`. */
  action: Schema.String
}) {
  override get message(): string {
    return `cannot ${this.action} while it is down; restart it first`
  }
}

/** The action needs a cluster whose fleet has been stopped. */
export class FleetEnded extends Schema.TaggedError<FleetEnded>()("FleetEnded", {
  /** The action, as a verb phrase: `reset it`. */
  action: Schema.String
}) {
  override get message(): string {
    return `cannot ${this.action}: its fleet has been stopped`
  }
}

/** A step of preparing a new cluster failed. */
export class SetupFailed extends Schema.TaggedError<SetupFailed>()("SetupFailed", {
  /** The step, as a verb phrase: `start its kubelets`. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `could not ${this.action}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A test's time limit ended before its fleet had started. vitest counts the start towards the test. */
export class StartOutlastsTest extends Schema.TaggedError<StartOutlastsTest>()("StartOutlastsTest", {
  limitMs: Schema.Natural
}) {
  override get message(): string {
    return (
      `the fleet was still starting when the test's time limit of ${this.limitMs} ms ended; the start counts towards it: raise `
      + 'the limit (testTimeout, or the timeout of the test), or start the fleet once, by per: "file" or shareFleet'
    )
  }
}

/** The driver does not support the operation on any machine. */
export class NotSupported extends Schema.TaggedError<NotSupported>()("NotSupported", {
  driver: Schema.String,
  /** The operation, as a noun phrase: `a snapshot`. */
  what: Schema.String
}) {
  override get message(): string {
    return `the ${this.driver} driver does not support ${this.what}`
  }
}

/** The fault is malformed, or needs something that is missing. */
export class InvalidFault extends Schema.TaggedError<InvalidFault>()("InvalidFault", {
  /** The fault's tag: `Latency`. */
  fault: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `the fault ${this.fault} cannot be injected: ${this.problem}`
  }
}

/** Reasons why a container failed to start or ended. */
export const ContainerFailure = Schema.Literals([
  "PrivilegedRefused",
  "Cgroups",
  "InotifyLimits",
  "OutOfMemory",
  "DiskFull",
  "NoNetwork",
  "BadFlag",
  "Exited"
])

/** A cluster's container did not start, or ended unexpectedly. `lastLines` is the end of its log. */
export class ContainerFailed extends Schema.TaggedError<ContainerFailed>()("ContainerFailed", {
  kind: ContainerFailure,
  /** Docker's report: `exit status 1`, or the reason why it refused to start the container. */
  outcome: Schema.String,
  /** One sentence that says how to fix it. */
  remedy: Schema.String,
  lastLines: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const log = this.lastLines.length === 0 ? "" : `\nthe last lines of its log:\n${this.lastLines.join("\n")}`
    return `its container failed: ${this.outcome}\n${this.remedy}${log}`
  }
}

/**
 * Any failure of a fleet or a driver. Recover from a single reason with `Effect.catchReason`.
 *
 * **Shape** `cluster` is absent if the failure concerns no single cluster.
 */
export class HarnessError extends Schema.TaggedError<HarnessError>()("HarnessError", {
  cluster: Schema.optionalKey(Schema.String),
  reason: Schema.Union([
    DriverUnavailable,
    ProgramExited,
    ContainerFailed,
    ClusterDown,
    FleetEnded,
    ClusterNotReady,
    PortsTaken,
    MachineRefused,
    InvalidFleet,
    InvalidFault,
    InvalidSeed,
    SeedConflict,
    SetupFailed,
    StartOutlastsTest,
    NotSupported
  ])
}) {
  override get message(): string {
    return this.cluster === undefined ? this.reason.message : `cluster ${this.cluster}: ${this.reason.message}`
  }
}
