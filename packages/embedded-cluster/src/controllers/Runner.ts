/**
 * Runs controllers on the event loop. A change queues the keys that it concerns; slices of a few milliseconds process
 * them and yield to other work in between.
 */
import { Cause, Clock, Effect, type Scope } from "effect"
import { inRealTime } from "../core/Machine.ts"
import type { Resource } from "../core/Resource.ts"
import type { Change } from "../core/Store.ts"
import type { Cluster, Controller, KeysOf, Turn } from "./Controller.ts"
import * as WorkQueue from "./WorkQueue.ts"

/** Longest slice of the event loop. The reconciliation that is running at its end still finishes. */
const SLICE_NS = 8_000_000n
/**
 * Pause after the queue is empty. Changes during the pause are processed together: 1,000 pods that become ready one
 * by one do not cause 1,000 reconciliations of their workload.
 */
const REST_MS = 5

interface Subscriber {
  readonly controller: Controller
  readonly keys: KeysOf
}

/**
 * Runs controllers until the scope closes.
 *
 * **Shape** starts by queueing every object, like a restarted controller manager. A queued key is not queued twice.
 * `observe` receives defects of reconciliations.
 *
 * **Limits** idle while no key is queued and no delay has elapsed. A failed key is retried after 50 ms to 30 s.
 */
export const run = (
  cluster: Cluster,
  controllers: ReadonlyArray<Controller>,
  observe: (line: string) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { store } = cluster.kernel
    const queue = yield* WorkQueue.make
    // Time slices are measured in real time, also under a test clock.
    const clock = Clock.Clock.defaultValue()

    const { byResource, everywhere } = subscribersOf(controllers)
    const notice = (change: Change): void => {
      const concerned = byResource.get(change.resource) ?? []
      for (const subscribers of [concerned, everywhere])
        for (const { controller, keys } of subscribers)
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

const subscribersOf = (controllers: ReadonlyArray<Controller>) => {
  const byResource = new Map<Resource, ReadonlyArray<Subscriber>>()
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
