/**
 * The history of costs on a volume of the platform, whose billing learns of every hour.
 */
import type { Hour } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { Effect, Layer } from "effect"

/**
 * **Shape** a layer, so that its file is opened and closed with the service. `bill` is called for each hour that is closed, and
 * again, with all of the hour, when late usage or another price changes it: a bill is kept by cluster and hour.
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
