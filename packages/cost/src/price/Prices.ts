/**
 * The port behind the price book: what counts now, what counted before, and how it is changed.
 *
 * Adapters: {@link layerMemory} here, `price/PricesFile` for a file in the data directory.
 */
import { Clock, Context, Effect, Layer, Ref, Semaphore } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type * as PriceBook from "./PriceBook.ts"
import type { PriceError } from "./PriceError.ts"
import * as PriceHistory from "./PriceHistory.ts"
import * as PriceChange from "./PriceChange.ts"

/** Runs a change after which closed hours have another price from an instant on. The change runs once, or fails. */
export type Around = (repriceFromMs: number, change: Effect.Effect<void, CostError>) => Effect.Effect<void, CostError>

/**
 * Keeps the price book and its past.
 */
export class Prices extends Context.Service<
  Prices,
  {
    /** Every book, the last of which counts now. */
    readonly history: Effect.Effect<PriceHistory.PriceHistory>
    /**
     * Puts a book in the place of the present one, as {@link PriceChange.revise} says; of two at once, one is stale.
     *
     * It is kept and counts, or neither, whoever is interrupted. `around` runs the change where it gives closed
     * hours another price, so that this can be noted before.
     *
     * **Errors** `StalePriceBook`, `InvalidPriceBook`; `CostError` when it cannot be kept: then the old one still counts.
     */
    readonly replace: (
      book: PriceBook.PriceBook,
      limits: Omit<PriceChange.RevisionLimits, "nowMs">,
      around?: Around
    ) => Effect.Effect<PriceChange.Revised, PriceError | CostError>
  }
>()("@quarterdeck/cost/Prices") {}

/** Makes the service over a history that was kept before. **Shape** `keep` runs before a new history counts. */
export const make = Effect.fnUntraced(function* (
  kept: PriceHistory.PriceHistory,
  keep: (history: PriceHistory.PriceHistory) => Effect.Effect<void, CostError>
) {
  const ref = yield* Ref.make(kept)
  const turn = yield* Semaphore.make(1)
  const replace = Effect.fn("Prices.replace")(function* (
    book: PriceBook.PriceBook,
    limits: Omit<PriceChange.RevisionLimits, "nowMs">,
    around: Around = (_, change) => change
  ) {
    const revise = Effect.gen(function* () {
      const history = yield* Ref.get(ref)
      const nowMs = yield* Clock.currentTimeMillis
      const revised = yield* Effect.fromResult(PriceChange.revise(history, book, { ...limits, nowMs }))
      if (revised.history === history) return revised
      const change = Effect.andThen(keep(revised.history), Ref.set(ref, revised.history))
      yield* revised.repriceFromMs === undefined ? change : around(revised.repriceFromMs, change)
      return revised
    })
    // A write goes on when its fiber is interrupted: what is on the disk and what counts would be two things.
    return yield* Effect.uninterruptible(turn.withPermit(revise))
  })
  return Prices.of({ history: Ref.get(ref), replace })
})

/** Forgets with the program: for tests, and for trying the service without a disk. */
export const layerMemory: Layer.Layer<Prices> = Layer.effect(
  Prices,
  make(PriceHistory.initial, () => Effect.void)
)
