/**
 * The keys that controllers have to look at, each of them once.
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
  /** Queues a key; one that is queued already is not queued twice. */
  readonly add: (work: Work) => void
  readonly addAfter: (work: Work, ms: number) => void
  /** Queues a key that failed once more, after 50 ms up to 30 s. */
  readonly retry: (work: Work) => void
  /** Forgets how often a key has failed. */
  readonly forget: (work: Work) => void
  /** Takes one key after the other out, until `hasTime` says no. */
  readonly drain: (take: (work: Work) => void, hasTime: () => boolean) => void
  readonly isEmpty: () => boolean
  /** Waits while it is empty. */
  readonly filled: Effect.Effect<void>
}

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 30_000

const idOf = ({ controller, key }: Work): string => `${controller.name} ${key}`

/** Makes an empty queue. **Limits** what waits for its time is dropped when the scope closes. */
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
