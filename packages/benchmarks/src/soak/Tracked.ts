/**
 * A cluster of a soak that is written to without pause, and sometimes stopped or made to hang.
 */
import { Fault, type FleetCluster } from "@quarterdeck/harness"
import { Clock, Effect, Random, Semaphore } from "effect"
import type { Life, State } from "./Life.ts"
import { Truth } from "./Truth.ts"

const NAMESPACES = ["default", "shop", "shop-jobs"] as const
/** Maximum number of objects in each cluster. */
const NAMES = 30
const VALUES = 9

export interface Tracked {
  readonly cluster: FleetCluster.FleetCluster
  readonly truth: Truth
  /** The lock of writes. A comparison takes it to stop writes. */
  readonly writing: Semaphore.Semaphore
  life: Life
}

export const track = Effect.fnUntraced(function* (cluster: FleetCluster.FleetCluster) {
  const tracked: Tracked = {
    cluster,
    truth: new Truth(),
    writing: yield* Semaphore.make(1),
    life: { state: "up", since: yield* Clock.currentTimeMillis }
  }
  return tracked
})

/** Makes the object with its value in a label and in the replicas. If the two differ in a row, the row is torn. */
const objectOf = (name: string, namespace: string, value: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels: { value: String(value) } },
  spec: {
    replicas: value,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "acme/main:1" }] } }
  }
})

/** Creates the namespaces for the writes. */
export const prepare = ({ cluster }: Tracked) =>
  Effect.forEach(
    NAMESPACES.filter((name) => name !== "default"),
    (name) => cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    { discard: true }
  )

/** Writes or deletes one object. **Shape** skips a cluster that is down. A lost answer leaves the outcome open. */
export const write = (tracked: Tracked) => tracked.writing.withPermit(writeOne(tracked))

const writeOne = Effect.fnUntraced(function* ({ cluster, life, truth }: Tracked) {
  if (life.state === "down") return
  const index = yield* Random.nextIntBetween(0, NAMES)
  const name = `work-${index}`
  const namespace = NAMESPACES[index % NAMESPACES.length] ?? "default"
  const isThere = truth.present().some(([known]) => known === name)
  const value = isThere && (yield* Random.nextBoolean) ? undefined : yield* Random.nextIntBetween(0, VALUES)
  const begun = truth.begin(name, value, yield* Clock.currentTimeMillis)
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name }
  yield* (value === undefined ? cluster.api.delete(ref) : cluster.api.apply(objectOf(name, namespace, value))).pipe(
    Effect.flatMap(() => Clock.currentTimeMillis),
    Effect.tap((at) =>
      Effect.sync(() => {
        begun.endedAt = at
      })
    ),
    // The request was lost to a cluster going down. The write may have happened or not.
    Effect.ignore
  )
})

/**
 * The shortest and longest duration of each state, in milliseconds. Most times a cluster is up long enough to be current
 * again, and down long enough for the outage to show.
 */
const LASTS: Readonly<Record<State, readonly [least: number, most: number]>> = {
  up: [60_000, 180_000],
  down: [5_000, 50_000],
  hung: [5_000, 50_000]
}

const enter = (tracked: Tracked, state: State) =>
  Effect.map(Clock.currentTimeMillis, (since) => {
    tracked.life = { state, since }
  })

const last = (state: State) =>
  Effect.flatMap(Random.nextBetween(...LASTS[state]), (milliseconds) => Effect.sleep(milliseconds))

/**
 * Takes a cluster through outages forever, and compares it after each.
 *
 * **Shape** with `hangs`, outages include hangs. Otherwise the cluster is only killed.
 */
export const live = <E, R>(tracked: Tracked, hangs: boolean, compare: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    yield* last("up")
    if (!hangs || (yield* Random.nextBoolean)) {
      yield* enter(tracked, "down")
      yield* tracked.cluster.kill
      yield* enter(tracked, "down")
      yield* last("down")
      yield* enter(tracked, "up")
      yield* tracked.cluster.restart
      yield* enter(tracked, "up")
    } else {
      yield* enter(tracked, "hung")
      yield* Effect.scoped(Effect.andThen(tracked.cluster.inject(Fault.blackHole), last("hung")))
      yield* enter(tracked, "up")
    }
    yield* tracked.writing.withPermit(compare)
  }).pipe(Effect.forever)
