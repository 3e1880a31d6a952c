/**
 * Pods as a kubelet would have left them.
 *
 * @since 0.1.0
 */
import type { KubeObject } from "../KubeObject.ts"
import type { PodPlan, WorkloadPlan } from "./ClusterPlan.ts"

/** The labels by which a workload finds its pods. */
export const selectorOf = (workload: WorkloadPlan): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/name": workload.template.name
})

/** The labels of a workload and its pods. */
export const labelsOf = (workload: WorkloadPlan): Readonly<Record<string, string>> => ({
  ...selectorOf(workload),
  "app.kubernetes.io/part-of": workload.template.namespace,
  "app.kubernetes.io/version": tagOf(workload.image)
})

/** What a pod and a workload's template have in common. */
export const podSpec = (workload: WorkloadPlan, image = workload.image) => {
  const { name, kind, resources } = workload.template
  const finite = kind === "Job" || kind === "CronJob"
  return {
    containers: [
      {
        name,
        image,
        resources: {
          requests: { cpu: `${resources.cpuRequestMillis}m`, memory: `${resources.memoryRequestMib}Mi` },
          limits: { cpu: `${resources.cpuLimitMillis}m`, memory: `${resources.memoryLimitMib}Mi` }
        }
      }
    ],
    ...(finite ? { restartPolicy: "Never" } : {}),
    terminationGracePeriodSeconds: 30
  }
}

/** A pod that the scheduler has placed; its owner and status are written separately. */
export const pod = (workload: WorkloadPlan, planned: PodPlan): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: planned.name, namespace: workload.namespace, labels: labelsOf(workload) },
  spec: {
    ...podSpec(workload, planned.revision === "current" ? workload.image : workload.previousImage),
    nodeName: planned.node.name
  }
})

/** What the kubelet reports of a pod. */
export const podStatus = (workload: WorkloadPlan, planned: PodPlan, now: string) => {
  const ready = planned.state === "running" ? "True" : "False"
  const over = planned.state === "succeeded" || planned.state === "failed"
  const reason = over ? { reason: planned.state === "succeeded" ? "PodCompleted" : "PodFailed" } : {}
  const condition = (type: string, status: string, extra = {}) => ({ type, status, lastTransitionTime: now, ...extra })
  return {
    phase: PHASE[planned.state],
    hostIP: planned.node.address,
    hostIPs: [{ ip: planned.node.address }],
    podIP: planned.address,
    podIPs: [{ ip: planned.address }],
    startTime: now,
    conditions: [
      condition("PodScheduled", "True"),
      condition("Initialized", "True"),
      condition("ContainersReady", ready, reason),
      condition("Ready", ready, reason)
    ],
    containerStatuses: [
      {
        name: workload.template.name,
        image: planned.revision === "current" ? workload.image : workload.previousImage,
        imageID: "",
        ready: planned.state === "running",
        started: planned.state === "running",
        ...containerState(planned.state, now)
      }
    ]
  }
}

const PHASE: Record<PodPlan["state"], string> = {
  running: "Running",
  starting: "Pending",
  crashing: "Running",
  succeeded: "Succeeded",
  failed: "Failed"
}

const containerState = (state: PodPlan["state"], now: string) => {
  const ended = (exitCode: number) => ({
    terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: now, finishedAt: now }
  })
  switch (state) {
    case "running":
      return { restartCount: 0, state: { running: { startedAt: now } } }
    case "starting":
      return { restartCount: 0, state: { waiting: { reason: "ContainerCreating" } } }
    case "crashing":
      return {
        restartCount: 7,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
        lastState: ended(1)
      }
    case "succeeded":
      return { restartCount: 0, state: ended(0) }
    case "failed":
      return { restartCount: 0, state: ended(1) }
  }
}

const tagOf = (image: string): string => image.slice(image.lastIndexOf(":") + 1)
