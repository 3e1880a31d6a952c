/**
 * The port behind the hour that is still going on: what of it has been seen so far.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Option } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Hour } from "../hour/Hour.ts"

/**
 * Gives open hours to reports.
 */
export class OpenHours extends Context.Service<
  OpenHours,
  {
    /**
     * Returns the hour of a history that is not closed yet, up to its last sample, with its costs.
     *
     * None for a history that is not sampled, and for an hour of which nothing has been seen. Hours before it
     * are closed; what a store has of it, and of what follows, a report leaves out.
     */
    readonly open: (key: ClusterName) => Effect.Effect<Option.Option<Hour>, CostError>
  }
>()("@quarterdeck/cost/OpenHours") {
  /** Reports end with the last closed hour. */
  static readonly layerNone: Layer.Layer<OpenHours> = Layer.succeed(
    OpenHours,
    OpenHours.of({ open: () => Effect.succeed(Option.none()) })
  )
}
