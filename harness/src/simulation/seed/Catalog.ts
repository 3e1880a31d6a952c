/** What an online shop runs: the workloads that seeded clusters choose from. */

export type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "CronJob" | "Pod"

/** What the container of one replica asks for, and what it may take. */
export interface Resources {
  readonly cpuRequestMillis: number
  readonly memoryRequestMib: number
  readonly cpuLimitMillis: number
  readonly memoryLimitMib: number
  readonly gpus?: number
}

export interface Template {
  readonly kind: WorkloadKind
  readonly namespace: string
  readonly name: string
  readonly image: string
  /** The versions that clusters run; which one differs between them. */
  readonly tags: readonly [string, ...ReadonlyArray<string>]
  /** Fewest and most replicas; a DaemonSet has one a node, a Job one. */
  readonly replicas: readonly [number, number]
  readonly resources: Resources
  /** The size of each replica's volume; only a StatefulSet has them. */
  readonly volumeGib?: number
  /** Whether a Service of type LoadBalancer leads to it. */
  readonly isPublic?: boolean
  /** Every cluster has it; of the others each has some. */
  readonly everywhere: boolean
  /** A state that it always has, instead of one that the plan deals out. */
  readonly fixed?: "healthy" | "idle" | "completed" | "failed" | "suspended"
}

/** The namespaces that the seed makes, with the team that owns each. */
export const TEAMS: Readonly<Record<string, string>> = {
  shop: "storefront",
  payments: "payments",
  platform: "platform"
}

/** Made by the server itself; the seed adds workloads to it. */
export const SYSTEM_NAMESPACE = "kube-system"

const resources = (
  cpuRequestMillis: number,
  memoryRequestMib: number,
  cpuLimitMillis = cpuRequestMillis * 2,
  memoryLimitMib = memoryRequestMib * 2
): Resources => ({ cpuRequestMillis, memoryRequestMib, cpuLimitMillis, memoryLimitMib })

export const SMALL = resources(50, 64)
export const MEDIUM = resources(150, 256)
export const LARGE = resources(400, 1_024)

/** One line of the catalogue. */
type Line = readonly [
  kind: WorkloadKind,
  namespace: string,
  name: string,
  image: string,
  tags: Template["tags"],
  replicas: Template["replicas"],
  resources: Resources,
  fixed?: Template["fixed"]
]

export const VOLUME_GIB = 20
/** Those that customers reach. */
const PUBLIC: ReadonlySet<string> = new Set(["web", "gateway", "ingress"])

const template =
  (everywhere: boolean) =>
  ([kind, namespace, name, image, tags, replicas, size, fixed]: Line): Template => ({
    kind,
    namespace,
    name,
    image,
    tags,
    replicas,
    resources: size,
    everywhere,
    ...(fixed === undefined ? {} : { fixed }),
    ...(kind === "StatefulSet" ? { volumeGib: VOLUME_GIB } : {}),
    ...(PUBLIC.has(name) ? { isPublic: true } : {})
  })

const EVERYWHERE: ReadonlyArray<Line> = [
  ["Deployment", "shop", "web", "acme/shop-web", ["2.14.1", "2.14.0", "2.13.7"], [2, 4], MEDIUM],
  ["Deployment", "shop", "checkout", "acme/shop-checkout", ["5.3.0", "5.2.8"], [2, 3], MEDIUM],
  ["Deployment", "payments", "ledger", "acme/payments-ledger", ["1.9.4", "1.9.2"], [2, 3], LARGE],
  ["Deployment", "platform", "legacy-admin", "acme/legacy-admin", ["0.42.0"], [0, 0], SMALL, "idle"],
  [
    "Deployment",
    "kube-system",
    "coredns",
    "coredns/coredns",
    ["1.13.1", "1.12.4"],
    [2, 2],
    resources(100, 70, 200, 170)
  ],
  ["StatefulSet", "shop", "catalog-db", "postgres", ["18.1", "17.7"], [1, 3], LARGE],
  ["DaemonSet", "platform", "log-agent", "fluent/fluent-bit", ["4.2.0", "4.1.1"], [0, 0], SMALL],
  ["Job", "payments", "migrate-schema", "acme/payments-ledger", ["1.9.4"], [1, 1], MEDIUM, "completed"],
  ["Job", "payments", "reconcile", "acme/payments-reconcile", ["1.1.0"], [1, 1], MEDIUM, "failed"],
  ["CronJob", "shop", "nightly-report", "acme/shop-report", ["3.0.2", "3.0.1"], [1, 1], MEDIUM],
  ["Pod", "platform", "debug-shell", "busybox", ["1.37.0"], [1, 1], SMALL]
]

const SOMEWHERE: ReadonlyArray<Line> = [
  ["Deployment", "shop", "cart", "acme/shop-cart", ["1.20.3", "1.19.9"], [2, 3], MEDIUM],
  ["Deployment", "shop", "search", "acme/shop-search", ["7.0.0", "6.8.2"], [2, 3], LARGE],
  ["Deployment", "payments", "gateway", "acme/payments-gateway", ["4.4.1", "4.4.0"], [2, 3], MEDIUM],
  ["Deployment", "platform", "ingress", "traefik", ["v3.6.2", "v3.5.4"], [2, 2], MEDIUM],
  ["StatefulSet", "payments", "events", "apache/kafka", ["4.1.1", "4.1.0"], [3, 3], LARGE],
  ["ReplicaSet", "shop", "image-resizer", "acme/image-resizer", ["0.9.0"], [1, 2], MEDIUM],
  ["CronJob", "platform", "backup", "restic/restic", ["0.18.1"], [1, 1], SMALL, "suspended"]
]

export const CATALOG: ReadonlyArray<Template> = [...EVERYWHERE.map(template(true)), ...SOMEWHERE.map(template(false))]

/** What needs a GPU; only clusters that have such nodes get it. */
export const GPU_WORKLOAD: Template = template(true)([
  "Deployment",
  "shop",
  "recommender",
  "acme/recommender",
  ["3.1.0", "3.0.4"],
  [1, 1],
  { ...LARGE, gpus: 1 },
  "healthy"
])

/** The least that is still a cluster: one of each kind that runs for good. */
export const TINY: ReadonlyArray<Template> = CATALOG.filter(({ name }) =>
  ["web", "catalog-db", "log-agent"].includes(name)
)
