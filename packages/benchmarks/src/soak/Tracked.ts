/**
 * One cluster of a soak: written to without pause, and now and then taken down or made to hang.
 */
import { Fault, type FleetCluster } from "@quarterdeck/harness"
import { Clock, Effect, Random, Semaphore } from "effect"
import type { Life, State } from "./Life.ts"
import { Truth } from "./Truth.ts"

const NAMESPACES = ["default", "shop", "shop-jobs"] as const
/** Objects that there may be in each cluster. */
const NAMES = 30
const VALUES = 9

export interface Tracked {
  readonly cluster: FleetCluster.FleetCluster
  readonly truth: Truth
  /** Held by who writes, or by who compares what must not change meanwhile. */
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

/** Makes the object with its value in a label and in the replicas: a row of which one is older is torn. */
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

/** Makes the namespaces that are written to. */
export const prepare = ({ cluster }: Tracked) =>
  Effect.forEach(
    NAMESPACES.filter((name) => name !== "default"),
    (name) => cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    { discard: true }
  )

/** Writes one object, or deletes it. **Shape** a cluster that is down is left alone; an answer that is lost stays open. */
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
    // Lost on the way to a cluster that goes down: it may have happened or not.
    Effect.ignore
  )
})

/**
 * The least and the most milliseconds that a state lasts: long enough up to be settled most times, long enough away to
 * be noticed.
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
 * Lets a cluster go through outages without end, and has it compared after each.
 *
 * **Shape** nothing is expected of a life that began a moment ago. `hangs`: else it is only killed.
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
