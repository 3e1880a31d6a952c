/**
 * `/api/v1/prices`.
 */
import { PriceHistory, Units } from "@quarterdeck/cost"
import { CostHistories } from "@quarterdeck/cost/CostHistories"
import { Api } from "@quarterdeck/contract/Api"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { CostReport, Retention } from "@quarterdeck/cost/CostReport"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import { CostStore, type Extent } from "@quarterdeck/cost/CostStore"
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { Prices } from "@quarterdeck/cost/Prices"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as Target from "@quarterdeck/targeting/Target"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as CostRefusal from "../refusal/CostRefusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"

/** Length of the window that a price preview covers. */
const PREVIEW_DAYS = 7

export const PriceHandlers = HttpApiBuilder.group(
  Api,
  "prices",
  Effect.fn(function* (handlers) {
    const prices = yield* Prices
    const sampler = yield* CostSampler
    const store = yield* CostStore
    const report = yield* CostReport
    const registry = yield* ClusterRegistry
    const histories = yield* CostHistories
    const { hourlyDays } = yield* Retention
    const limitsOf = (extents: ReadonlyArray<Extent>) => ({ hourlyDays, ...keptOf(extents) })
    type Limits = ReturnType<typeof limitsOf>
    const scope = yield* Effect.scope

    /** Rewrites stored hours in the background after the request. If the process stops, the next start continues. */
    const reprice = (fromMs: number) => Effect.forkIn(sampler.reprice(fromMs), scope)

    /** Replaces the price book. Uninterruptible, so that a disconnecting client cannot leave it half replaced. */
    const replace = (book: PriceBook, limits: Limits) =>
      prices.replace(book, limits, sampler.repriceNoted).pipe(
        Effect.tap(({ repriceFromMs }) => (repriceFromMs === undefined ? Effect.void : reprice(repriceFromMs))),
        Effect.uninterruptible
      )

    /** Previews a price book for every cluster. A key that may change prices reaches all of them. */
    const preview = Effect.fnUntraced(function* (book: PriceBook, limits: Limits) {
      const { clusters } = yield* registry.snapshot
      const nowMs = yield* Clock.currentTimeMillis
      const kept = yield* histories.within({ startMs: nowMs - PREVIEW_DAYS * Units.DAY_MS, endMs: nowMs })
      const names = new Set([...clusters.map(({ name }) => name), ...kept.map(({ name }) => name)])
      return yield* report.previewPrices({ book, limits, clusters: [...names] })
    })

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
        Effect.fnUntraced(function* ({ query }) {
          const book = yield* RequestBody.decode(PriceBook)
          const limits = Effect.map(store.extents, limitsOf)
          if (query.dryRun === "true") {
            return yield* limits.pipe(
              Effect.flatMap((limits) => preview(book, limits)),
              Effect.catch(CostRefusal.fromPrices)
            )
          }
          const revised = yield* limits.pipe(
            Effect.flatMap((limits) => replace(book, limits)),
            Effect.catch(CostRefusal.fromPrices)
          )
          return PriceHistory.current(revised.history)
        })
      )
  })
)

/**
 * Returns the limits that stored costs set for a new price book. `hoursFromMs` is the end of the last day that any
 * cluster stores only as a daily sum.
 */
const keptOf = (extents: ReadonlyArray<Extent>) => {
  const forgotten = extents.flatMap(({ hoursFromMs }) => hoursFromMs ?? [])
  return { hasCosts: extents.length > 0, ...(forgotten.length === 0 ? {} : { hoursFromMs: Math.max(...forgotten) }) }
}

/** Omits overrides of clusters outside the key's scope, so that the caller does not learn their names. */
const shownTo = (rule: Rule.Rule, book: PriceBook): PriceBook => {
  const scope = Rule.clusterScope(rule)
  return {
    ...book,
    overrides: book.overrides.filter(
      ({ match: { cluster } }) => cluster === undefined || Target.reaches(scope, cluster)
    )
  }
}
