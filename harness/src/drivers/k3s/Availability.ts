/**
 * Whether clusters can run in containers on this machine. Tells it without the optional packages, and without starting
 * anything.
 */
import { Effect } from "effect"
import { type Availability, found, missing } from "../ClusterDriver.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { choose } from "./Images.ts"

/** The name that `QUARTERDECK_DRIVERS` lists. */
export const NAME = "k3s"

/** Asks the engine whether it runs and has the image. **Limits** fetches no image. */
export const available = (settings: { readonly image?: string } = {}): Effect.Effect<Availability> =>
  Effect.gen(function* () {
    const { ServerVersion } = yield* Containers.info
    const choice = yield* choose(settings)
    return choice._tag === "Absent"
      ? missing(choice.remedy)
      : found(`the image ${choice.image.name} on Docker ${ServerVersion}`)
  }).pipe(Effect.catch((error) => Effect.succeed(missing(remedyFor(error)))))

/** Says what would help when the engine does not answer, or refuses. */
export const remedyFor = (error: EngineError): string =>
  error._tag === "EngineUnreachable"
    ? `${error.message}; start Docker, or set DOCKER_HOST to one that runs`
    : error.message
