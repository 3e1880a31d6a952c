/** Machine types of the simulated clouds. Each of the three clouds uses its own labels. */

export interface MachineType {
  readonly name: string
  readonly cpuMillis: number
  readonly memoryMib: number
  readonly gpus: number
  /** Price per hour in US dollars. */
  readonly hourlyUsd: { readonly onDemand: number; readonly spot: number }
}

/** A node provisioner of a cloud, with its labels for spot and on-demand nodes. */
export interface Provisioner {
  readonly spotLabels: Readonly<Record<string, string>>
  readonly onDemandLabels: Readonly<Record<string, string>>
}

/** A cloud region with its naming conventions. */
export interface Cloud {
  readonly region: string
  readonly zones: ReadonlyArray<string>
  readonly machines: readonly [MachineType, ...ReadonlyArray<MachineType>]
  /** Machine type of bulk clusters. */
  readonly large: MachineType
  readonly gpuMachine: MachineType
  readonly providerId: (zone: string, node: string) => string
  readonly provisioners: readonly [Provisioner, ...ReadonlyArray<Provisioner>]
  readonly storage: { readonly className: string; readonly csiDriver: string }
  /** Address of a Service's load balancer. */
  readonly loadBalancer: (service: string, at: number) => { readonly ip: string } | { readonly hostname: string }
}

/** Hourly prices per resource. **Source** opencost/opencost, `configs/default.json`. */
const HOURLY_USD = {
  onDemand: { core: 0.031611, gib: 0.004237, gpu: 0.95 },
  spot: { core: 0.006655, gib: 0.000892, gpu: 0.308 }
} as const

const machine = (name: string, cores: number, memoryGib: number, gpus = 0): MachineType => {
  const price = ({ core, gib, gpu }: { readonly core: number; readonly gib: number; readonly gpu: number }) =>
    // Rounded to millionths, so that the price is the same number wherever it is computed.
    Math.round((cores * core + memoryGib * gib + gpus * gpu) * 1e6) / 1e6
  return {
    name,
    cpuMillis: cores * 1_000,
    memoryMib: memoryGib * 1_024,
    gpus,
    hourlyUsd: { onDemand: price(HOURLY_USD.onDemand), spot: price(HOURLY_USD.spot) }
  }
}

const KARPENTER: Provisioner = {
  spotLabels: { "karpenter.sh/capacity-type": "spot" },
  onDemandLabels: { "karpenter.sh/capacity-type": "on-demand" }
}

const AMAZON: Cloud = {
  region: "eu-central-1",
  zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
  machines: [machine("m7i.2xlarge", 8, 32), machine("c7i.2xlarge", 8, 16), machine("r7i.xlarge", 4, 32)],
  large: machine("m7i.4xlarge", 16, 64),
  gpuMachine: machine("g5.12xlarge", 48, 192, 4),
  providerId: (zone, node) => `aws:///${zone}/i-${node}`,
  provisioners: [
    KARPENTER,
    {
      spotLabels: { "eks.amazonaws.com/capacityType": "SPOT" },
      onDemandLabels: { "eks.amazonaws.com/capacityType": "ON_DEMAND" }
    }
  ],
  storage: { className: "gp3", csiDriver: "ebs.csi.aws.com" },
  loadBalancer: (service, at) => ({ hostname: `${service}-${at}.elb.eu-central-1.amazonaws.com` })
}

const GOOGLE: Cloud = {
  region: "us-east1",
  zones: ["us-east1-b", "us-east1-c", "us-east1-d"],
  machines: [machine("n2-standard-8", 8, 32), machine("e2-standard-8", 8, 32)],
  large: machine("n2-standard-16", 16, 64),
  gpuMachine: machine("a2-highgpu-4g", 48, 340, 4),
  providerId: (zone, node) => `gce://acme/${zone}/${node}`,
  provisioners: [
    {
      spotLabels: { "cloud.google.com/gke-spot": "true", "cloud.google.com/gke-provisioning": "spot" },
      onDemandLabels: { "cloud.google.com/gke-provisioning": "standard" }
    }
  ],
  storage: { className: "standard-rwo", csiDriver: "pd.csi.storage.gke.io" },
  loadBalancer: (_, at) => ({ ip: `203.0.113.${at + 1}` })
}

const AZURE: Cloud = {
  region: "southeastasia",
  zones: ["southeastasia-1", "southeastasia-2", "southeastasia-3"],
  machines: [machine("Standard_D8s_v5", 8, 32), machine("Standard_E8s_v5", 8, 64)],
  large: machine("Standard_D16s_v5", 16, 64),
  gpuMachine: machine("Standard_NC96ads_A100_v4", 96, 880, 4),
  providerId: (_, node) =>
    `azure:///subscriptions/acme/resourceGroups/shop/providers/Microsoft.Compute/virtualMachines/${node}`,
  provisioners: [
    {
      spotLabels: { "kubernetes.azure.com/scalesetpriority": "spot" },
      onDemandLabels: { "kubernetes.azure.com/scalesetpriority": "regular" }
    },
    KARPENTER
  ],
  storage: { className: "managed-csi", csiDriver: "disk.csi.azure.com" },
  loadBalancer: (_, at) => ({ ip: `198.51.100.${at + 1}` })
}

/** Returns the cloud of the cluster at an index of its fleet. Neighbouring clusters differ. */
export const cloudAt = (index: number): Cloud => [AMAZON, GOOGLE, AZURE][index % 3] ?? AMAZON
