/**
 * Costs, wired from the settings: history, prices, the sampler that fills the history, and reports.
 */
import { JournalFiles, PricesFile, Recommender, SamplerSettings } from "@quarterdeck/cost"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { CostError } from "@quarterdeck/cost/CostError"
import { CostReport, Retention } from "@quarterdeck/cost/CostReport"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import { FILE_NAME } from "@quarterdeck/cost/store/Sqlite"
import { Effect, Layer, Schema } from "effect"
import { join } from "node:path"
import * as CostLag from "./services/CostLag.ts"
import * as CostStorage from "./services/CostStorage.ts"
import type { Settings } from "./settings/Settings.ts"
import * as UsageOrigins from "./services/UsageOrigins.ts"

/** The history of costs, or the prices, cannot be opened. **Shape** `place` is the file or directory, if it is one. */
export class CostsUnusable extends Schema.TaggedError<CostsUnusable>()("CostsUnusable", {
  cause: CostError,
  place: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const reason = this.cause.message.replaceAll(/\s*\n\s*/g, " ")
    return `costs: ${reason}${this.place === undefined ? "" : ` (${this.place})`}`
  }
}

/** Tells the failure of a store with its place. */
const named =
  (place: string | undefined) =>
  <A>(layer: Layer.Layer<A, CostError>): Layer.Layer<A, CostsUnusable> =>
    Layer.catchTag(layer, "CostError", (cause) =>
      Layer.effectContext(Effect.fail(new CostsUnusable({ cause, ...(place === undefined ? {} : { place }) })))
    )

const references = ({ cost: { hourlyDays, retentionDays, sampleSeconds } }: Settings) =>
  Layer.merge(
    Layer.succeed(Retention, { hourlyDays, retentionDays }),
    Layer.effect(
      SamplerSettings.SamplerSettings,
      Effect.map(SamplerSettings.SamplerSettings, (usual) => ({ ...usual, hourlyDays, retentionDays, sampleSeconds }))
    )
  )

/**
 * Provides reports, prices and the sampler.
 *
 * **Shape** sampling begins at once, beside everything else: no request waits for it.
 *
 * **Errors** `CostsUnusable` when the history or the prices cannot be opened; `InvalidUsageSetting`.
 */
export const layer = (settings: Settings) => {
  const { dataDirectory: directory } = settings
  const kept = Layer.mergeAll(
    CostStorage.layer(settings).pipe(named(settings.cost.url === undefined ? join(directory, FILE_NAME) : undefined)),
    PricesFile.layerFile({ directory }).pipe(named(directory)),
    JournalFiles.layerFiles({ directory }).pipe(named(directory))
  )
  return Layer.mergeAll(CostReport.layer, CostLag.layer).pipe(
    Layer.provideMerge(CostSampler.layer),
    Layer.provide(Recommender.Recommender.layer),
    Layer.provideMerge(kept),
    Layer.catchTag("CostError", (cause) => Layer.effectContext(Effect.fail(new CostsUnusable({ cause })))),
    Layer.provide(UsageOrigins.layer(settings.cost)),
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provideMerge(references(settings))
  )
}
