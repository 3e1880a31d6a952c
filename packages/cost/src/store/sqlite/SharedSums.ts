/**
 * Answers those who ask for the same sums at the same time with one reading.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Deferred, Effect, type Scope } from "effect"
import { free } from "../../hour/Buffers.ts"
import type { CostError } from "../../hour/CostError.ts"
import type { Window } from "../../hour/Window.ts"
import type { ClusterSums } from "../CostStore.ts"

type Sums = ReadonlyArray<ClusterSums>

/** Reads sums. Calls `onOutcome` before anything that was asked later is answered. */
export type Read = (
  clusters: ReadonlyArray<ClusterName>,
  window: Window,
  onOutcome: () => void
) => Effect.Effect<Sums, CostError>

/** One reading. **Shape** `sums` once it has them. */
interface Reading {
  readonly answer: Deferred.Deferred<Sums, CostError>
  readers: number
  sums: Sums | undefined
}

/** Shares readings while they are on their way. **Limits** their columns are freed when the last reader's scope ends. */
export class SharedSums {
  readonly #read: Read
  readonly #scope: Scope.Scope
  /** Readings on their way to the thread, which answers in order: who asks the same meanwhile sees no less. */
  readonly #onTheWay = new Map<string, Reading>()

  /** Readings go on within `scope`: whoever asked first may lose interest before the others. */
  constructor(read: Read, scope: Scope.Scope) {
    this.#read = read
    this.#scope = scope
  }

  /** Gives sums that may be read until the caller's scope ends. */
  sums(clusters: ReadonlyArray<ClusterName>, window: Window): Effect.Effect<Sums, CostError, Scope.Scope> {
    const reading = Effect.acquireRelease(
      Effect.suspend(() => this.#join(clusters, window)),
      (reading) => Effect.sync(() => this.#leave(reading))
    )
    return Effect.flatMap(reading, ({ answer }) => Deferred.await(answer))
  }

  #join(clusters: ReadonlyArray<ClusterName>, window: Window): Effect.Effect<Reading> {
    const key = JSON.stringify([clusters, window.startMs, window.endMs])
    const same = this.#onTheWay.get(key)
    if (same !== undefined) {
      same.readers++
      return Effect.succeed(same)
    }
    const reading: Reading = { answer: Deferred.makeUnsafe(), readers: 1, sums: undefined }
    this.#onTheWay.set(key, reading)
    const forget = () => {
      if (this.#onTheWay.get(key) === reading) this.#onTheWay.delete(key)
    }
    return this.#read(clusters, window, forget).pipe(
      Effect.ensuring(Effect.sync(forget)),
      Effect.tap((sums) => Effect.sync(() => this.#keep(reading, sums))),
      Deferred.into(reading.answer),
      Effect.forkIn(this.#scope),
      Effect.as(reading)
    )
  }

  #keep(reading: Reading, sums: Sums): void {
    reading.sums = sums
    if (reading.readers === 0) freeAll(sums)
  }

  #leave(reading: Reading): void {
    reading.readers--
    if (reading.readers === 0 && reading.sums !== undefined) freeAll(reading.sums)
  }
}

const freeAll = (sums: Sums): void => {
  for (const { columns } of sums) free(Object.values(columns))
}
