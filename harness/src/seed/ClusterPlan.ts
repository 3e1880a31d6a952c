/**
 * Decides, without asking any cluster, what a seeded cluster holds.
 *
 * @since 0.1.0
 */
import { Effect, Random } from "effect"
import { CATALOG, SYSTEM_NAMESPACE, TEAMS, type Template } from "./Catalog.ts"
import { type Cloud, cloudAt, type MachineType } from "./Hardware.ts"

/** `small`: 13 or 14 workloads on 4 nodes. `medium`: about 50 on 12. */
export type SeedSize = "small" | "medium"

/** What a cluster's view of a workload shows. */
export type WorkloadState =
  | "healthy"
  | "degraded"
  | "progressing"
  | "paused"
  | "idle"
  | "suspended"
  | "completed"
  | "failed"

export interface NodePlan {
  readonly name: string
  readonly zone: string
  readonly machine: MachineType
  readonly spot: boolean
  readonly address: string
}

/**
 * One pod. **Shape** `revision` tells a rollout's new pods from its old ones; `address` is unique in its cluster.
 */
export interface PodPlan {
  readonly name: string
  readonly node: NodePlan
  readonly address: string
  readonly state: "running" | "starting" | "crashing" | "succeeded" | "failed"
  readonly revision: "current" | "previous"
}

export interface WorkloadPlan {
  readonly template: Template
  readonly namespace: string
  readonly image: string
  /** The image before the present rollout. */
  readonly previousImage: string
  readonly state: WorkloadState
  readonly desired: number
  readonly pods: ReadonlyArray<PodPlan>
  /** Ends the names of its replica sets, or of a CronJob's last Job. */
  readonly hash: string
  readonly previousHash: string
}

export interface ClusterPlan {
  readonly cluster: string
  readonly cloud: Cloud
  readonly nodes: ReadonlyArray<NodePlan>
  readonly namespaces: ReadonlyArray<{ readonly name: string; readonly team: string; readonly stage: string }>
  readonly workloads: ReadonlyArray<WorkloadPlan>
}

export interface PlanOptions {
  readonly seed: number
  readonly cluster: string
  /** The cluster's place in its fleet, 0 for the parent. */
  readonly index: number
  readonly size: SeedSize
}

const SIZES = {
  small: { nodes: 4, stages: ["production"], optional: [2, 3] },
  medium: { nodes: 12, stages: ["production", "staging", "test"], optional: [5, 7] }
} as const

/** The letters that Kubernetes itself puts into names: no vowels, so that no words come out. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789"

/**
 * Plans one cluster; the same options give the same plan.
 *
 * **Shape** in every cluster and stage one Deployment each is degraded, progressing and paused, which ones differs.
 *
 * @since 0.1.0
 */
export const plan = (options: PlanOptions): Effect.Effect<ClusterPlan> =>
  Effect.gen(function* () {
    const size = SIZES[options.size]
    const cloud = cloudAt(options.index)
    const nodes = yield* Effect.forEach(
      Array.from({ length: size.nodes }, (_, at) => at),
      (at) => planNode(cloud, at)
    )
    const place = placement(nodes)
    const stages = yield* Effect.forEach(size.stages, (stage) => planStage(stage, size.optional, nodes, place))
    return {
      cluster: options.cluster,
      cloud,
      nodes,
      namespaces: size.stages.flatMap((stage) =>
        Object.entries(TEAMS).map(([name, team]) => ({ name: namespaceIn(name, stage), team, stage }))
      ),
      workloads: stages.flat()
    }
  }).pipe(Random.withSeed(`${options.seed}/${options.index}/${options.cluster}`))

const planNode = Effect.fnUntraced(function* (cloud: Cloud, at: number) {
  const machine = yield* Random.choice(cloud.machines)
  return {
    name: `node-${yield* letters(4)}-${at}`,
    zone: cloud.zones[at % cloud.zones.length] ?? cloud.region,
    machine,
    // One in three: enough for prices to differ within a workload.
    spot: at % 3 === 1,
    address: `10.1.0.${10 + at}`
  } satisfies NodePlan
})

/** Gives the replica at a place its node and address. */
type Place = (template: Template, at: number) => { readonly node: NodePlan; readonly address: string }

const planStage = Effect.fnUntraced(function* (
  stage: string,
  optional: readonly [number, number],
  nodes: ReadonlyArray<NodePlan>,
  place: Place
) {
  const production = stage === "production"
  // The system's own workloads exist once, whatever the stages.
  const offered = CATALOG.filter(({ namespace }) => production || namespace !== SYSTEM_NAMESPACE)
  const others = yield* Random.shuffle(offered.filter(({ everywhere }) => !everywhere))
  const count = yield* Random.nextIntBetween(...optional)
  const chosen = [...offered.filter(({ everywhere }) => everywhere), ...others.slice(0, count)]
  const states = yield* dealStates(chosen)
  return yield* Effect.forEach(chosen, (template) =>
    planWorkload(template, stage, states.get(template) ?? template.fixed ?? "healthy", nodes, place)
  )
})

/** Deals the unhappy states out to Deployments of several replicas, leaving the system's alone. */
const dealStates = Effect.fnUntraced(function* (templates: ReadonlyArray<Template>) {
  const candidates = templates.filter(
    ({ kind, namespace, fixed }) => kind === "Deployment" && namespace !== SYSTEM_NAMESPACE && fixed === undefined
  )
  const [degraded, progressing, paused] = yield* Random.shuffle(candidates)
  const states = new Map<Template, WorkloadState>()
  if (degraded !== undefined) states.set(degraded, "degraded")
  if (progressing !== undefined) states.set(progressing, "progressing")
  if (paused !== undefined) states.set(paused, "paused")
  return states
})

const planWorkload = Effect.fnUntraced(function* (
  template: Template,
  stage: string,
  state: WorkloadState,
  nodes: ReadonlyArray<NodePlan>,
  place: Place
) {
  const desired = template.kind === "DaemonSet" ? nodes.length : yield* Random.nextIntBetween(...template.replicas)
  const tag = yield* Random.choice(template.tags)
  const previousTag = template.tags[(template.tags.indexOf(tag) + 1) % template.tags.length] ?? tag
  const hash = yield* letters(10)
  const previousHash = yield* letters(10)
  const pods = yield* Effect.forEach(podStates(template, state, desired), (pod, at) =>
    Effect.gen(function* () {
      const owner = pod.revision === "current" ? hash : previousHash
      return { ...pod, ...place(template, at), name: podName(template, owner, at, yield* letters(5)) }
    })
  )
  return {
    template,
    namespace: namespaceIn(template.namespace, stage),
    image: `${template.image}:${tag}`,
    previousImage: `${template.image}:${previousTag}`,
    state,
    desired,
    pods,
    hash,
    previousHash
  } satisfies WorkloadPlan
})

/** The pods that a state consists of. */
const podStates = (
  template: Template,
  state: WorkloadState,
  desired: number
): ReadonlyArray<Pick<PodPlan, "state" | "revision">> => {
  const current = (count: number, of: PodPlan["state"]) =>
    Array.from({ length: count }, () => ({ state: of, revision: "current" as const }))
  if (state === "idle" || state === "suspended") return []
  if (state === "completed" || template.kind === "CronJob") return current(1, "succeeded")
  // The first try, and the one that its back-off limit allows.
  if (state === "failed") return current(2, "failed")
  if (state === "degraded") return [...current(desired - 1, "running"), ...current(1, "crashing")]
  if (state === "progressing") {
    // The old pods stay until the first new one is ready.
    const old = Array.from({ length: desired }, () => ({ state: "running" as const, revision: "previous" as const }))
    return [...old, ...current(1, "starting")]
  }
  return current(desired, "running")
}

const podName = (template: Template, owner: string, at: number, suffix: string): string => {
  if (template.kind === "Pod") return template.name
  if (template.kind === "StatefulSet") return `${template.name}-${at}`
  const parent =
    template.kind === "Deployment" || template.kind === "CronJob" ? `${template.name}-${owner}` : template.name
  return `${parent}-${suffix}`
}

/** Puts every pod on the node with the most unrequested CPU, as the scheduler tends to. */
const placement = (nodes: ReadonlyArray<NodePlan>): Place => {
  const free = new Map(nodes.map((node) => [node, node.machine.cpuMillis]))
  let pods = 0
  return ({ resources, kind }, at) => {
    // One pod of a DaemonSet is on every node, wherever the others go.
    const candidates = kind === "DaemonSet" ? [...free].slice(at, at + 1) : [...free]
    const [node, cpuMillis] = candidates.reduce((best, next) => (next[1] > best[1] ? next : best))
    free.set(node, cpuMillis - resources.cpuRequestMillis)
    pods++
    return { node, address: `10.2.${Math.floor(pods / 250)}.${1 + (pods % 250)}` }
  }
}

const namespaceIn = (namespace: string, stage: string): string =>
  stage === "production" || namespace === SYSTEM_NAMESPACE ? namespace : `${namespace}-${stage}`

const letters = (length: number): Effect.Effect<string> =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, LETTERS.length, { halfOpen: true }), length), (places) =>
    places.map((place) => LETTERS.charAt(place)).join("")
  )
