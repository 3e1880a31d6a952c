/**
 * `/api/v1/prices`.
 */
import { PriceHistory } from "@quarterdeck/cost"
import { Api } from "@quarterdeck/contract/Api"
import { Retention } from "@quarterdeck/cost/CostReport"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import { CostStore, type Extent } from "@quarterdeck/cost/CostStore"
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { Prices } from "@quarterdeck/cost/Prices"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as Target from "@quarterdeck/targeting/Target"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as CostRefusal from "../CostRefusal.ts"
import * as RequestBody from "../RequestBody.ts"

export const PriceHandlers = HttpApiBuilder.group(
  Api,
  "prices",
  Effect.fn(function* (handlers) {
    const prices = yield* Prices
    const sampler = yield* CostSampler
    const store = yield* CostStore
    const { hourlyDays } = yield* Retention
    const scope = yield* Effect.scope

    /** Outlives the request: hours of months are rewritten. What a crash leaves undone is done at the next start. */
    const reprice = (fromMs: number) => Effect.forkIn(sampler.reprice(fromMs), scope)

    /** A client that goes away in between gets no half of it. */
    const replace = (book: PriceBook, extents: ReadonlyArray<Extent>) =>
      prices.replace(book, { hourlyDays, ...keptOf(extents) }, sampler.repriceNoted).pipe(
        Effect.tap(({ repriceFromMs }) => (repriceFromMs === undefined ? Effect.void : reprice(repriceFromMs))),
        Effect.uninterruptible
      )

    return handlers
      .handle(
        "get",
        Effect.fnUntraced(function* () {
          const { rule } = yield* Principal
          return shownTo(rule, PriceHistory.current(yield* prices.history))
        })
      )
      .handleRaw(
        "replace",
        Effect.fnUntraced(function* () {
          const book = yield* RequestBody.decode(PriceBook)
          const revised = yield* store.extents.pipe(
            Effect.flatMap((extents) => replace(book, extents)),
            Effect.catch(CostRefusal.fromPrices)
          )
          return PriceHistory.current(revised.history)
        })
      )
  })
)

/** What closed hours allow of a new book. */
const keptOf = (extents: ReadonlyArray<Extent>) => {
  const forgotten = extents.flatMap(({ hoursFromMs }) => hoursFromMs ?? [])
  return { hasCosts: extents.length > 0, ...(forgotten.length === 0 ? {} : { hoursFromMs: Math.max(...forgotten) }) }
}

/** Leaves out what names a cluster outside the key's scope, whose name is no business of its holder. */
const shownTo = (rule: Rule.Rule, book: PriceBook): PriceBook => {
  const scope = Rule.clusterScope(rule)
  return {
    ...book,
    overrides: book.overrides.filter(
      ({ match: { cluster } }) => cluster === undefined || Target.reaches(scope, cluster)
    )
  }
}
