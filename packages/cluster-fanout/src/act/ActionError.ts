/**
 * Why a workload was not looked at or not changed.
 */
import { Schema } from "effect"
import { Coverage } from "../kube/Coverage.ts"

/** The cluster is not registered any more, or is another one under its name. */
export class ClusterDropped extends Schema.TaggedError<ClusterDropped>()("ClusterDropped", { cluster: Schema.String }) {
  override get message(): string {
    return `cluster ${this.cluster} is not registered any more, or by another connection`
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

/** Nothing of this kind can be acted on so. */
export class ActionUnsupported extends Schema.TaggedError<ActionUnsupported>()("ActionUnsupported", {
  action: Schema.String,
  kind: Schema.String,
  kinds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `kind: ${this.action} takes ${this.kinds.join(", ")}, not ${this.kind}`
  }
}

/** The workload has changed since the version that the caller knows; nothing was done. */
export class WorkloadChanged extends Schema.TaggedError<WorkloadChanged>()("WorkloadChanged", {
  /** As it is now, where that is known. */
  resourceVersion: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.resourceVersion === undefined
      ? "the workload was changed by somebody else at the same moment; nothing was done"
      : `the workload has resourceVersion ${this.resourceVersion} by now; nothing was done`
  }
}

/** The cluster understood the change and refused it; nothing was done. **Shape** `problem` is what it said. */
export class ActionRefused extends Schema.TaggedError<ActionRefused>()("ActionRefused", {
  cluster: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} refused: ${this.problem}`
  }
}

/** The cluster did not answer the change, and what was read back since shows that nothing was done. */
export class ActionNotDone extends Schema.TaggedError<ActionNotDone>()("ActionNotDone", {
  coverage: Coverage
}) {
  override get message(): string {
    return `${this.coverage.error?.message ?? `cluster ${this.coverage.name} did not answer`}; nothing was changed`
  }
}

/** The cluster did not answer the change, and nobody knows whether it was done. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  cluster: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} did not answer the change, which may have been made: look at the workload before you try again`
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

/** The pod has no such container, or has several of which one must be named. */
export class ContainerUnclear extends Schema.TaggedError<ContainerUnclear>()("ContainerUnclear", {
  pod: Schema.String,
  asked: Schema.optionalKey(Schema.String),
  containers: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `container: must be one of pod ${this.pod}: ${this.containers.join(", ")}`
  }
}

/** The container has no log to give: it waits to start, or never ran before. **Shape** `problem` is what the cluster said. */
export class LogsUnavailable extends Schema.TaggedError<LogsUnavailable>()("LogsUnavailable", {
  cluster: Schema.String,
  container: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `cluster ${this.cluster} gives no log of container ${this.container}: ${this.problem}`
  }
}
