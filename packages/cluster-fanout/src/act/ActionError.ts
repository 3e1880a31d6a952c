/**
 * Errors of reading and changing a workload or its logs.
 */
import { Schema } from "effect"
import { Coverage } from "../kube/Coverage.ts"

/** The cluster was removed from the registry, or registered again with another connection. */
export class ClusterDropped extends Schema.TaggedError<ClusterDropped>()("ClusterDropped", { cluster: Schema.String }) {
  override get message(): string {
    return `cluster ${this.cluster} is no longer registered, or was registered again with another connection`
  }
}

/** The cluster has no such workload. */
export class WorkloadNotFound extends Schema.TaggedError<WorkloadNotFound>()("WorkloadNotFound", {
  cluster: Schema.String,
  namespace: Schema.String,
  kind: Schema.String,
  name: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} has no ${this.kind} ${this.name} in namespace ${this.namespace}`
  }
}

/** The action does not support this kind. */
export class ActionUnsupported extends Schema.TaggedError<ActionUnsupported>()("ActionUnsupported", {
  action: Schema.String,
  kind: Schema.String,
  kinds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `kind: ${this.action} supports ${this.kinds.join(", ")}, not ${this.kind}`
  }
}

/** The workload has changed since the version that the caller sent. Nothing was changed. */
export class WorkloadChanged extends Schema.TaggedError<WorkloadChanged>()("WorkloadChanged", {
  /** The current version, if known. */
  resourceVersion: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.resourceVersion === undefined
      ? "another client changed the workload at the same time; this action changed nothing"
      : `the workload now has resourceVersion ${this.resourceVersion}; nothing was changed`
  }
}

/** The cluster rejected the change. Nothing was changed. **Shape** `problem` is the cluster's message. */
export class ActionRefused extends Schema.TaggedError<ActionRefused>()("ActionRefused", {
  cluster: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} refused: ${this.problem}`
  }
}

/** The cluster did not answer the change, and a later read proved that nothing was changed. */
export class ActionNotDone extends Schema.TaggedError<ActionNotDone>()("ActionNotDone", {
  coverage: Coverage
}) {
  override get message(): string {
    return `${this.coverage.error?.message ?? `cluster ${this.coverage.name} did not answer`}; nothing was changed`
  }
}

/** The cluster did not answer the change, and later reads did not show whether it was applied. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  cluster: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} did not answer the change, which may have been applied; check the workload before you retry`
  }
}

/** The cluster has no such pod. */
export class PodNotFound extends Schema.TaggedError<PodNotFound>()("PodNotFound", {
  cluster: Schema.String,
  namespace: Schema.String,
  name: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} has no pod ${this.name} in namespace ${this.namespace}`
  }
}

/** The pod has no such container, or has several and the caller named none. */
export class ContainerUnclear extends Schema.TaggedError<ContainerUnclear>()("ContainerUnclear", {
  pod: Schema.String,
  asked: Schema.optionalKey(Schema.String),
  containers: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `container: must be one of pod ${this.pod}: ${this.containers.join(", ")}`
  }
}

/**
 * The container has no log: it has not started, or has no previous run. **Shape** `problem` is the cluster's message.
 */
export class LogsUnavailable extends Schema.TaggedError<LogsUnavailable>()("LogsUnavailable", {
  cluster: Schema.String,
  container: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} returned no log for container ${this.container}: ${this.problem}`
  }
}
