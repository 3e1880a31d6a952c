/**
 * The machines that seeded clusters claim to run on: three clouds, each with its own labels for the same facts.
 *
 * @since 0.1.0
 */

export interface MachineType {
  readonly name: string
  readonly cpuMillis: number
  readonly memoryMib: number
}

/** Where a cluster runs, and how that cloud marks its nodes. */
export interface Cloud {
  readonly region: string
  readonly zones: ReadonlyArray<string>
  readonly machines: readonly [MachineType, ...ReadonlyArray<MachineType>]
  readonly providerId: (zone: string, node: string) => string
  readonly spotLabels: Readonly<Record<string, string>>
  readonly onDemandLabels: Readonly<Record<string, string>>
}

const machine = (name: string, cores: number, memoryGib: number): MachineType => ({
  name,
  cpuMillis: cores * 1_000,
  memoryMib: memoryGib * 1_024
})

const AMAZON: Cloud = {
  region: "eu-central-1",
  zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
  machines: [machine("m7i.2xlarge", 8, 32), machine("c7i.2xlarge", 8, 16), machine("r7i.xlarge", 4, 32)],
  providerId: (zone, node) => `aws:///${zone}/i-${node}`,
  spotLabels: { "karpenter.sh/capacity-type": "spot" },
  onDemandLabels: { "karpenter.sh/capacity-type": "on-demand" }
}

const GOOGLE: Cloud = {
  region: "us-east1",
  zones: ["us-east1-b", "us-east1-c", "us-east1-d"],
  machines: [machine("n2-standard-8", 8, 32), machine("e2-standard-8", 8, 32)],
  providerId: (zone, node) => `gce://acme/${zone}/${node}`,
  spotLabels: { "cloud.google.com/gke-spot": "true" },
  onDemandLabels: {}
}

const AZURE: Cloud = {
  region: "southeastasia",
  zones: ["southeastasia-1", "southeastasia-2", "southeastasia-3"],
  machines: [machine("Standard_D8s_v5", 8, 32), machine("Standard_E8s_v5", 8, 64)],
  providerId: (_, node) => `azure:///subscriptions/acme/virtualMachines/${node}`,
  spotLabels: { "kubernetes.azure.com/scalesetpriority": "spot" },
  onDemandLabels: { "kubernetes.azure.com/scalesetpriority": "regular" }
}

/** The cloud of the cluster at a place in its fleet: neighbours differ. */
export const cloudAt = (index: number): Cloud => [AMAZON, GOOGLE, AZURE][index % 3] ?? AMAZON
