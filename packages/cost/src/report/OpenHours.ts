/**
 * The source of open hours: costs of the hour that has not ended yet.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Option } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Hour } from "../hour/Hour.ts"

export class OpenHours extends Context.Service<
  OpenHours,
  {
    /**
     * Returns the open hour of a cost history up to its last sample, with costs.
     *
     * `None` if the history is not sampled, or has no sample in this hour. A report reads only hours before the open hour from
     * the store.
     */
    readonly open: (key: ClusterName) => Effect.Effect<Option.Option<Hour>, CostError>
  }
>()("@quarterdeck/cost/OpenHours") {
  /** Provides no open hours: reports end with the last closed hour. */
  static readonly layerNone: Layer.Layer<OpenHours> = Layer.succeed(
    OpenHours,
    OpenHours.of({ open: () => Effect.succeed(Option.none()) })
  )
}
