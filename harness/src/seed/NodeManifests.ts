/**
 * Nodes and namespaces, as a cloud would have made them.
 *
 * @since 0.1.0
 */
import type { KubeObject } from "../KubeObject.ts"
import type { ClusterPlan, NodePlan } from "./ClusterPlan.ts"
import type { Cloud } from "./Hardware.ts"

/** What the kubelet and the system keep for themselves. */
const RESERVED_CPU_MILLIS = 80
const RESERVED_MEMORY_MIB = 1_024
const PODS = "110"

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
      ...(planned.spot ? cloud.spotLabels : cloud.onDemandLabels)
    }
  },
  spec: { providerID: cloud.providerId(planned.zone, planned.name) }
})

/** What a healthy kubelet reports. */
export const nodeStatus = (planned: NodePlan, version: string, now: string) => {
  const { cpuMillis, memoryMib } = planned.machine
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    lastHeartbeatTime: now,
    lastTransitionTime: now
  })
  return {
    capacity: { cpu: String(cpuMillis / 1_000), memory: `${memoryMib}Mi`, pods: PODS },
    allocatable: {
      cpu: `${cpuMillis - RESERVED_CPU_MILLIS}m`,
      memory: `${memoryMib - RESERVED_MEMORY_MIB}Mi`,
      pods: PODS
    },
    addresses: [
      { type: "InternalIP", address: planned.address },
      { type: "Hostname", address: planned.name }
    ],
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
