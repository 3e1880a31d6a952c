/**
 * Derives a node's price class from its labels and providerID.
 */
import type { RateClass } from "../hour/Hour.ts"

/** The part of a Kubernetes node that determines its price. **Shape** `providerId` is `spec.providerID`, empty if unset. */
export interface PricedNode {
  readonly labels: Readonly<Record<string, string>>
  readonly providerId: string
}

/** Providers whose providerID scheme has another name. */
const PROVIDER_OF_SCHEME: Readonly<Record<string, string>> = { gce: "gcp" }

/** Label prefixes that identify the provider of a node without a providerID. */
const PROVIDER_OF_LABEL = [
  ["eks.amazonaws.com/", "aws"],
  ["karpenter.k8s.aws/", "aws"],
  ["cloud.google.com/", "gcp"],
  ["kubernetes.azure.com/", "azure"],
  ["oci.oraclecloud.com/", "oracle"],
  ["node.alibabacloud.com/", "alibaba"]
] as const

/**
 * Labels of nodes: the current label first, then the one used before Kubernetes 1.17. **Source** Kubernetes, Well-Known
 * Labels.
 */
const REGION_LABELS = ["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"]
const INSTANCE_TYPE_LABELS = ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"]

/**
 * Labels that mark a node as reclaimable by the provider, each with the values that do so. A label without values marks the
 * node whatever its value.
 *
 * **Source** Karpenter, Well-Known Labels; Amazon EKS, Managed node groups; Google GKE, Spot VMs and Preemptible VMs;
 * Azure AKS, Spot node pools; Oracle OKE, Using preemptible capacity; Alibaba cloud controller manager 2.10.2; OpenShift
 * Machine API; Spot Ocean, Labels and taints; castai/k8s-agent `pkg/labels`. The last label is the convention for self-managed
 * groups in the guides of the AWS Node Termination Handler and eksctl. OpenCost `core/pkg/util` `IsPreemptible` reads the
 * same labels of Karpenter, GKE, AKS and OKE.
 */
const SPOT_LABELS: ReadonlyArray<readonly [label: string, ...values: ReadonlyArray<string>]> = [
  ["karpenter.sh/capacity-type", "spot"],
  ["eks.amazonaws.com/capacityType", "SPOT"],
  ["cloud.google.com/gke-spot", "true"],
  ["cloud.google.com/gke-preemptible", "true"],
  ["cloud.google.com/gke-provisioning", "spot", "preemptible"],
  ["kubernetes.azure.com/scalesetpriority", "spot"],
  ["oci.oraclecloud.com/oke-is-preemptible", "true"],
  ["node.alibabacloud.com/spot-strategy", "SpotAsPriceGo", "SpotWithPriceLimit"],
  ["machine.openshift.io/interruptible-instance"],
  ["spotinst.io/node-lifecycle", "spot"],
  ["scheduling.cast.ai/spot", "true"],
  ["node.kubernetes.io/lifecycle", "spot"]
]

/**
 * Labels with the GPU model, in order of precedence. Labels set by the GPU vendor's software come first.
 *
 * **Source** NVIDIA GPU feature discovery, Generated labels; ROCm k8s-device-plugin, Node Labeller; Intel device
 * plugins, Node labels; Google GKE, GPU node pools; Amazon EKS Auto Mode, Supported instance labels; Karpenter
 * providers for AWS and Azure, Well-Known Labels; CoreWeave, Node labels; Cluster Autoscaler on AWS, GPU node groups.
 */
const GPU_MODEL_LABELS = [
  "nvidia.com/gpu.product",
  "amd.com/gpu.product-name",
  "beta.amd.com/gpu.product-name",
  "gpu.intel.com/product",
  "cloud.google.com/gke-accelerator",
  "cloud.google.com/gke-tpu-accelerator",
  "eks.amazonaws.com/instance-gpu-name",
  "karpenter.k8s.aws/instance-gpu-name",
  "karpenter.azure.com/sku-gpu-name",
  "gpu.nvidia.com/model",
  "k8s.amazonaws.com/accelerator"
]

/**
 * Instance types of nodes for which the provider charges the pods' requests instead of the node.
 *
 * **Source** Amazon EKS, "AWS Fargate": the label and the node names. Google GKE, "Autopilot pricing" and "compute classes":
 * nodes are named `gk3-…`; two compute classes and nodes with GPUs are charged as nodes.
 */
const FARGATE = "fargate"
const AUTOPILOT = "autopilot"
const COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
const COMPUTE_CLASS = "cloud.google.com/compute-class"
const FARGATE_ID = /^aws:\/\/.*\/fargate-/
const AUTOPILOT_ID = /^gce:\/\/[^/]*\/[^/]*\/gk3-/
const BY_MACHINE = new Set(["Performance", "Accelerator"])

/** All labels that determine a price class, except those that only identify the provider. */
export const PRICING_LABELS: ReadonlyArray<string> = [
  ...REGION_LABELS,
  ...INSTANCE_TYPE_LABELS,
  ...SPOT_LABELS.map(([label]) => label),
  ...GPU_MODEL_LABELS,
  COMPUTE_TYPE,
  COMPUTE_CLASS
]

/**
 * Returns the price class of a node.
 *
 * **Shape** `provider` is `aws`, `gcp`, `azure`, or the scheme of the providerID. Unknown fields are empty. A node without a
 * spot label is on demand. `instanceType` is `fargate` or `autopilot` if the pods' requests are charged.
 *
 * **Example**
 *
 * ```ts
 * fromNode({ providerId: "aws:///eu-central-1a/i-0abc", labels: { "eks.amazonaws.com/capacityType": "SPOT" } })
 * // { provider: "aws", capacity: "spot", region: "", instanceType: "", gpuModel: "" }
 * ```
 */
export const fromNode = ({ labels, providerId }: PricedNode): RateClass => ({
  provider: providerOf(providerId, labels),
  region: first(labels, REGION_LABELS),
  instanceType: podPriced({ labels, providerId }) ?? first(labels, INSTANCE_TYPE_LABELS),
  capacity: SPOT_LABELS.some(([label, ...values]) => marks(valueOf(labels, label), values)) ? "spot" : "onDemand",
  gpuModel: first(labels, GPU_MODEL_LABELS)
})

/** Returns true if the provider charges for the pods' requests instead of nodes. */
export const isByRequest = ({ instanceType, provider }: RateClass): boolean =>
  (provider === "aws" && instanceType === FARGATE) || (provider === "gcp" && instanceType === AUTOPILOT)

const podPriced = ({ labels, providerId }: PricedNode): string | undefined => {
  if (valueOf(labels, COMPUTE_TYPE) === "fargate" || FARGATE_ID.test(providerId)) return FARGATE
  const isMachine = BY_MACHINE.has(valueOf(labels, COMPUTE_CLASS) ?? "") || first(labels, GPU_MODEL_LABELS) !== ""
  return AUTOPILOT_ID.test(providerId) && !isMachine ? AUTOPILOT : undefined
}

/** Returns a text that is unique per price class. */
export const keyOf = ({ capacity, gpuModel, instanceType, provider, region }: RateClass): string =>
  JSON.stringify([provider, region, instanceType, capacity, gpuModel])

/** The class of pods whose node is unknown. */
export const unknown: RateClass = { provider: "", region: "", instanceType: "", capacity: "onDemand", gpuModel: "" }

/** A providerID such as `aws:///eu-central-1a/i-0abc` starts with its provider. Oracle's is a bare OCID. */
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//

const providerOf = (providerId: string, labels: PricedNode["labels"]): string => {
  const scheme = SCHEME.exec(providerId)?.[1]?.toLowerCase()
  if (scheme !== undefined) return valueOf(PROVIDER_OF_SCHEME, scheme) ?? scheme
  if (providerId.startsWith("ocid1.")) return "oracle"
  const names = Object.keys(labels)
  return PROVIDER_OF_LABEL.find(([prefix]) => names.some((name) => name.startsWith(prefix)))?.[1] ?? ""
}

/** Returns an own property, so that names such as `constructor` are not taken for labels. */
const valueOf = (labels: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined

const first = (labels: PricedNode["labels"], names: ReadonlyArray<string>): string =>
  names.map((name) => valueOf(labels, name)).find((value) => value !== undefined && value !== "") ?? ""

const marks = (value: string | undefined, values: ReadonlyArray<string>): boolean =>
  value !== undefined && (values.length === 0 || values.includes(value))
