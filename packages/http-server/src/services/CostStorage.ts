/**
 * Where the history of costs is kept: the one place that decides by the settings.
 */
import type { CostError } from "@quarterdeck/cost/CostError"
import type { CostStore } from "@quarterdeck/cost/CostStore"
import type { RecommendationStore } from "@quarterdeck/cost/RecommendationStore"
import { layerClickHouse } from "@quarterdeck/cost/store/ClickHouse"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import type { Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"

/**
 * Opens the history: in the ClickHouse server that `cost.url` names, else in SQLite in the data directory.
 *
 * **Errors** `CostError`.
 */
export const layer = ({
  cost: { url },
  dataDirectory
}: Settings): Layer.Layer<CostStore | RecommendationStore, CostError> =>
  url === undefined ? layerSqlite({ directory: dataDirectory }) : layerClickHouse({ url })
