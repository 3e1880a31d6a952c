/** Runs checks of the store contract, each on a store of its own. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import type { CostError } from "../../src/hour/CostError.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import { DAY_MS } from "../../src/hour/Units.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { amountsOf, prod } from "./samples.ts"

export type Stores = Layer.Layer<CostStore, CostError>
export type Store = CostStore["Service"]

/** Makes checks that each get a fresh store. */
export const checksOn =
  (stores: Stores) =>
  <E>(name: string, body: (store: Store) => Effect.Effect<void, E, Scope.Scope>): void =>
    it.live(name, () =>
      Effect.gen(function* () {
        yield* body(yield* CostStore)
      }).pipe(Effect.provide(stores))
    )

/** What the hours between two instants come to, by series. */
export const sumsOf = (store: Store, startMs: number, endMs: number, cluster = prod) =>
  Effect.map(store.sums([cluster], { startMs, endMs }), ([sums]) => {
    assert(sums !== undefined)
    return { knownSeconds: sums.knownSeconds, amounts: amountsOf(sums) }
  })

export const closeAll = (store: Store, hours: ReadonlyArray<Hour>) =>
  Effect.forEach(hours, (one) => store.close(one), { discard: true })

/**
 * Brings about what {@link closeAll} does, but closes the hours within a day of an instant alone, and writes what is before and
 * after them at once: each closing of hundreds is work for a server.
 */
export const fillAround = Effect.fnUntraced(function* (store: Store, hours: ReadonlyArray<Hour>, aroundMs: number) {
  const [fromMs, toMs] = [aroundMs - DAY_MS, aroundMs + DAY_MS]
  yield* store.rewrite(hours.filter(({ startMs }) => startMs < fromMs))
  yield* closeAll(
    store,
    hours.filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
  )
  yield* store.rewrite(hours.filter(({ startMs }) => startMs >= toMs))
})
