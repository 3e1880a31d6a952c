/** Plans the content of a seeded cluster, without any API call. */
import { Effect, Random } from "effect"
import { bulk } from "./BulkTemplates.ts"
import { CATALOG, GPU_WORKLOAD, SYSTEM_NAMESPACE, TEAMS, type Template, TINY } from "./Catalog.ts"
import { type Cloud, cloudAt, type MachineType } from "./Hardware.ts"
import type { NodePlan } from "./NodePlan.ts"
import { nodesFor, type Place, placement } from "./Placement.ts"
import * as SeedCheck from "./SeedCheck.ts"
import { complete, NAMED, type NamedSize, type SeedSize } from "./SeedSize.ts"

/** The state of a workload, as its status shows it. */
export type WorkloadState =
  | "healthy"
  | "degraded"
  | "progressing"
  | "paused"
  | "idle"
  | "suspended"
  | "completed"
  | "failed"

/**
 * A pod. **Shape** `revision` distinguishes new pods of a rollout from old ones. `address` is unique in the cluster.
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
  /** The image before the current rollout. */
  readonly previousImage: string
  readonly state: WorkloadState
  readonly desired: number
  readonly pods: ReadonlyArray<PodPlan>
  /** Suffix of the names of the workload's ReplicaSets, or of a CronJob's last Job. */
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
  /** Position of the cluster in its fleet, 0 for the parent. */
  readonly index: number
  readonly size: SeedSize
}

const PRODUCTION = "production"
/** Unhealthy states, in the order in which they are assigned. */
const TROUBLES: ReadonlyArray<WorkloadState> = ["degraded", "progressing", "paused"]
/** A bulk cluster has one workload in each unhealthy state per this many workloads. */
const BULK_WORKLOADS_PER_TROUBLE = 40

/** Characters of generated names, as in Kubernetes: without vowels, so that no words appear. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789"

/**
 * Plans one cluster. The same options return the same plan.
 *
 * **Limits** dies with `InvalidSeed` for invalid options.
 *
 * In clusters of a named size other than `tiny`, every stage (`production`, `staging` and so on) has one degraded, one
 * progressing and one paused Deployment. The choice of these Deployments differs between clusters.
 */
export const plan = (options: PlanOptions): Effect.Effect<ClusterPlan> =>
  SeedCheck.check(options.cluster, { ...options, pods: "reported", concurrency: 1 }).pipe(
    Effect.orDie,
    Effect.andThen(planOf(options)),
    Random.withSeed(`${options.seed}/${options.index}/${options.cluster}`)
  )

const planOf = (options: PlanOptions): Effect.Effect<ClusterPlan> =>
  Effect.suspend(() =>
    typeof options.size === "string"
      ? planNamed(options, NAMED[options.size], options.size === "tiny")
      : planBulk(options, complete(options.size))
  )

const planNamed = Effect.fnUntraced(function* (options: PlanOptions, size: NamedSize, tiny: boolean) {
  const cloud = cloudAt(options.index)
  const machines = Array.from({ length: size.nodes }, (_, at) =>
    at < size.nodes - size.gpuNodes ? undefined : cloud.gpuMachine
  )
  const nodes = yield* planNodes(cloud, machines)
  const place = placement(nodes)
  const stages = yield* Effect.forEach(size.stages, (stage) =>
    Effect.gen(function* () {
      const templates = tiny ? TINY : yield* chooseTemplates(stage, size)
      const states = tiny ? new Map<Template, WorkloadState>() : yield* assignStates(templates, 1)
      return yield* Effect.forEach(templates, (template) =>
        planWorkload({ template, stage, state: states.get(template) ?? template.fixed ?? "healthy", nodes, place })
      )
    })
  )
  return {
    cluster: options.cluster,
    cloud,
    nodes,
    namespaces: namespacesOf(size.stages),
    workloads: stages.flat()
  } satisfies ClusterPlan
})

const planBulk = Effect.fnUntraced(function* (options: PlanOptions, counts: ReturnType<typeof complete>) {
  const cloud = cloudAt(options.index)
  const sized = yield* bulk(counts, Object.keys(TEAMS))
  const states = yield* assignStates(
    sized.filter(({ pods }) => pods > 1).map(({ template }) => template),
    Math.ceil(counts.workloads / BULK_WORKLOADS_PER_TROUBLE)
  )
  const needed = nodesFor(sized, cloud)
  const ordinary = Math.max(needed.ordinary, counts.nodes - needed.accelerated)
  const machines = Array.from({ length: ordinary + needed.accelerated }, (_, at) =>
    at < ordinary ? cloud.large : cloud.gpuMachine
  )
  const nodes = yield* planNodes(cloud, machines)
  const place = placement(nodes)
  const workloads = yield* Effect.forEach(sized, ({ pods, template }) =>
    planWorkload({
      template,
      stage: PRODUCTION,
      state: states.get(template) ?? template.fixed ?? "healthy",
      nodes,
      place,
      pods
    })
  )
  return {
    cluster: options.cluster,
    cloud,
    nodes,
    namespaces: namespacesOf([PRODUCTION]),
    workloads
  } satisfies ClusterPlan
})

const namespacesOf = (stages: ReadonlyArray<string>) =>
  stages.flatMap((stage) =>
    Object.entries(TEAMS).map(([name, team]) => ({ name: namespaceIn(name, stage), team, stage }))
  )

const planNodes = Effect.fnUntraced(function* (cloud: Cloud, machines: ReadonlyArray<MachineType | undefined>) {
  return yield* Effect.forEach(machines, (fixedMachine, at) =>
    Effect.gen(function* () {
      const machine = fixedMachine ?? (yield* Random.choice(cloud.machines))
      // One node in three is a spot node, so prices differ within a workload.
      const spot = at % 3 === 1
      const provisioner = cloud.provisioners[Math.floor(at / 3) % cloud.provisioners.length] ?? cloud.provisioners[0]
      return {
        name: `node-${yield* letters(4)}-${at}`,
        zone: cloud.zones[at % cloud.zones.length] ?? cloud.region,
        machine,
        spot,
        priceLabels: spot ? provisioner.spotLabels : provisioner.onDemandLabels,
        hourlyUsd: spot ? machine.hourlyUsd.spot : machine.hourlyUsd.onDemand,
        address: `10.1.${Math.floor((10 + at) / 250)}.${(10 + at) % 250}`
      } satisfies NodePlan
    })
  )
})

const chooseTemplates = Effect.fnUntraced(function* (stage: string, { gpuNodes, optional }: NamedSize) {
  // System workloads exist only once, in the production stage.
  const available = CATALOG.filter(({ namespace }) => stage === PRODUCTION || namespace !== SYSTEM_NAMESPACE)
  const others = yield* Random.shuffle(available.filter(({ everywhere }) => !everywhere))
  const count = yield* Random.nextIntBetween(...optional)
  const accelerated = gpuNodes > 0 ? [GPU_WORKLOAD] : []
  return [...available.filter(({ everywhere }) => everywhere), ...accelerated, ...others.slice(0, count)]
})

/** Assigns each unhealthy state to `count` Deployments with several replicas, except system workloads. */
const assignStates = Effect.fnUntraced(function* (templates: ReadonlyArray<Template>, count: number) {
  const candidates = templates.filter(
    ({ kind, namespace, fixed }) => kind === "Deployment" && namespace !== SYSTEM_NAMESPACE && fixed === undefined
  )
  const shuffled = yield* Random.shuffle(candidates)
  const states = new Map<Template, WorkloadState>()
  for (const [at, template] of shuffled.slice(0, count * TROUBLES.length).entries()) {
    states.set(template, TROUBLES[at % TROUBLES.length] ?? "healthy")
  }
  return states
})

const planWorkload = Effect.fnUntraced(function* (options: {
  readonly template: Template
  readonly stage: string
  readonly state: WorkloadState
  readonly nodes: ReadonlyArray<NodePlan>
  readonly place: Place
  /** Number of pods, overriding the template. */
  readonly pods?: number
}) {
  const { nodes, place, stage, state, template } = options
  const desired = yield* desiredOf(template, state, nodes, options.pods)
  const tag = yield* Random.choice(template.tags)
  const previousTag = template.tags[(template.tags.indexOf(tag) + 1) % template.tags.length] ?? tag
  const hash = yield* letters(10)
  const previousHash = yield* letters(10)
  const taken = new Set<string>()
  const pods = yield* Effect.forEach(podStates(template, state, desired), (pod, at) =>
    Effect.gen(function* () {
      const owner = pod.revision === "current" ? hash : previousHash
      // With hundreds of replicas the same suffix may be drawn twice, so it is drawn again, as API servers do.
      let suffix = yield* letters(5)
      while (taken.has(suffix)) suffix = yield* letters(5)
      taken.add(suffix)
      return { ...pod, ...place(template, at), name: podName(template, owner, at, suffix) }
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

const desiredOf = (
  { kind, replicas }: Template,
  state: WorkloadState,
  nodes: ReadonlyArray<NodePlan>,
  pods: number | undefined
): Effect.Effect<number> => {
  if (kind === "DaemonSet") return Effect.succeed(nodes.length)
  if (pods === undefined) return Random.nextIntBetween(...replicas)
  // During a rollout there is one more pod than desired.
  return Effect.succeed(state === "progressing" ? pods - 1 : pods)
}

/** Returns the states of the pods of a workload. */
const podStates = (
  template: Template,
  state: WorkloadState,
  desired: number
): ReadonlyArray<Pick<PodPlan, "state" | "revision">> => {
  const current = (count: number, of: PodPlan["state"]) =>
    Array.from({ length: count }, () => ({ state: of, revision: "current" as const }))
  if (state === "idle" || state === "suspended") return []
  if (state === "completed" || template.kind === "CronJob") return current(1, "succeeded")
  // The first attempt and one retry, because the Job's back-off limit is 1.
  if (state === "failed") return current(2, "failed")
  if (state === "degraded") return [...current(desired - 1, "running"), ...current(1, "crashing")]
  if (state === "progressing") {
    // Old pods remain until the first new one is ready.
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

const namespaceIn = (namespace: string, stage: string): string =>
  stage === PRODUCTION || namespace === SYSTEM_NAMESPACE ? namespace : `${namespace}-${stage}`

const letters = (length: number): Effect.Effect<string> =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, LETTERS.length, { halfOpen: true }), length), (places) =>
    places.map((place) => LETTERS.charAt(place)).join("")
  )
