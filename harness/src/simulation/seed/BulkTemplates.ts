/** Workloads for clusters of a given size, where a catalogue of an online shop would run out. */
import { Effect, Random } from "effect"
import { LARGE, MEDIUM, SMALL, type Template, VOLUME_GIB, type WorkloadKind } from "./Catalog.ts"

/** What a bulk cluster is to hold. */
export interface BulkCounts {
  readonly workloads: number
  readonly pods: number
}

/** A workload, and how many pods it is to have. */
export interface SizedTemplate {
  readonly template: Template
  readonly pods: number
}

/** The kinds in the order in which they come, over and over. */
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
/** Among how many Deployments one needs a GPU. */
const GPU_EVERY = 20
const MOST_PUBLIC = 10

const SUBJECTS = ["cart", "catalog", "invoice", "stock", "price", "review", "search", "session", "shipment", "user"]
const PARTS = ["api", "worker", "sync", "cache", "proxy", "stream", "report", "gateway"]

/**
 * Deals out `workloads` templates that have `pods` pods in all.
 *
 * Pods go mostly to few workloads, as they do in reality; Jobs and CronJobs have one. Where there are hardly
 * more pods than workloads, all are Deployments and StatefulSets.
 */
export const bulk = Effect.fnUntraced(function* ({ pods, workloads }: BulkCounts, namespaces: ReadonlyArray<string>) {
  const roomy = pods >= workloads * 2
  const templates: Array<Template> = []
  let deployments = 0
  let open = 0
  for (let at = 0; at < workloads; at++) {
    const planned = PATTERN[at % PATTERN.length] ?? "Deployment"
    const kind = roomy || planned === "StatefulSet" ? planned : "Deployment"
    if (kind === "Deployment") deployments++
    const accelerated = roomy && kind === "Deployment" && deployments % GPU_EVERY === 0
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

/** Whether it may have any number of pods. */
const isElastic = ({ kind, resources }: Template): boolean =>
  (kind === "Deployment" || kind === "StatefulSet") && resources.gpus === undefined

/** Divides a whole number by shares, without a rest. */
const divide = (total: number, shares: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sum = shares.reduce((all, share) => all + share, 0)
  if (sum === 0) return shares.map((_, at) => (at === 0 ? total : 0))
  let given = 0
  let reached = 0
  return shares.map((share) => {
    reached += share
    const next = Math.round((total * reached) / sum) - given
    given += next
    return next
  })
}
