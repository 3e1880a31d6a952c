/** Manifests and statuses of pods, as a kubelet would report them. */
import type { KubeObject } from "../../client/KubeObject.ts"
import { Annotation } from "../kubelet/PodScript.ts"
import { TEAMS } from "./Catalog.ts"
import type { PodPlan, WorkloadPlan } from "./ClusterPlan.ts"

const CRASH_RESTARTS = 7

/** The labels by which a workload selects its pods. */
export const selectorOf = (workload: WorkloadPlan): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/name": workload.template.name
})

/** The labels of a workload and its pods, including the team that owns the namespace, if any. */
export const labelsOf = (workload: WorkloadPlan): Readonly<Record<string, string>> => {
  const team = TEAMS[workload.template.namespace]
  return {
    ...selectorOf(workload),
    "app.kubernetes.io/part-of": workload.template.namespace,
    "app.kubernetes.io/version": tagOf(workload.image),
    ...(team === undefined ? {} : { team })
  }
}

/** Name of the volume in a StatefulSet's pods and of its claim template. */
export const VOLUME = "data"

/** Name of a replica's claim, as the StatefulSet controller forms it. */
export const claimName = (planned: PodPlan): string => `${VOLUME}-${planned.name}`

/** The spec that a pod shares with its workload's template. */
export const podSpec = (workload: WorkloadPlan, image = workload.image) => {
  const { kind, name, resources, volumeGib } = workload.template
  const gpus = resources.gpus === undefined ? {} : { "nvidia.com/gpu": String(resources.gpus) }
  const finite = kind === "Job" || kind === "CronJob"
  return {
    containers: [
      {
        name,
        image,
        resources: {
          requests: { cpu: `${resources.cpuRequestMillis}m`, memory: `${resources.memoryRequestMib}Mi`, ...gpus },
          limits: { cpu: `${resources.cpuLimitMillis}m`, memory: `${resources.memoryLimitMib}Mi`, ...gpus }
        },
        ...(volumeGib === undefined ? {} : { volumeMounts: [{ name: VOLUME, mountPath: "/data" }] })
      }
    ],
    ...(finite ? { restartPolicy: "Never" } : {}),
    terminationGracePeriodSeconds: 30
  }
}

/** A scheduled pod. Its owner and status are written separately. */
export const pod = (workload: WorkloadPlan, planned: PodPlan): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: planned.name,
    namespace: workload.namespace,
    labels: labelsOf(workload),
    annotations: SCRIPTS[planned.state]
  },
  spec: {
    ...podSpec(workload, planned.revision === "current" ? workload.image : workload.previousImage),
    nodeName: planned.node.name,
    ...(workload.template.volumeGib === undefined
      ? {}
      : { volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName: claimName(planned) } }] })
  }
})

/** Returns the status that the kubelet reports for a pod. */
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

/** Annotations that make a fake kubelet keep a pod in its state. */
export const SCRIPTS: Record<PodPlan["state"], Readonly<Record<string, string>>> = {
  running: {},
  starting: { [Annotation.startDelay]: "never" },
  crashing: { [Annotation.fail]: "CrashLoopBackOff", [Annotation.restarts]: String(CRASH_RESTARTS) },
  succeeded: { [Annotation.runFor]: "0s" },
  failed: { [Annotation.exitCode]: "1" }
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
        restartCount: CRASH_RESTARTS,
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
