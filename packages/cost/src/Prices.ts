/**
 * The port behind the price book: what counts now, what counted before, and how it is changed.
 *
 * Adapters: {@link layerMemory} here, `price/PricesFile` for a file in the data directory.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, SynchronizedRef } from "effect"
import type { CostError } from "./CostError.ts"
import type * as PriceBook from "./PriceBook.ts"
import type { PriceError } from "./PriceError.ts"
import * as PriceHistory from "./PriceHistory.ts"

/**
 * Keeps the price book and its past.
 *
 * @since 0.1.0
 */
export class Prices extends Context.Service<
  Prices,
  {
    /** Every book, the last of which counts now. */
    readonly history: Effect.Effect<PriceHistory.PriceHistory>
    /**
     * Puts a book in the place of the present one, as {@link PriceHistory.revise} says; of two at once, one is stale.
     *
     * **Errors** `StalePriceBook`, `InvalidPriceBook`; `CostError` when it cannot be kept: then the old one still counts.
     */
    readonly replace: (
      book: PriceBook.PriceBook,
      limits: Omit<PriceHistory.RevisionLimits, "nowMs">
    ) => Effect.Effect<PriceHistory.Revised, PriceError | CostError>
  }
>()("@quarterdeck/cost/Prices") {}

/** Makes the service over a history that was kept before. **Shape** `keep` runs before a new history counts. */
export const make = Effect.fnUntraced(function* (
  kept: PriceHistory.PriceHistory,
  keep: (history: PriceHistory.PriceHistory) => Effect.Effect<void, CostError>
) {
  const ref = yield* SynchronizedRef.make(kept)
  const replace = Effect.fn("Prices.replace")(function* (
    book: PriceBook.PriceBook,
    limits: Omit<PriceHistory.RevisionLimits, "nowMs">
  ) {
    return yield* SynchronizedRef.modifyEffect(
      ref,
      Effect.fnUntraced(function* (history) {
        const nowMs = yield* Clock.currentTimeMillis
        const revised = yield* Effect.fromResult(PriceHistory.revise(history, book, { ...limits, nowMs }))
        if (revised.history !== history) yield* keep(revised.history)
        return [revised, revised.history] as const
      })
    )
  })
  return Prices.of({ history: SynchronizedRef.get(ref), replace })
})

/** Forgets with the program: for tests, and for trying the service without a disk. */
export const layerMemory: Layer.Layer<Prices> = Layer.effect(
  Prices,
  make(PriceHistory.initial, () => Effect.void)
)
