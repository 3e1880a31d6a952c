/**
 * Coalesces identical reads of sums that are in flight (single flight).
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Deferred, Effect, type Scope } from "effect"
import { free } from "../../hour/Buffers.ts"
import type { CostError } from "../../hour/CostError.ts"
import type { Window } from "../../hour/Window.ts"
import type { ClusterSums } from "../CostStore.ts"

type Sums = ReadonlyArray<ClusterSums>

/** Reads sums. Calls `onOutcome` before a later call is answered. */
export type Read = (
  clusters: ReadonlyArray<ClusterName>,
  window: Window,
  onOutcome: () => void
) => Effect.Effect<Sums, CostError>

/** A read in flight, or its result. **Shape** `sums` is present once the read has succeeded. */
interface Reading {
  readonly answer: Deferred.Deferred<Sums, CostError>
  readers: number
  sums: Sums | undefined
}

/** **Limits** The columns of a read are freed when the scope of its last caller ends. */
export class SharedSums {
  readonly #read: Read
  readonly #scope: Scope.Scope
  /** Reads in flight. The thread answers in order, so a caller that joins a read misses no earlier write. */
  readonly #inFlight = new Map<string, Reading>()

  /** Reads run in `scope`, because the first caller may be interrupted before the others. */
  constructor(read: Read, scope: Scope.Scope) {
    this.#read = read
    this.#scope = scope
  }

  /** Returns the sums of a window. Their columns are valid until the scope of the caller ends. */
  sums(clusters: ReadonlyArray<ClusterName>, window: Window): Effect.Effect<Sums, CostError, Scope.Scope> {
    const reading = Effect.acquireRelease(
      Effect.suspend(() => this.#join(clusters, window)),
      (reading) => Effect.sync(() => this.#leave(reading))
    )
    return Effect.flatMap(reading, ({ answer }) => Deferred.await(answer))
  }

  #join(clusters: ReadonlyArray<ClusterName>, window: Window): Effect.Effect<Reading> {
    const key = JSON.stringify([clusters, window.startMs, window.endMs])
    const same = this.#inFlight.get(key)
    if (same !== undefined) {
      same.readers++
      return Effect.succeed(same)
    }
    const reading: Reading = { answer: Deferred.makeUnsafe(), readers: 1, sums: undefined }
    this.#inFlight.set(key, reading)
    const forget = () => {
      if (this.#inFlight.get(key) === reading) this.#inFlight.delete(key)
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
