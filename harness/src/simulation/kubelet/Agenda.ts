/** A schedule of work with due times, at most one entry per key. */
import { Clock, Effect, Latch, Queue } from "effect"

interface Entry<A> {
  readonly key: string
  readonly dueMs: number
  readonly work: A
}

export interface Agenda<A> {
  /** Schedules work, replacing the entry of the key. */
  readonly put: (key: string, dueMs: number, work: A) => void
  readonly drop: (key: string) => void
  /** Returns the number of scheduled keys. */
  readonly size: () => number
  /** Runs work when it is due, `workers` entries in parallel. Never ends. */
  readonly run: (work: (work: A) => Effect.Effect<void>, workers: number) => Effect.Effect<never>
}

/** Maximum length of a timer: timers longer than 2^31 ms fire immediately. */
const LONGEST_SLEEP_MS = 3_600_000

/**
 * Creates an empty schedule.
 *
 * **Limits** scheduling costs O(log n). Replaced entries stay in the heap until they are due or outnumber the current
 * ones.
 */
export const make = <A>(): Agenda<A> => {
  const current = new Map<string, Entry<A>>()
  let heap: Array<Entry<A>> = []
  const wake = Latch.makeUnsafe(false)

  const isCurrent = (entry: Entry<A>): boolean => current.get(entry.key) === entry
  const compact = (): void => {
    if (heap.length < 64 || heap.length < current.size * 2) return
    heap = heap.filter(isCurrent).toSorted((left, right) => left.dueMs - right.dueMs)
  }
  /** Removes and returns the next due entry, or returns the milliseconds to wait. */
  const next = (nowMs: number): Entry<A> | number => {
    for (;;) {
      const [first] = heap
      if (first === undefined) return LONGEST_SLEEP_MS
      if (isCurrent(first) && first.dueMs > nowMs) return Math.min(LONGEST_SLEEP_MS, first.dueMs - nowMs)
      pop(heap)
      if (!isCurrent(first)) continue
      current.delete(first.key)
      return first
    }
  }
  const dispatch = (ready: Queue.Enqueue<A>) =>
    Effect.gen(function* () {
      wake.closeUnsafe()
      const found = next(yield* Clock.currentTimeMillis)
      if (typeof found !== "number") return yield* Queue.offer(ready, found.work)
      return yield* Effect.raceFirst(wake.await, Effect.sleep(found))
    })

  return {
    put: (key, dueMs, work) => {
      const entry = { key, dueMs, work }
      current.set(key, entry)
      push(heap, entry)
      compact()
      wake.openUnsafe()
    },
    drop: (key) => {
      current.delete(key)
      compact()
    },
    size: () => current.size,
    run: (work, workers) =>
      Effect.gen(function* () {
        const ready = yield* Queue.bounded<A>(workers)
        const worker = Effect.forever(Effect.flatMap(Queue.take(ready), work))
        return yield* Effect.raceFirst(
          Effect.forever(dispatch(ready)),
          Effect.forever(
            Effect.all(
              Array.from({ length: workers }, () => worker),
              { concurrency: "unbounded" }
            )
          )
        )
      })
  }
}

const push = <A>(heap: Array<Entry<A>>, entry: Entry<A>): void => {
  let at = heap.length
  heap.push(entry)
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || parent.dueMs <= entry.dueMs) return
    heap[at] = parent
    heap[above] = entry
    at = above
  }
}

const pop = <A>(heap: Array<Entry<A>>): void => {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  heap[0] = last
  for (;;) {
    const left = at * 2 + 1
    const right = left + 1
    const below = dueAt(heap, right) < dueAt(heap, left) ? right : left
    const child = heap[below]
    if (child === undefined || child.dueMs >= last.dueMs) return
    heap[at] = child
    heap[below] = last
    at = below
  }
}

const dueAt = <A>(heap: ReadonlyArray<Entry<A>>, index: number): number => heap[index]?.dueMs ?? Infinity
