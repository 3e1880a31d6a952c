/**
 * Says which source knows the usage of which cluster.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Layer } from "effect"
import type { UsageSource } from "../usage/UsageSource.ts"

/**
 * Gives clusters their source of usage: a port, for a meter of one's own too.
 *
 * **Limits** asked once for each cluster that is followed, as it comes.
 */
export class UsageSources extends Context.Service<
  UsageSources,
  {
    /** Gives the source of a cluster: always the same one. */
    readonly of: (cluster: ClusterName) => UsageSource
  }
>()("@quarterdeck/cost/sampler/UsageSources") {
  /** Gives every cluster the same source. */
  static readonly layerOf = (source: UsageSource): Layer.Layer<UsageSources> =>
    Layer.succeed(UsageSources, UsageSources.of({ of: () => source }))
}
