/**
 * Selects the store of the cost history.
 */
import { CostError } from "@quarterdeck/cost/CostError"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { HistoryStore } from "@quarterdeck/cost/HistoryStore"
import { RecommendationStore } from "@quarterdeck/cost/RecommendationStore"
import { layerClickHouse } from "@quarterdeck/cost/store/ClickHouse"
import { FILE_NAME, layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { Effect, Layer, Schema } from "effect"
import { join } from "node:path"
import * as HostPort from "./HostPort.ts"
import type { Ports } from "../settings/Ports.ts"
import type { Settings } from "../settings/Settings.ts"

/** The cost history or the prices cannot be opened. **Shape** `place` is the file or directory, absent for a server. */
export class CostsUnusable extends Schema.TaggedError<CostsUnusable>()("CostsUnusable", {
  cause: CostError,
  place: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const reason = this.cause.message.replaceAll(/\s*\n\s*/g, " ")
    return `costs: ${reason}${this.place === undefined ? "" : ` (${this.place})`}`
  }
}

/** Turns a `CostError` of a layer into `CostsUnusable` with the file or directory of the store. */
export const named =
  (place: string | undefined) =>
  <A>(layer: Layer.Layer<A, CostError>): Layer.Layer<A, CostsUnusable> =>
    Layer.catchTag(layer, "CostError", (cause) =>
      Layer.effectContext(Effect.fail(new CostsUnusable({ cause, ...(place === undefined ? {} : { place }) })))
    )

/**
 * Opens the cost history: ClickHouse if `cost.url` is set, else the host's store, else SQLite in the data directory.
 * Recommendations and the list of histories are in the same store. With a host's store they are in SQLite.
 *
 * **Errors** `CostsUnusable`, `PortUnusable`.
 */
export const layer = (
  { cost: { url }, dataDirectory: directory }: Settings,
  { costStore }: Ports
): Layer.Layer<CostStore | HistoryStore | RecommendationStore, CostsUnusable | HostPort.PortUnusable> => {
  if (url !== undefined) return named(undefined)(layerClickHouse({ url }))
  const sqlite = named(join(directory, FILE_NAME))(layerSqlite({ directory }))
  if (costStore === undefined) return sqlite
  const beside = Layer.merge(
    Layer.effect(RecommendationStore, RecommendationStore),
    Layer.effect(HistoryStore, HistoryStore)
  ).pipe(Layer.provide(sqlite))
  return Layer.merge(HostPort.layer("costStore", CostStore, costStore), beside)
}
