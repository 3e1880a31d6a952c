/**
 * The driver that runs clusters inside this process: an API server in TypeScript, ready in milliseconds.
 *
 * @since 0.1.0
 */
import { Effect, type Scope } from "effect"
import { type ClusterDriver, type ClusterOptions, found } from "../ClusterDriver.ts"
import { gitVersion } from "../embedded/Discovery.ts"
import * as EmbeddedServer from "../embedded/EmbeddedServer.ts"
import type { HarnessError } from "../HarnessError.ts"
import { inRealTime } from "../internal/Machine.ts"

/** What a test may want to be smaller or faster than in a real cluster. */
export type EmbeddedSettings = Pick<EmbeddedServer.EmbeddedOptions, "historyCapacity" | "bookmarkIntervalMs">

/** A driver whose clusters also say what they have seen. */
export interface EmbeddedDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<EmbeddedServer.EmbeddedServer, HarnessError, Scope.Scope>
}

/**
 * Makes a driver with its own settings.
 *
 * **Limits** always available; it has no controllers, so `controllers` changes nothing. Clusters live on the machine's
 * clock: their clients do, whatever clock a test has.
 *
 * @since 0.1.0
 */
export const make = (settings: EmbeddedSettings = {}): EmbeddedDriver => ({
  name: "embedded",
  available: Effect.succeed(found(`an API server in this process that answers like Kubernetes ${gitVersion}`)),
  start: ({ name, users }) => inRealTime(EmbeddedServer.start({ name, users, ...settings }))
})

export const driver: EmbeddedDriver = make()
