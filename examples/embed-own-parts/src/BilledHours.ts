/** A cost store on the platform's volume that bills every hour. */
import type { Hour } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { Effect, Layer } from "effect"

/**
 * Makes the cost store as a layer, which opens and closes with the service. **Shape** `bill` is called for each closed
 * hour, and again with the whole hour if late usage or a price changes it. Use cluster and hour as the key of a bill,
 * so that the second call replaces the first.
 */
export const layer = (options: { readonly directory: string; readonly bill: (hour: Hour.Hour) => void }) =>
  Layer.effect(
    CostStore,
    Effect.map(CostStore, (store) =>
      CostStore.of({
        ...store,
        close: (hour) => Effect.tap(store.close(hour), () => Effect.sync(() => options.bill(hour))),
        rewrite: (hours) => Effect.tap(store.rewrite(hours), () => Effect.sync(() => hours.forEach(options.bill)))
      })
    )
  ).pipe(Layer.provide(layerSqlite({ directory: options.directory })))
