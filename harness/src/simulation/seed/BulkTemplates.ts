/** Generates workloads for clusters of any size, beyond the catalogue. */
import { Effect, Random } from "effect"
import { LARGE, MEDIUM, SMALL, type Template, VOLUME_GIB, type WorkloadKind } from "./Catalog.ts"

/** Number of workloads and pods of a bulk cluster. */
export interface BulkCounts {
  readonly workloads: number
  readonly pods: number
}

/** A workload with its number of pods. */
export interface SizedTemplate {
  readonly template: Template
  readonly pods: number
}

/** Workload kinds in repeating order. */
const PATTERN: ReadonlyArray<WorkloadKind> = [
  "Deployment",
  "StatefulSet",
  "Deployment",
  "Deployment",
  "Job",
  "Deployment",
  "CronJob",
  "Deployment",
  "Deployment",
  "StatefulSet",
  "Deployment",
  "Deployment",
  "Deployment",
  "Job",
  "Deployment",
  "Deployment",
  "CronJob",
  "Deployment",
  "Deployment",
  "Deployment"
]
/** One of this many Deployments needs a GPU. */
const GPU_EVERY = 20
const MOST_PUBLIC = 10

const SUBJECTS = ["cart", "catalog", "invoice", "stock", "price", "review", "search", "session", "shipment", "user"]
const PARTS = ["api", "worker", "sync", "cache", "proxy", "stream", "report", "gateway"]

/**
 * Generates `workloads` templates with `pods` pods in total.
 *
 * As in reality, few workloads have most of the pods. Jobs and CronJobs have one pod. If there are fewer than twice as
 * many pods as workloads, only Deployments and StatefulSets are generated.
 */
export const bulk = Effect.fnUntraced(function* ({ pods, workloads }: BulkCounts, namespaces: ReadonlyArray<string>) {
  const hasSparePods = pods >= workloads * 2
  const templates: Array<Template> = []
  let deployments = 0
  let open = 0
  for (let at = 0; at < workloads; at++) {
    const planned = PATTERN[at % PATTERN.length] ?? "Deployment"
    const kind = hasSparePods || planned === "StatefulSet" ? planned : "Deployment"
    if (kind === "Deployment") deployments++
    const accelerated = hasSparePods && kind === "Deployment" && deployments % GPU_EVERY === 0
    const isPublic = kind === "Deployment" && deployments % GPU_EVERY === 1 && open++ < MOST_PUBLIC
    templates.push(yield* templateAt(at, kind, { accelerated, isPublic, namespaces }))
  }
  const shares = yield* Effect.forEach(templates, (template) =>
    isElastic(template) ? Effect.map(Random.next, (chance) => chance ** 3) : Effect.succeed(0)
  )
  const sizes = divide(pods - workloads, shares)
  return templates.map((template, at): SizedTemplate => ({ template, pods: 1 + (sizes[at] ?? 0) }))
})

const templateAt = Effect.fnUntraced(function* (
  at: number,
  kind: WorkloadKind,
  options: { readonly accelerated: boolean; readonly isPublic: boolean; readonly namespaces: ReadonlyArray<string> }
) {
  const { accelerated, isPublic, namespaces } = options
  const subject = SUBJECTS[at % SUBJECTS.length] ?? "shop"
  const part = PARTS[Math.floor(at / SUBJECTS.length) % PARTS.length] ?? "api"
  const name = `${subject}-${part}-${at}`
  const resources = yield* Random.choice([SMALL, SMALL, MEDIUM, MEDIUM, LARGE] as const)
  return {
    kind,
    namespace: namespaces[at % namespaces.length] ?? "shop",
    name,
    image: `acme/${subject}-${part}`,
    tags: ["1.1.0", "1.0.0"],
    replicas: [1, 1],
    resources: accelerated ? { ...LARGE, gpus: 1 } : resources,
    everywhere: true,
    ...(accelerated ? { fixed: "healthy" } : kind === "Job" ? { fixed: "completed" } : {}),
    ...(kind === "StatefulSet" ? { volumeGib: VOLUME_GIB } : {}),
    ...(isPublic ? { isPublic } : {})
  } satisfies Template
})

/** Returns whether the workload can have any number of pods. */
const isElastic = ({ kind, resources }: Template): boolean =>
  (kind === "Deployment" || kind === "StatefulSet") && resources.gpus === undefined

/** Divides a whole number in proportion to shares. The parts add up to the total. */
const divide = (total: number, shares: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sum = shares.reduce((all, share) => all + share, 0)
  if (sum === 0) return shares.map((_, at) => (at === 0 ? total : 0))
  let distributed = 0
  let reached = 0
  return shares.map((share) => {
    reached += share
    const next = Math.round((total * reached) / sum) - distributed
    distributed += next
    return next
  })
}
