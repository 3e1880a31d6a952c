/**
 * The sources of usage that the settings ask for, one for each cluster.
 */
import { UsageSource, UsageSources } from "@quarterdeck/cost"
import * as MetricsApi from "@quarterdeck/cost/usage/MetricsApi"
import { requestsOnly } from "@quarterdeck/cost/usage/None"
import * as Prometheus from "@quarterdeck/cost/usage/Prometheus"
import type { UsageSetting } from "@quarterdeck/cost/usage/UsageSetting"
import { Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"

/**
 * Provides the sources.
 *
 * **Shape** a cluster that has none of its own has that of all. **Errors** `InvalidUsageSetting`.
 */
export const layer = ({ usage, usageByCluster, usageClusterLabel }: Settings["cost"]) =>
  Layer.effect(
    UsageSources.UsageSources,
    Effect.gen(function* () {
      const metrics = yield* MetricsApi.make
      const make = Effect.fnUntraced(function* (setting: UsageSetting) {
        switch (setting._tag) {
          case "Metrics":
            return metrics
          case "Requests":
            return requestsOnly
          case "Prometheus": {
            const { credentials, url } = setting
            return yield* Prometheus.make({
              url,
              ...(credentials === undefined ? {} : { credentials }),
              ...(usageClusterLabel === undefined ? {} : { clusterLabel: { name: usageClusterLabel } })
            })
          }
        }
      })
      const usual: UsageSource.UsageSource = yield* make(usage)
      const own = new Map<string, UsageSource.UsageSource>()
      for (const [cluster, setting] of Object.entries(usageByCluster)) own.set(cluster, yield* make(setting))
      return UsageSources.UsageSources.of({ of: (cluster) => own.get(cluster) ?? usual })
    })
  )
