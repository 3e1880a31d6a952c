/**
 * The history of costs on a volume of the platform, whose billing learns of every hour.
 */
import type { Hour } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { Effect, Layer } from "effect"

/** **Shape** a layer, so that its file is opened and closed with the service. `bill` is called once for each closed hour. */
export const layer = (options: { readonly directory: string; readonly bill: (hour: Hour.Hour) => void }) =>
  Layer.effect(
    CostStore,
    Effect.map(CostStore, (store) =>
      CostStore.of({
        ...store,
        close: (hour) => Effect.tap(store.close(hour), () => Effect.sync(() => options.bill(hour)))
      })
    )
  ).pipe(Layer.provide(layerSqlite({ directory: options.directory })))
