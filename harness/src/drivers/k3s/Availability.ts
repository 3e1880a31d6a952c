/** The availability of the driver k3s on this machine. The check needs no optional package and starts nothing. */
import { Effect } from "effect"
import { type Availability, found, missing } from "../ClusterDriver.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { choose } from "./Images.ts"

/** Name of the driver in `QUARTERDECK_DRIVERS`. */
export const NAME = "k3s"

/** Returns whether the engine is running and has the image. **Limits** pulls no image. */
export const available = (settings: { readonly image?: string } = {}): Effect.Effect<Availability> =>
  Effect.gen(function* () {
    const { ServerVersion } = yield* Containers.info
    const choice = yield* choose(settings)
    return choice._tag === "Absent"
      ? missing(choice.remedy)
      : found(`the image ${choice.image.name} on Docker ${ServerVersion}`)
  }).pipe(Effect.catch((error) => Effect.succeed(missing(remedyFor(error)))))

/** Returns how to fix an engine that does not respond or refuses a call. */
export const remedyFor = (error: EngineError): string =>
  error._tag === "EngineUnreachable"
    ? `${error.message}; start Docker, or set DOCKER_HOST to a running engine`
    : error.message
