/** The sampler on clusters in memory, with a clock that the test lets run. */
import { CostStore } from "../../src/store/CostStore.ts"
import { HistoryStore } from "../../src/store/HistoryStore.ts"
import { CostSampler } from "../../src/sampler/CostSampler.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import type { Measure } from "../../src/hour/Measure.ts"
import { Prices, layerMemory as pricesMemory } from "../../src/price/Prices.ts"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { Recommender } from "../../src/savings/Recommender.ts"
import { isWorkload } from "../../src/hour/Series.ts"
import type { ContainerSample, Sampled, UsageSource } from "../../src/usage/UsageSource.ts"
import type { UsageError } from "../../src/usage/UsageError.ts"
import { HourJournal } from "../../src/sampler/HourJournal.ts"
import { layerFiles } from "../../src/sampler/JournalFiles.ts"
import { UsageSources } from "../../src/sampler/UsageSources.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { layerMemory as layerRecommendationMemory } from "../../src/store/RecommendationMemory.ts"
import { layerSqlite } from "../../src/store/sqlite/Sqlite.ts"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Fleet, makeFleet, Server } from "./fleet.ts"
import { bookOf, cpu } from "../price/samples.ts"
import { at, DAY, deployment, node, ofDeployment, pod } from "./objects.ts"

export const onDisk = (directory: string): Layer.Layer<Kept> =>
  Layer.mergeAll(layerSqlite({ directory }), pricesMemory, layerFiles({ directory })).pipe(Layer.orDie)

/** A cluster `a` with one node and a Deployment. */
export const oneCluster = Effect.gen(function* () {
  const server = new Server("a")
  fill(server)
  return { server, fleet: yield* makeFleet(server) }
})

/** The same with one pod of the Deployment, that runs since nine; it is two minutes to ten. */
export const oneWeb = Effect.gen(function* () {
  const { fleet, server } = yield* oneCluster
  server.put("Pod", pod("web-1", { from: "09:00:00" }, { owner: ofDeployment("web") }))
  yield* begin("09:58:00")
  return fleet
})

/** Two dollars for a core's hour from a time of the day on: a tenth of a core comes to a fifth of a dollar. */
export const dearerFrom = (time: string) => bookOf(cpu(2, {}, { validFrom: `${DAY}T${time}Z` }))

export const revisionLimits = { hourlyDays: 100, hasCosts: true }

export const fill = (server: Server): void => {
  const { deployment: web, replicaSet } = deployment("web")
  server.put("Node", node("n1"))
  server.put("Deployment", web)
  server.put("ReplicaSet", replicaSet)
}

/** The state that survives a restart: store, recommendations, prices and journal. */
export type Kept = CostStore | HistoryStore | RecommendationStore | Prices | HourJournal

export const inMemory: Layer.Layer<Kept> = Layer.mergeAll(
  layerMemory,
  layerRecommendationMemory,
  pricesMemory,
  HourJournal.layerNone
)

/** Calls that wait for a disk or a worker, for which the test's clock does not tell when they are done. */
let inFlight = 0

/** Counts the calls of a service while they are under way. */
const counted = <S extends object>(service: S): S =>
  new Proxy(service, {
    get: (target, property, receiver) => {
      const member: unknown = Reflect.get(target, property, receiver)
      if (Effect.isEffect(member)) return during(member)
      if (typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>): unknown => {
        const called: unknown = Reflect.apply(member, target, args)
        return Effect.isEffect(called) ? during(called) : called
      }
    }
  })

const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => inFlight++),
    () => effect,
    () => Effect.sync(() => inFlight--)
  )

/** Starts the program, and gives what stops it: its kept parts stay. */
export const start = Effect.fnUntraced(function* (fleet: Fleet, source: UsageSource) {
  const kept = Context.empty().pipe(
    Context.add(CostStore, counted(yield* CostStore)),
    Context.add(HistoryStore, counted(yield* HistoryStore)),
    Context.add(RecommendationStore, counted(yield* RecommendationStore)),
    Context.add(HourJournal, counted(yield* HourJournal)),
    Context.add(Prices, counted(yield* Prices))
  )
  const scope = yield* Scope.fork(yield* Effect.scope)
  const layer = CostSampler.layer.pipe(
    Layer.provide(Recommender.layer),
    Layer.provide(Layer.mergeAll(fleet.layer, UsageSources.layerOf(source))),
    Layer.provide(Layer.succeedContext(kept)),
    Layer.fresh
  )
  const context = yield* Layer.buildWithScope(layer, scope)
  return { sampler: Context.get(context, CostSampler), stop: Scope.close(scope, Exit.void) }
})

const STEP_MS = 5_000
/** Turns that the fibers get at every instant. */
const TURNS = 60

/** Lets the other fibers do what needs no time but that of the disk. */
export const settle = Effect.gen(function* () {
  for (let turn = 0; turn < TURNS; turn++) {
    yield* Effect.yieldNow
    if (inFlight === 0) continue
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
    turn = 0
  }
})

/** Lets time pass until a time of the test's day, such as `11:02:00`. */
export const until = (time: string): Effect.Effect<void> => untilMs(at(time))

export const untilMs = Effect.fnUntraced(function* (endMs: number) {
  yield* settle
  while (true) {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs >= endMs) return
    yield* TestClock.adjust(Math.min(STEP_MS, endMs - nowMs))
    yield* settle
  }
})

export const begin = (time: string): Effect.Effect<void> => TestClock.setTime(at(time))

export const a = ClusterName.make("a")

export const hoursOf = (cluster: ClusterName, from: string, to: string) =>
  Effect.flatMap(CostStore, (store) => store.hours(cluster, { startMs: at(from), endMs: at(to) }))

/** Returns a measure of each workload by its kind and name. */
export const measured = (hour: Hour | undefined, measure: Measure): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (hour?.series ?? []).flatMap((series, place) =>
      isWorkload(series) ? [[`${series.kind}/${series.name}`, hour?.columns[measure][place] ?? 0]] : []
    )
  )

/** A source that tells of a tenth of a core and 32 MiB for each of some pods, when it is asked. */
export const sampled = (
  pods: () => ReadonlyArray<string>,
  trouble: () => UsageError | undefined = () => undefined
): Sampled => ({
  _tag: "Sampled",
  sample: () =>
    Effect.gen(function* () {
      const atMs = yield* Clock.currentTimeMillis
      const failure = trouble()
      if (failure !== undefined) return yield* failure
      return pods().map((pod): ContainerSample => ({
        namespace: "shop",
        pod,
        container: "main",
        atMs,
        windowMs: 30_000,
        cpuMillis: 50,
        memoryBytes: 32 * 1_024 ** 2
      }))
    })
})

export const requestsOnly: UsageSource = { _tag: "RequestsOnly" }
