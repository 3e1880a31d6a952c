/** Decides, without asking any cluster, what a seeded cluster holds. */
import { Effect, Random } from "effect"
import { bulk } from "./BulkTemplates.ts"
import { CATALOG, GPU_WORKLOAD, SYSTEM_NAMESPACE, TEAMS, type Template, TINY } from "./Catalog.ts"
import { type Cloud, cloudAt, type MachineType } from "./Hardware.ts"
import type { NodePlan } from "./NodePlan.ts"
import { nodesFor, type Place, placement } from "./Placement.ts"
import * as SeedCheck from "./SeedCheck.ts"
import { complete, NAMED, type NamedSize, type SeedSize } from "./SeedSize.ts"

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

/** One pod. **Shape** `revision` tells a rollout's new pods from its old ones; `address` is unique in its cluster. */
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

const PRODUCTION = "production"
/** What goes wrong, in the order in which it is dealt out. */
const TROUBLES: ReadonlyArray<WorkloadState> = ["degraded", "progressing", "paused"]
/** Of this many workloads of a bulk cluster, one is in each kind of trouble. */
const BULK_WORKLOADS_PER_TROUBLE = 40

/** The letters that Kubernetes itself puts into names: no vowels, so that no words come out. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789"

/**
 * Plans one cluster; the same options give the same plan.
 *
 * **Limits** dies with what `Seed.fill` fails with when no cluster can have that size.
 *
 * In every cluster of a named size but `tiny`, and in every stage, one Deployment each is degraded, progressing and paused, which ones differs.
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
      const chosen = tiny ? TINY : yield* choose(stage, size)
      const states = tiny ? new Map<Template, WorkloadState>() : yield* dealStates(chosen, 1)
      return yield* Effect.forEach(chosen, (template) =>
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
  const states = yield* dealStates(
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
  return yield* Effect.forEach(machines, (given, at) =>
    Effect.gen(function* () {
      const machine = given ?? (yield* Random.choice(cloud.machines))
      // One in three: enough for prices to differ within a workload.
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

const choose = Effect.fnUntraced(function* (stage: string, { gpuNodes, optional }: NamedSize) {
  // The system's own workloads exist once, whatever the stages.
  const offered = CATALOG.filter(({ namespace }) => stage === PRODUCTION || namespace !== SYSTEM_NAMESPACE)
  const others = yield* Random.shuffle(offered.filter(({ everywhere }) => !everywhere))
  const count = yield* Random.nextIntBetween(...optional)
  const accelerated = gpuNodes > 0 ? [GPU_WORKLOAD] : []
  return [...offered.filter(({ everywhere }) => everywhere), ...accelerated, ...others.slice(0, count)]
})

/** Deals each unhappy state out to `count` Deployments of several replicas, leaving the system's alone. */
const dealStates = Effect.fnUntraced(function* (templates: ReadonlyArray<Template>, count: number) {
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
  /** How many pods it is to have, whatever its template says. */
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
      // Among hundreds of replicas two would now and then draw the same letters; servers draw again too.
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
  // A rollout has one pod more than it wants in the end.
  return Effect.succeed(state === "progressing" ? pods - 1 : pods)
}

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

const namespaceIn = (namespace: string, stage: string): string =>
  stage === PRODUCTION || namespace === SYSTEM_NAMESPACE ? namespace : `${namespace}-${stage}`

const letters = (length: number): Effect.Effect<string> =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, LETTERS.length, { halfOpen: true }), length), (places) =>
    places.map((place) => LETTERS.charAt(place)).join("")
  )
