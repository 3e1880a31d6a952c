/** Status and lease of a node with a fake kubelet. */
import type { KubeObject } from "../../client/KubeObject.ts"
import { healthOf, internalIpOf, type NodeView } from "./NodeView.ts"
import { instant } from "./PodStatus.ts"

/** Capacity of a node that states none: more than any test requests, as in kwok. */
const DEFAULT_CAPACITY = { cpu: "1k", memory: "1Ti", pods: "1M" }

export const LEASE_NAMESPACE = "kube-node-lease"
const LEASE_SECONDS = 40

const NODE_INFO = {
  architecture: "amd64",
  operatingSystem: "linux",
  osImage: "Quarterdeck fake kubelet",
  kernelVersion: "6.12.0",
  containerRuntimeVersion: "fake://1.0.0",
  kubeProxyVersion: "",
  machineID: "",
  systemUUID: "",
  bootID: ""
}

/**
 * Returns the node status that the kubelet reports.
 *
 * Capacity, allocatable, addresses and node info of an existing status are kept.
 */
export const render = (node: NodeView, options: { readonly version: string; readonly address: string }) => {
  const { status } = node
  const ready = healthOf(node) === "ready"
  const condition = (type: string, holds: boolean, reason: string, message: string) => ({
    type,
    status: holds ? "True" : "False",
    reason,
    message
  })
  const capacity = { ...DEFAULT_CAPACITY, ...status?.capacity }
  const known = Object.fromEntries(Object.entries(status?.nodeInfo ?? {}).filter(([, value]) => value !== ""))
  return {
    capacity,
    allocatable: { ...capacity, ...status?.allocatable },
    ...(internalIpOf(node) === undefined
      ? {
          addresses: [
            { type: "InternalIP", address: options.address },
            { type: "Hostname", address: node.metadata.name }
          ]
        }
      : {}),
    conditions: [
      ready
        ? condition("Ready", true, "KubeletReady", "kubelet is posting ready status")
        : condition("Ready", false, "KubeletNotReady", "container runtime is down"),
      condition("MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available")
    ],
    ...(known["kubeletVersion"] === undefined
      ? { nodeInfo: { ...NODE_INFO, kubeletVersion: options.version, ...known } }
      : {})
  }
}

/**
 * Returns the status with timestamps: a heartbeat for each condition, and a transition time if the condition changed.
 */
export const stamped = (rendered: ReturnType<typeof render>, node: NodeView, nowMs: number) => {
  const now = instant(nowMs)
  const known = statusesOf(node)
  return {
    ...rendered,
    conditions: rendered.conditions.map((condition) => ({
      ...condition,
      lastHeartbeatTime: now,
      ...(known.get(condition.type) === condition.status ? {} : { lastTransitionTime: now })
    }))
  }
}

const statusesOf = ({ status }: NodeView): ReadonlyMap<unknown, unknown> => {
  const conditions = status?.["conditions"]
  if (!Array.isArray(conditions)) return new Map()
  return new Map(
    conditions.flatMap((condition: unknown) =>
      typeof condition === "object" && condition !== null && "type" in condition && "status" in condition
        ? [[condition.type, condition.status] as const]
        : []
    )
  )
}

/** Returns the lease of a node. */
export const lease = (node: NodeView, nowMs: number): KubeObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    name: node.metadata.name,
    namespace: LEASE_NAMESPACE,
    ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.metadata.name, uid: node.metadata.uid }]
  },
  spec: {
    holderIdentity: node.metadata.name,
    leaseDurationSeconds: LEASE_SECONDS,
    renewTime: microTime(nowMs)
  }
})

export const microTime = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`
