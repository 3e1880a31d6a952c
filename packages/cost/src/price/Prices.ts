/**
 * The service that holds the price book and its history, and changes it.
 *
 * Adapters: {@link layerMemory} here, `price/PricesFile` for a file in the data directory.
 */
import { Clock, Context, Effect, Layer, Ref, Semaphore } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type * as PriceBook from "./PriceBook.ts"
import type { PriceError } from "./PriceError.ts"
import * as PriceHistory from "./PriceHistory.ts"
import * as PriceChange from "./PriceChange.ts"

/** Runs `change`, which alters the prices of closed hours from `repriceFromMs` on. Runs it at most once. */
export type Around = (repriceFromMs: number, change: Effect.Effect<void, CostError>) => Effect.Effect<void, CostError>

export class Prices extends Context.Service<
  Prices,
  {
    /** All books; the last is the present one. */
    readonly history: Effect.Effect<PriceHistory.PriceHistory>
    /**
     * Replaces the present book as described in {@link PriceChange.revise}. Of two concurrent calls, the second is stale.
     *
     * The change is atomic and not interrupted. If it alters the prices of closed hours, it runs within `around`, which can
     * first record that these hours must be repriced.
     *
     * **Errors** `StalePriceBook`, `InvalidPriceBook`. `CostError` if the book cannot be stored; the old one applies then.
     */
    readonly replace: (
      book: PriceBook.PriceBook,
      limits: Omit<PriceChange.RevisionLimits, "nowMs">,
      around?: Around
    ) => Effect.Effect<PriceChange.Revised, PriceError | CostError>
  }
>()("@quarterdeck/cost/Prices") {}

/** Creates the service from a stored history. **Shape** `keep` stores a new history before it applies. */
export const make = Effect.fnUntraced(function* (
  stored: PriceHistory.PriceHistory,
  keep: (history: PriceHistory.PriceHistory) => Effect.Effect<void, CostError>
) {
  const ref = yield* Ref.make(stored)
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
    // An interruption between storing and applying the new history would leave disk and memory different.
    return yield* Effect.uninterruptible(turn.withPermit(revise))
  })
  return Prices.of({ history: Ref.get(ref), replace })
})

/** Prices in memory only, for tests and for a server without a data directory. */
export const layerMemory: Layer.Layer<Prices> = Layer.effect(
  Prices,
  make(PriceHistory.initial, () => Effect.void)
)
