/**
 * The cost layers, wired from the settings: history, prices, sampler and reports.
 */
import { JournalFiles, PricesFile, Recommender, SamplerSettings } from "@quarterdeck/cost"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { CostHistories } from "@quarterdeck/cost/CostHistories"
import { CostReport, Retention } from "@quarterdeck/cost/CostReport"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import { Effect, Layer } from "effect"
import * as CostLag from "./services/CostLag.ts"
import * as CostStorage from "./services/CostStorage.ts"
import type { Ports } from "./settings/Ports.ts"
import type { Settings } from "./settings/Settings.ts"
import * as UsageOrigins from "./services/UsageOrigins.ts"

const references = ({ cost: { foldedPrefixes, hourlyDays, retentionDays, sampleSeconds } }: Settings) =>
  Layer.merge(
    Layer.succeed(Retention, { hourlyDays, retentionDays }),
    Layer.effect(
      SamplerSettings.SamplerSettings,
      Effect.map(SamplerSettings.SamplerSettings, (usual) => ({
        ...usual,
        foldedPrefixes,
        hourlyDays,
        retentionDays,
        sampleSeconds
      }))
    )
  )

/**
 * Provides reports, prices and the sampler.
 *
 * **Shape** sampling starts at once, in the background. No request waits for it.
 *
 * **Errors** `CostsUnusable` when the history or the prices cannot be opened; `InvalidUsageSetting`;
 * `PortUnusable`.
 */
export const layer = (settings: Settings, ports: Ports) => {
  const { dataDirectory: directory } = settings
  const kept = Layer.mergeAll(
    CostStorage.layer(settings, ports),
    PricesFile.layerFile({ directory }).pipe(CostStorage.named(directory)),
    JournalFiles.layerFiles({ directory }).pipe(CostStorage.named(directory))
  )
  return Layer.mergeAll(CostReport.layer, CostLag.layer).pipe(
    Layer.provideMerge(CostSampler.layer),
    Layer.provideMerge(CostHistories.layer),
    Layer.provide(Recommender.Recommender.layer),
    Layer.provideMerge(kept),
    Layer.catchTag("CostError", (cause) => Layer.effectContext(Effect.fail(new CostStorage.CostsUnusable({ cause })))),
    Layer.provide(UsageOrigins.layer(settings, ports)),
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provideMerge(references(settings))
  )
}
