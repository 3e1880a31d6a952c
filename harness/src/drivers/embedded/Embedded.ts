/** The driver that runs clusters inside this process: an API server in TypeScript, ready in milliseconds. */
import { Discovery, type InProcess } from "@quarterdeck/embedded-cluster"
import { Effect, Option, type Scope } from "effect"
import * as Version from "../control-plane/assets/Version.ts"
import { type ClusterDriver, type ClusterOptions, found, type RunningCluster } from "../ClusterDriver.ts"
import * as EmbeddedServer from "@quarterdeck/embedded-cluster/EmbeddedServer"
import { HarnessError, type MachineRefused, NotSupported } from "../../machine/HarnessError.ts"
import * as SavedCluster from "../../state/SavedCluster.ts"
import { inRealTime } from "../../machine/Machine.ts"

const NAME = "embedded"

/** What a test may want to be smaller or faster than in a real cluster. */
export type EmbeddedSettings = Pick<EmbeddedServer.EmbeddedOptions, "historyCapacity" | "bookmarkIntervalMs">

/** A cluster of this process, which also says what it has seen. */
export interface EmbeddedCluster extends RunningCluster {
  readonly answer: InProcess.AnswerInProcess
  readonly counters: Effect.Effect<EmbeddedServer.Counters>
}

/** A driver whose clusters also say what they have seen. */
export interface EmbeddedDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<EmbeddedCluster, HarnessError, Scope.Scope>
}

/**
 * Makes a driver with its own settings.
 *
 * **Limits** always available. Clusters live on the machine's
 * clock: their clients do, whatever clock a test has.
 */
export const make = (settings: EmbeddedSettings = {}): EmbeddedDriver => ({
  name: NAME,
  available: Effect.succeed(
    found(`an API server in this process that answers like Kubernetes ${Discovery.gitVersion}`)
  ),
  start: (options) =>
    started(options, settings).pipe(
      Effect.mapError((reason) => new HarnessError({ cluster: options.name, reason })),
      inRealTime
    )
})

const started = Effect.fnUntraced(function* (
  { controllers = false, from, name, users, version }: ClusterOptions,
  settings: EmbeddedSettings
) {
  if (version !== undefined && !isOwn(version)) {
    const what = `Kubernetes ${version}; it answers like ${Discovery.gitVersion}`
    return yield* new NotSupported({ driver: NAME, what })
  }
  const options = { name, users, controllers, ...settings }
  return clusterOf(from === undefined ? yield* anew(options) : yield* goingOn(from, options))
})

/** Starts without objects; what was not given cannot be broken. */
const anew = (options: EmbeddedServer.EmbeddedOptions) =>
  EmbeddedServer.start(options).pipe(Effect.catchTag("BrokenState", Effect.die))

/** Starts from what `save` wrote. */
const goingOn = Effect.fnUntraced(function* (directory: string, options: EmbeddedServer.EmbeddedOptions) {
  const from = yield* SavedCluster.read(directory, NAME)
  return yield* EmbeddedServer.start({ ...options, from }).pipe(
    Effect.catchTag("BrokenState", ({ problem }) => Effect.fail(SavedCluster.unusable(directory, problem)))
  )
})

/** The server as every driver's cluster: its failures name it, and what it saves goes into a directory. */
const clusterOf = (server: EmbeddedServer.EmbeddedServer): EmbeddedCluster => {
  const named = <A>(action: Effect.Effect<A, MachineRefused>): Effect.Effect<A, HarnessError> =>
    Effect.mapError(action, (reason) => new HarnessError({ cluster: server.name, reason }))
  return {
    ...server,
    restart: named(server.restart),
    restartEmpty: named(server.restartEmpty),
    save: (directory) =>
      Effect.flatMap(server.save, ({ extra, objects }) =>
        SavedCluster.write(directory, { driver: NAME, kubernetes: Discovery.gitVersion, extra, objects })
      ).pipe(named)
  }
}

/** Whether a version means the only one that this driver knows. */
const isOwn = (version: string): boolean =>
  Option.getOrElse(
    Option.zipWith(Version.parse(version), Version.parseRelease(Discovery.gitVersion), Version.includes),
    () => false
  )

export const driver: EmbeddedDriver = make()
