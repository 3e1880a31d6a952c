/**
 * The driver that runs clusters inside this process: an API server in TypeScript, ready in milliseconds.
 *
 * @since 0.1.0
 */
import { Effect, Option, type Scope } from "effect"
import * as Version from "../assets/Version.ts"
import { type ClusterDriver, type ClusterOptions, found } from "../ClusterDriver.ts"
import { gitVersion } from "../embedded/Discovery.ts"
import * as EmbeddedServer from "../embedded/EmbeddedServer.ts"
import { HarnessError, NotSupported } from "../HarnessError.ts"
import { inRealTime } from "../internal/Machine.ts"

const NAME = "embedded"

/** What a test may want to be smaller or faster than in a real cluster. */
export type EmbeddedSettings = Pick<EmbeddedServer.EmbeddedOptions, "historyCapacity" | "bookmarkIntervalMs">

/** A driver whose clusters also say what they have seen. */
export interface EmbeddedDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<EmbeddedServer.EmbeddedServer, HarnessError, Scope.Scope>
}

/**
 * Makes a driver with its own settings.
 *
 * **Limits** always available. Clusters live on the machine's
 * clock: their clients do, whatever clock a test has.
 *
 * @since 0.1.0
 */
export const make = (settings: EmbeddedSettings = {}): EmbeddedDriver => ({
  name: NAME,
  available: Effect.succeed(found(`an API server in this process that answers like Kubernetes ${gitVersion}`)),
  start: ({ name, users, controllers, from, version }) =>
    version === undefined || isOwn(version)
      ? inRealTime(
          EmbeddedServer.start({
            name,
            users,
            controllers: controllers === true,
            ...(from === undefined ? {} : { from }),
            ...settings
          })
        )
      : Effect.fail(
          new HarnessError({
            cluster: name,
            reason: new NotSupported({ driver: NAME, what: `Kubernetes ${version}; it answers like ${gitVersion}` })
          })
        )
})

/** Whether a version means the only one that this driver knows. */
const isOwn = (version: string): boolean =>
  Option.getOrElse(
    Option.zipWith(Version.parse(version), Version.parseRelease(gitVersion), Version.includes),
    () => false
  )

export const driver: EmbeddedDriver = make()
