/**
 * Runs controllers on the event loop: a change queues the keys that it concerns, and slices of a few milliseconds work
 * them off, with everybody else's turn in between.
 */
import { Cause, Clock, Effect, type Scope } from "effect"
import { inRealTime } from "../core/RealTime.ts"
import type { Resource } from "../core/Resource.ts"
import type { Change } from "../core/Store.ts"
import type { Cluster, Controller, KeysOf, Turn } from "./Controller.ts"
import * as WorkQueue from "./WorkQueue.ts"

/** How long the controllers may hold the event loop at a time, one reconciliation's rest beyond it. */
const SLICE_NS = 8_000_000n
/**
 * How long the controllers rest once all is done: what comes meanwhile is looked at together, so a thousand pods that
 * become ready one by one are not a thousand looks at their workload.
 */
const REST_MS = 5

interface Listening {
  readonly controller: Controller
  readonly keys: KeysOf
}

/**
 * Runs controllers until the scope closes.
 *
 * **Shape** begins with every object there is, as after the restart of a real controller manager. A key that is queued
 * already is not queued twice. `observe` is told what went wrong inside a reconciliation.
 *
 * **Limits** nothing runs while nothing changes and no time that somebody asked for has come. A failed key waits from
 * 50 ms up to 30 s.
 */
export const run = (
  cluster: Cluster,
  controllers: ReadonlyArray<Controller>,
  observe: (line: string) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { store } = cluster.kernel
    const queue = yield* WorkQueue.make
    // The loop is shared in real time, whatever clock a test has.
    const clock = Clock.Clock.defaultValue()

    const { byResource, everywhere } = listeningOf(controllers)
    const notice = (change: Change): void => {
      const concerned = byResource.get(change.resource) ?? []
      for (const listening of [concerned, everywhere])
        for (const { controller, keys } of listening)
          for (const key of keys(change, cluster)) queue.add({ controller, key })
    }

    const take = (work: WorkQueue.Work, hasTime: () => boolean): void => {
      let failed = false
      const turn: Turn = {
        ...cluster,
        hasTime,
        again: () => queue.add(work),
        after: (ms) => queue.addAfter(work, ms),
        failed: () => {
          failed = true
        }
      }
      work.controller.reconcile(turn, work.key)
      if (failed) queue.retry(work)
      else queue.forget(work)
    }

    const slice = Effect.sync(() => {
      const end = clock.currentTimeNanosUnsafe() + SLICE_NS
      const hasTime = () => clock.currentTimeNanosUnsafe() < end
      queue.drain((work) => take(work, hasTime), hasTime)
    }).pipe(
      Effect.catchDefect((defect) =>
        Effect.sync(() => observe(`a controller failed: ${Cause.pretty(Cause.die(defect))}`))
      )
    )

    yield* Effect.acquireRelease(
      Effect.sync(() => store.subscribeAll(notice)),
      (stop) => Effect.sync(stop)
    )
    for (const resource of new Set([...byResource.keys(), ...(everywhere.length === 0 ? [] : store.resources())])) {
      for (const stored of store.list(resource, "")) {
        notice({ resource, revision: stored.revision, before: undefined, after: stored })
      }
    }
    const drain: Effect.Effect<void> = Effect.gen(function* () {
      while (!queue.isEmpty()) {
        yield* slice
        yield* Effect.yieldNow
      }
    })
    const rest = inRealTime(Effect.sleep(REST_MS))
    yield* Effect.forkScoped(Effect.forever(queue.filled.pipe(Effect.andThen(drain), Effect.andThen(rest))), {
      startImmediately: true
    })
  })

const listeningOf = (controllers: ReadonlyArray<Controller>) => {
  const byResource = new Map<Resource, ReadonlyArray<Listening>>()
  for (const controller of controllers) {
    for (const { keys, resource } of controller.watches) {
      byResource.set(resource, [...(byResource.get(resource) ?? []), { controller, keys }])
    }
  }
  const everywhere = controllers.flatMap((controller) =>
    controller.every === undefined ? [] : [{ controller, keys: controller.every }]
  )
  return { byResource, everywhere }
}
