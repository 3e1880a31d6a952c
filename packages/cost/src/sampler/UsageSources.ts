/**
 * The usage source of each cluster.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Layer } from "effect"
import type { UsageSource } from "../usage/UsageSource.ts"

/**
 * Maps clusters to usage sources. Custom sources plug in here.
 *
 * **Limits** called once per cluster, when its sampling starts.
 */
export class UsageSources extends Context.Service<
  UsageSources,
  {
    /** Returns the source of a cluster, which must not change. */
    readonly of: (cluster: ClusterName) => UsageSource
  }
>()("@quarterdeck/cost/sampler/UsageSources") {
  /** Uses the same source for every cluster. */
  static readonly layerOf = (source: UsageSource): Layer.Layer<UsageSources> =>
    Layer.succeed(UsageSources, UsageSources.of({ of: () => source }))
}
