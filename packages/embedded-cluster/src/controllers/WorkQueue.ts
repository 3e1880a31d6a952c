/**
 * Queue of the keys that controllers must reconcile. Each key is queued at most once.
 *
 * **Source** Kubernetes, `k8s.io/client-go/util/workqueue`.
 */
import { Effect, FiberMap, Latch, type Scope } from "effect"
import type { Controller } from "./Controller.ts"

export interface Work {
  readonly controller: Controller
  readonly key: string
}

export interface WorkQueue {
  /** Queues a key unless it is queued already. */
  readonly add: (work: Work) => void
  readonly addAfter: (work: Work, ms: number) => void
  /** Queues a failed key again after a backoff of 50 ms to 30 s. */
  readonly retry: (work: Work) => void
  /** Resets the backoff of a key. */
  readonly forget: (work: Work) => void
  /** Takes keys from the queue one by one while `hasTime` returns true. */
  readonly drain: (take: (work: Work) => void, hasTime: () => boolean) => void
  readonly isEmpty: () => boolean
  /** Waits until the queue has a key. */
  readonly filled: Effect.Effect<void>
}

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 30_000

const idOf = ({ controller, key }: Work): string => `${controller.name} ${key}`

/** Makes an empty queue. **Limits** delayed keys are dropped when the scope closes. */
export const make: Effect.Effect<WorkQueue, never, Scope.Scope> = Effect.gen(function* () {
  const filled = yield* Latch.make(false)
  const timers = yield* FiberMap.make<string>()
  const runTimer = yield* FiberMap.runtime(timers)()
  const queue = new Map<string, Work>()
  const failures = new Map<string, number>()

  const add = (work: Work): void => {
    queue.set(idOf(work), work)
    filled.openUnsafe()
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
  return {
    add,
    addAfter,
    retry: (work) => {
      const id = idOf(work)
      const count = failures.get(id) ?? 0
      failures.set(id, count + 1)
      addAfter(work, Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** count))
    },
    forget: (work) => failures.delete(idOf(work)),
    drain: (take, hasTime) => {
      for (const [id, work] of queue) {
        queue.delete(id)
        take(work)
        if (!hasTime()) break
      }
      if (queue.size === 0) filled.closeUnsafe()
    },
    isEmpty: () => queue.size === 0,
    filled: filled.await
  }
})
