/** Manifests and statuses of workloads, as their controllers would report them. */
import type { KubeObject } from "../../client/KubeObject.ts"
import type { PodPlan, WorkloadPlan } from "./ClusterPlan.ts"
import { claimTemplate } from "./StorageManifests.ts"
import { labelsOf, podSpec, SCRIPTS, selectorOf } from "./PodManifests.ts"

type Revision = PodPlan["revision"]

/**
 * Returns the workload as its owner would apply it. **Shape** `scripted` is true if a controller creates the pods. The
 * template of a failed Job then makes fake kubelets fail its pods.
 */
export const workload = (plan: WorkloadPlan, storageClass: string, scripted = false): KubeObject => {
  const { kind, name } = plan.template
  return {
    apiVersion: API_VERSION[kind],
    kind,
    metadata: { name, namespace: plan.namespace, labels: labelsOf(plan) },
    spec: scripted && kind === "Job" ? jobSpec(plan, failing(plan)) : specOf(plan, storageClass)
  }
}

/** Returns the ReplicaSet of one revision of a Deployment. */
export const replicaSet = (plan: WorkloadPlan, revision: Revision): KubeObject => {
  const hash = hashLabel(plan, revision)
  const labels = { ...labelsOf(plan), ...hash }
  const image = revision === "current" ? plan.image : plan.previousImage
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${plan.template.name}-${hash["pod-template-hash"]}`,
      namespace: plan.namespace,
      labels,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": String(plan.desired),
        "deployment.kubernetes.io/revision": revision === "current" && plan.state === "progressing" ? "2" : "1"
      }
    },
    spec: {
      replicas: podsOf(plan, revision).length,
      selector: { matchLabels: { ...selectorOf(plan), ...hash } },
      template: { metadata: { labels }, spec: podSpec(plan, image) }
    }
  }
}

/** Returns the label that distinguishes the pods of one revision. */
export const hashLabel = (plan: WorkloadPlan, revision: Revision) => ({
  "pod-template-hash": revision === "current" ? plan.hash : plan.previousHash
})

/** Returns the last Job that a CronJob created. */
export const lastJob = (plan: WorkloadPlan): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: `${plan.template.name}-${plan.hash}`, namespace: plan.namespace, labels: labelsOf(plan) },
  spec: jobSpec(plan)
})

/** Returns the status that the Deployment controller reports. */
export const deploymentStatus = (plan: WorkloadPlan, generation: number, now: string) => {
  const updated = podsOf(plan, "current").length
  const ready = readyIn(plan.pods)
  const unavailable = plan.pods.length - ready
  const condition = (type: string, [status, reason]: StatusAndReason) => ({
    type,
    status,
    reason,
    lastUpdateTime: now,
    lastTransitionTime: now
  })
  return {
    observedGeneration: generation,
    replicas: plan.pods.length,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    ...(unavailable === 0 ? {} : { unavailableReplicas: unavailable }),
    conditions: [
      condition("Available", plan.state === "degraded" ? UNAVAILABLE : AVAILABLE),
      condition("Progressing", ROLLOUT[plan.state] ?? ROLLED_OUT)
    ]
  }
}

/** Returns the status of a ReplicaSet, with or without an owner. */
export const replicaSetStatus = (pods: ReadonlyArray<PodPlan>, generation: number) => ({
  observedGeneration: generation,
  replicas: pods.length,
  fullyLabeledReplicas: pods.length,
  readyReplicas: readyIn(pods),
  availableReplicas: readyIn(pods)
})

export const statefulSetStatus = (plan: WorkloadPlan, generation: number) => ({
  observedGeneration: generation,
  replicas: plan.pods.length,
  currentReplicas: plan.pods.length,
  updatedReplicas: plan.pods.length,
  readyReplicas: readyIn(plan.pods),
  availableReplicas: readyIn(plan.pods),
  currentRevision: `${plan.template.name}-${plan.hash}`,
  updateRevision: `${plan.template.name}-${plan.hash}`
})

export const daemonSetStatus = (plan: WorkloadPlan, generation: number) => ({
  observedGeneration: generation,
  desiredNumberScheduled: plan.desired,
  currentNumberScheduled: plan.pods.length,
  updatedNumberScheduled: plan.pods.length,
  numberReady: readyIn(plan.pods),
  numberAvailable: readyIn(plan.pods),
  numberMisscheduled: 0
})

/** Returns the labels by which a Job selects its pods. */
export const jobLabels = ({ name, uid }: { readonly name: string; readonly uid: string }) => ({
  "batch.kubernetes.io/controller-uid": uid,
  "batch.kubernetes.io/job-name": name,
  "controller-uid": uid,
  "job-name": name
})

/**
 * Returns the status of a finished Job. The condition that announces the end, such as `FailureTarget`, precedes the
 * final one.
 */
export const jobStatus = (plan: WorkloadPlan, now: string) => {
  const failed = plan.state === "failed"
  const reason = failed ? "BackoffLimitExceeded" : "CompletionsReached"
  const condition = (type: string) => ({ type, status: "True", reason, lastProbeTime: now, lastTransitionTime: now })
  return {
    startTime: now,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...(failed ? { failed: plan.pods.length } : { succeeded: plan.pods.length, completionTime: now }),
    conditions: failed
      ? [condition("FailureTarget"), condition("Failed")]
      : [condition("SuccessCriteriaMet"), condition("Complete")]
  }
}

export const cronJobStatus = (now: string) => ({ lastScheduleTime: now, lastSuccessfulTime: now })

export const podsOf = (plan: WorkloadPlan, revision: Revision): ReadonlyArray<PodPlan> =>
  plan.pods.filter((pod) => pod.revision === revision)

const readyIn = (pods: ReadonlyArray<PodPlan>): number => pods.filter(({ state }) => state === "running").length

const API_VERSION: Record<WorkloadPlan["template"]["kind"], string> = {
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  DaemonSet: "apps/v1",
  ReplicaSet: "apps/v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
  Pod: "v1"
}

type StatusAndReason = readonly [status: string, reason: string]

const AVAILABLE: StatusAndReason = ["True", "MinimumReplicasAvailable"]
const UNAVAILABLE: StatusAndReason = ["False", "MinimumReplicasUnavailable"]
const ROLLED_OUT: StatusAndReason = ["True", "NewReplicaSetAvailable"]

/** The condition `Progressing` of a Deployment whose rollout is not complete. */
const ROLLOUT: Partial<Record<WorkloadPlan["state"], StatusAndReason>> = {
  progressing: ["True", "ReplicaSetUpdated"],
  paused: ["Unknown", "DeploymentPaused"]
}

const specOf = (plan: WorkloadPlan, storageClass: string) => {
  const template = { metadata: { labels: labelsOf(plan) }, spec: podSpec(plan) }
  const selector = { matchLabels: selectorOf(plan) }
  switch (plan.template.kind) {
    case "Deployment":
      return { replicas: plan.desired, selector, template, ...(plan.state === "paused" ? { paused: true } : {}) }
    case "ReplicaSet":
      return { replicas: plan.desired, selector, template }
    case "StatefulSet":
      return {
        replicas: plan.desired,
        serviceName: plan.template.name,
        selector,
        template,
        ...(plan.template.volumeGib === undefined
          ? {}
          : { volumeClaimTemplates: [claimTemplate(storageClass, plan.template.volumeGib)] })
      }
    case "DaemonSet":
      return { selector, template }
    case "Job":
      return jobSpec(plan)
    case "CronJob":
      return {
        schedule: "0 3 * * *",
        ...(plan.state === "suspended" ? { suspend: true } : {}),
        jobTemplate: { metadata: { labels: labelsOf(plan) }, spec: jobSpec(plan) }
      }
    case "Pod":
      return podSpec(plan)
  }
}

const failing = ({ state }: WorkloadPlan) => (state === "failed" ? { annotations: SCRIPTS.failed } : {})

const jobSpec = (plan: WorkloadPlan, metadata = {}) => ({
  backoffLimit: 1,
  completions: 1,
  parallelism: 1,
  template: { metadata: { labels: labelsOf(plan), ...metadata }, spec: podSpec(plan) }
})
