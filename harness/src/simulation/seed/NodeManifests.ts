/** Manifests of nodes and namespaces, as a cloud would create them. */
import type { KubeObject } from "../../client/KubeObject.ts"
import type { ClusterPlan } from "./ClusterPlan.ts"
import { type NodePlan, PODS_PER_NODE, RESERVED_CPU_MILLIS, RESERVED_MEMORY_MIB } from "./NodePlan.ts"
import type { Cloud } from "./Hardware.ts"

/** Annotation with the node's price per hour, in US dollars. */
export const PRICE_ANNOTATION = "harness.quarterdeck.dev/hourly-price-usd"

export const namespace = (planned: ClusterPlan["namespaces"][number]): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: planned.name, labels: { team: planned.team, stage: planned.stage } }
})

export const node = (planned: NodePlan, cloud: Cloud): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: planned.name,
    labels: {
      "kubernetes.io/hostname": planned.name,
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64",
      "node.kubernetes.io/instance-type": planned.machine.name,
      "topology.kubernetes.io/region": cloud.region,
      "topology.kubernetes.io/zone": planned.zone,
      ...(planned.machine.gpus === 0 ? {} : { "nvidia.com/gpu.present": "true" }),
      ...planned.priceLabels
    },
    annotations: { [PRICE_ANNOTATION]: String(planned.hourlyUsd) }
  },
  spec: { providerID: cloud.providerId(planned.zone, planned.name) }
})

/** Returns capacity and allocatable of a node. */
const resourcesOf = ({ machine: { cpuMillis, gpus, memoryMib } }: NodePlan) => {
  const others = { pods: String(PODS_PER_NODE), ...(gpus === 0 ? {} : { "nvidia.com/gpu": String(gpus) }) }
  return {
    capacity: { cpu: String(cpuMillis / 1_000), memory: `${memoryMib}Mi`, ...others },
    allocatable: {
      cpu: `${cpuMillis - RESERVED_CPU_MILLIS}m`,
      memory: `${memoryMib - RESERVED_MEMORY_MIB}Mi`,
      ...others
    }
  }
}

const addressesOf = (planned: NodePlan) => [
  { type: "InternalIP", address: planned.address },
  { type: "Hostname", address: planned.name }
]

/** Returns the status fields that a fake kubelet cannot determine. */
export const hardwareStatus = (planned: NodePlan) => ({ ...resourcesOf(planned), addresses: addressesOf(planned) })

/** Returns the status that a healthy kubelet reports. */
export const nodeStatus = (planned: NodePlan, version: string, now: string) => {
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    lastHeartbeatTime: now,
    lastTransitionTime: now
  })
  return {
    ...resourcesOf(planned),
    addresses: addressesOf(planned),
    conditions: [
      condition("Ready", "True", "KubeletReady"),
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID")
    ],
    nodeInfo: {
      architecture: "amd64",
      operatingSystem: "linux",
      osImage: "Bottlerocket OS",
      kernelVersion: "6.12.55",
      containerRuntimeVersion: "containerd://2.2.0",
      kubeletVersion: version,
      kubeProxyVersion: "",
      machineID: "",
      systemUUID: "",
      bootID: ""
    }
  }
}
