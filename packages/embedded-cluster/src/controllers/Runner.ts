/**
 * Runs controllers on the event loop: a change queues the keys that it concerns, and slices of a few milliseconds work
 * them off, with everybody else's turn in between.
 *
 * @since 0.1.0
 */
import { Cause, Clock, Effect, FiberMap, Latch, type Scope } from "effect"
import { inRealTime } from "../core/RealTime.ts"
import type { Resource } from "../core/Resource.ts"
import type { Failure } from "../core/Status.ts"
import type { Change } from "../core/Store.ts"
import type { Cluster, Controller, KeysOf, Turn } from "./Controller.ts"

/** How long the controllers may hold the event loop at a time, one reconciliation's rest beyond it. */
const SLICE_NS = 8_000_000n
/**
 * How long the controllers rest once all is done: what comes meanwhile is looked at together, so a thousand pods that
 * become ready one by one are not a thousand looks at their workload.
 */
const REST_MS = 5
const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 30_000

interface Work {
  readonly controller: Controller
  readonly key: string
}

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
 *
 * @since 0.1.0
 */
export const run = (
  cluster: Cluster,
  controllers: ReadonlyArray<Controller>,
  observe: (line: string) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { store } = cluster.kernel
    const waiting = yield* Latch.make(false)
    const timers = yield* FiberMap.make<string>()
    const runTimer = yield* FiberMap.runtime(timers)()
    // The loop is shared in real time, whatever clock a test has.
    const clock = Clock.Clock.defaultValue()
    const queue = new Map<string, Work>()
    const failures = new Map<string, number>()
    const idOf = ({ controller, key }: Work) => `${controller.name} ${key}`

    const add = (work: Work): void => {
      queue.set(idOf(work), work)
      waiting.openUnsafe()
    }
    const addAfter = (work: Work, ms: number): void => {
      runTimer(
        idOf(work),
        Effect.andThen(
          Effect.sleep(Math.max(0, ms)),
          Effect.sync(() => add(work))
        )
      )
    }

    const { byResource, everywhere } = listeningOf(controllers)
    const notice = (change: Change): void => {
      const concerned = byResource.get(change.resource) ?? []
      for (const listening of [concerned, everywhere])
        for (const { controller, keys } of listening) for (const key of keys(change, cluster)) add({ controller, key })
    }

    const take = (work: Work, hasTime: () => boolean): void => {
      const id = idOf(work)
      let failed: Failure | undefined
      const turn: Turn = {
        ...cluster,
        hasTime,
        again: () => add(work),
        after: (ms) => addAfter(work, ms),
        failed: (failure) => {
          failed = failure
        }
      }
      work.controller.reconcile(turn, work.key)
      if (failed === undefined) {
        failures.delete(id)
        return
      }
      const count = failures.get(id) ?? 0
      failures.set(id, count + 1)
      addAfter(work, Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** count))
    }

    const slice = Effect.sync(() => {
      const end = clock.currentTimeNanosUnsafe() + SLICE_NS
      const hasTime = () => clock.currentTimeNanosUnsafe() < end
      for (const [id, work] of queue) {
        queue.delete(id)
        take(work, hasTime)
        if (!hasTime()) break
      }
      if (queue.size === 0) waiting.closeUnsafe()
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
      while (queue.size > 0) {
        yield* slice
        yield* Effect.yieldNow
      }
    })
    const rest = inRealTime(Effect.sleep(REST_MS))
    yield* Effect.forkScoped(Effect.forever(waiting.await.pipe(Effect.andThen(drain), Effect.andThen(rest))), {
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
