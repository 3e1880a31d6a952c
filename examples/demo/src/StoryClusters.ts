/**
 * The demo's clusters: controllers, simulated kubelets, and an online shop with a past.
 *
 * The shop is written while the clusters' clock is in the past. Controllers create its pods, so that a workload can be
 * scaled, restarted and paused.
 */
import { DAY_MS, HOUR_MS } from "@quarterdeck/cost/Units"
import { Embedded, Fleet, type FleetCluster, Seed, Usage } from "@quarterdeck/harness"
import { Clock, Effect } from "effect"
import * as StoryClock from "./StoryClock.ts"
import * as StoryEvents from "./StoryEvents.ts"
import * as StoryLogs from "./StoryLogs.ts"
import * as StoryObjects from "./StoryObjects.ts"
import * as StoryTroubles from "./StoryTroubles.ts"
import { HISTORY_DAYS, type Tale, tales } from "./Story.ts"

type Cluster = Pick<FleetCluster.FleetCluster, "api" | "name">

const PARENT = "hub"
const CHILDREN = ["prod", "stage"]
/** Names of the clusters, the parent first. */
export const NAMES = [PARENT, ...CHILDREN]
/** The seed of the clusters and of their cost history. */
export const SEEDED = { seed: 1, size: "small" } as const

const MINUTE_MS = 60_000
/** Age of the clusters. They are older than their cost history. */
const AGE_MS = (HISTORY_DAYS + 12) * DAY_MS
const PAUSED_AGO_MS = 26 * HOUR_MS
const CRASHING_AGO_MS = 25 * MINUTE_MS
/** Age of an unfinished rollout. Less than the 10 minutes after which a Deployment reports a rollout as failed. */
const ROLLOUT_AGO_MS = 4 * MINUTE_MS
/** Time of day at which CronJobs run. */
const NIGHTLY_MS = 3 * HOUR_MS

/** Starts the clusters and fills them. Closing the scope stops them. */
export const start = Effect.fnUntraced(function* (plans: ReadonlyArray<Seed.ClusterPlan>) {
  const clock = yield* StoryClock.make
  yield* clock.goBack(AGE_MS)
  const fleet = yield* Fleet.make({
    driver: Embedded.make({ nowMs: clock.nowMs, podLog: StoryLogs.make(clock.nowMs) }),
    parent: PARENT,
    children: CHILDREN,
    controllers: true,
    kubelet: { startAtCreation: true }
  })
  const inEach = <A, E, R>(step: (cluster: Cluster, plan: Seed.ClusterPlan) => Effect.Effect<A, E, R>) =>
    Effect.forEach(
      plans,
      Effect.fnUntraced(function* (plan) {
        return yield* step(yield* fleet.cluster(plan.cluster), plan)
      }),
      { concurrency: "unbounded", discard: true }
    )
  const putTales = (added: ReadonlyArray<Tale>, all: ReadonlyArray<Tale>) =>
    inEach((cluster, plan) =>
      Effect.andThen(StoryObjects.put(cluster, plan, added), StoryTroubles.run(cluster, plan, all))
    )
  const living = tales.filter(({ endedDaysAgo }) => endedDaysAgo === undefined)
  const old = living.filter(({ beganDaysAgo }) => beganDaysAgo === undefined)
  const begun = living
    .filter(({ beganDaysAgo }) => beganDaysAgo !== undefined)
    .toSorted((left, right) => (right.beganDaysAgo ?? 0) - (left.beganDaysAgo ?? 0))

  yield* Seed.fill(fleet, { ...SEEDED, pods: "none" })
  // The controller of a paused Deployment creates no pods.
  yield* inEach((cluster, plan) => StoryTroubles.pause(cluster, plan, false))
  yield* putTales(old, old)
  for (const [at, tale] of begun.entries()) {
    yield* clock.goBack((tale.beganDaysAgo ?? 0) * DAY_MS)
    yield* putTales([tale], [...old, ...begun.slice(0, at + 1)])
  }
  yield* clock.goBack(PAUSED_AGO_MS)
  yield* inEach((cluster, plan) => StoryTroubles.pause(cluster, plan, true))
  const nowMs = yield* Clock.currentTimeMillis
  yield* clock.goBack(nowMs - lastNight(nowMs))
  yield* inEach(StoryTroubles.runNightly)
  yield* clock.goBack(CRASHING_AGO_MS)
  yield* inEach((cluster, plan) => StoryTroubles.crash(cluster, plan, new Date(nowMs - CRASHING_AGO_MS).toISOString()))
  yield* clock.goBack(ROLLOUT_AGO_MS)
  yield* inEach(StoryTroubles.rollOut)
  yield* clock.goBack(0)
  yield* inEach((cluster) =>
    Effect.andThen(StoryEvents.put(cluster, nowMs), Usage.serve(cluster, { seed: SEEDED.seed }))
  )
  return fleet
})

/** Start of the last nightly run that is over. */
const lastNight = (nowMs: number): number => Math.floor((nowMs - NIGHTLY_MS - HOUR_MS) / DAY_MS) * DAY_MS + NIGHTLY_MS
