/** Why a cluster or a fleet could not be started, stopped or reached. */
import { Schema } from "effect"
import { MachineRefused } from "@quarterdeck/embedded-cluster/MachineRefused"
import { PortsTaken } from "@quarterdeck/embedded-cluster/PortsTaken"

export { MachineRefused, PortsTaken }

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

/** The options name clusters or users in a way that no fleet can have. */
export class InvalidFleet extends Schema.TaggedError<InvalidFleet>()("InvalidFleet", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** A seed cannot be of that size, or in that manner. */
export class InvalidSeed extends Schema.TaggedError<InvalidSeed>()("InvalidSeed", {
  /** As it is written: `size.pods`. */
  field: Schema.String,
  /** What may stand there, as a noun phrase. */
  allowed: Schema.String,
  given: Schema.String
}) {
  override get message(): string {
    return `a seed's ${this.field} must be ${this.allowed}, not ${this.given}`
  }
}

/** What a seed was about to create is there already. */
export class SeedConflict extends Schema.TaggedError<SeedConflict>()("SeedConflict", {
  /** The server's words: `namespaces "storefront" already exists`. */
  text: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return (
      `${this.text}: a seed creates its own namespaces, nodes and workloads, and leaves what is there as it is; `
      + "seed a cluster once and before anything else, or take it back by reset or restartEmpty first"
    )
  }
}

/** The cluster was killed, and what was asked for needs one that runs. */
export class ClusterDown extends Schema.TaggedError<ClusterDown>()("ClusterDown", {
  /** What was asked for, as a verb phrase: `reset it`. */
  action: Schema.String
}) {
  override get message(): string {
    return `it is down; restart it to ${this.action}`
  }
}

/** A cluster was told to do something after its fleet had ended. */
export class FleetEnded extends Schema.TaggedError<FleetEnded>()("FleetEnded", {
  /** What was asked for, as a verb phrase: `reset it`. */
  action: Schema.String
}) {
  override get message(): string {
    return `its fleet has ended; nothing is left to ${this.action}`
  }
}

/** What a cluster should begin with could not be put into it. */
export class SetupFailed extends Schema.TaggedError<SetupFailed>()("SetupFailed", {
  /** What was being done, as a verb phrase: `start its kubelets`. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `could not ${this.action}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A test's time was over before its fleet had started; vitest counts the start to the test. */
export class StartOutlastsTest extends Schema.TaggedError<StartOutlastsTest>()("StartOutlastsTest", {
  limitMs: Schema.Natural
}) {
  override get message(): string {
    return (
      `the fleet was still starting when the test's ${this.limitMs} ms were over, to which its start counts: give such tests `
      + 'more time (testTimeout, or their own timeout), or start it once, by per: "file" or shareFleet'
    )
  }
}

/** The driver cannot do that on any machine. */
export class NotSupported extends Schema.TaggedError<NotSupported>()("NotSupported", {
  driver: Schema.String,
  /** What was asked for, as a noun phrase: `a snapshot`. */
  what: Schema.String
}) {
  override get message(): string {
    return `the ${this.driver} driver does not support ${this.what}`
  }
}

/** A fault has a form that none can have, or needs something that is not there. */
export class InvalidFault extends Schema.TaggedError<InvalidFault>()("InvalidFault", {
  /** Its tag: `Latency`. */
  fault: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `the fault ${this.fault} cannot be injected: ${this.problem}`
  }
}

/** What ended a container, or kept it from starting. */
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

/** A cluster's container could not be started, or ended although it should run; `lastLines` is the end of its log. */
export class ContainerFailed extends Schema.TaggedError<ContainerFailed>()("ContainerFailed", {
  kind: ContainerFailure,
  /** What Docker said of it: `exit status 1`, or why it refused to start it. */
  outcome: Schema.String,
  /** One sentence that says what would help. */
  remedy: Schema.String,
  lastLines: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const log = this.lastLines.length === 0 ? "" : `\nthe last lines of its log:\n${this.lastLines.join("\n")}`
    return `its container failed: ${this.outcome}\n${this.remedy}${log}`
  }
}

/**
 * Every failure of a fleet and its drivers; recover from one with `Effect.catchReason`.
 *
 * **Shape** `cluster` is absent when the failure belongs to no single cluster.
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
