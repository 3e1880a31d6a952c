/** The workloads of an online shop, from which seeded clusters are filled. */

export type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "CronJob" | "Pod"

/** Requests and limits of a replica's container. */
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
  /** Image tags. A planned workload gets one of them at random. */
  readonly tags: readonly [string, ...ReadonlyArray<string>]
  /** Minimum and maximum number of replicas. A DaemonSet has one per node, a Job one. */
  readonly replicas: readonly [number, number]
  readonly resources: Resources
  /** Size of each replica's volume, only for StatefulSets. */
  readonly volumeGib?: number
  /** Exposed by a Service of type LoadBalancer. */
  readonly isPublic?: boolean
  /** True if every cluster has the workload; otherwise each cluster has a selection of such workloads. */
  readonly everywhere: boolean
  /** A fixed state, instead of one that the plan assigns. */
  readonly fixed?: "healthy" | "idle" | "completed" | "failed" | "suspended"
}

/** Namespaces that the seed creates, with the team that owns each. */
export const TEAMS: Readonly<Record<string, string>> = {
  shop: "storefront",
  payments: "payments",
  platform: "platform"
}

/** Namespace that the server creates itself. The seed adds workloads to it. */
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

/** One row of the catalogue. */
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
/** Workloads that are exposed to customers. */
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

/** A workload that needs a GPU. Only clusters with GPU nodes have it. */
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

/** The smallest set: one workload of each long-running kind. */
export const TINY: ReadonlyArray<Template> = CATALOG.filter(({ name }) =>
  ["web", "catalog-db", "log-agent"].includes(name)
)
