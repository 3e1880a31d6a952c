/** The driver that runs clusters in this process: an API server in TypeScript, ready in milliseconds. */
import { Discovery, type InProcess } from "@quarterdeck/embedded-cluster"
import { Effect, Option, type Scope } from "effect"
import * as Version from "../control-plane/assets/Version.ts"
import { type ClusterDriver, type ClusterOptions, found, type RunningCluster } from "../ClusterDriver.ts"
import * as EmbeddedServer from "@quarterdeck/embedded-cluster/EmbeddedServer"
import { HarnessError, type MachineRefused, NotSupported } from "../../machine/HarnessError.ts"
import * as SavedCluster from "../../state/SavedCluster.ts"
import { inRealTime } from "../../machine/Machine.ts"

const NAME = "embedded"

/** Settings of the driver's clusters: limits that a test may want smaller, their clock, and the logs of their pods. */
export type EmbeddedSettings = Pick<
  EmbeddedServer.EmbeddedOptions,
  "historyCapacity" | "bookmarkIntervalMs" | "nowMs" | "podLog"
>

/** A cluster in this process, with request counters. */
export interface EmbeddedCluster extends RunningCluster {
  readonly answer: InProcess.AnswerInProcess
  readonly counters: Effect.Effect<EmbeddedServer.Counters>
}

/** A driver whose clusters have request counters. */
export interface EmbeddedDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<EmbeddedCluster, HarnessError, Scope.Scope>
}

/**
 * Creates a driver with its own settings.
 *
 * **Limits** always available. Clusters use real time even under a test clock, because their clients use it too.
 */
export const make = (settings: EmbeddedSettings = {}): EmbeddedDriver => ({
  name: NAME,
  available: Effect.succeed(found(`an in-process API server that implements Kubernetes ${Discovery.gitVersion}`)),
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
  if (version !== undefined && !isSupported(version)) {
    const what = `Kubernetes ${version}; it implements ${Discovery.gitVersion}`
    return yield* new NotSupported({ driver: NAME, what })
  }
  const options = { name, users, controllers, ...settings }
  return clusterOf(from === undefined ? yield* startEmpty(options) : yield* startSaved(from, options))
})

/** Starts a cluster without saved objects, so the error `BrokenState` cannot occur. */
const startEmpty = (options: EmbeddedServer.EmbeddedOptions) =>
  EmbeddedServer.start(options).pipe(Effect.catchTag("BrokenState", Effect.die))

/** Starts a cluster with the objects that `save` wrote. */
const startSaved = Effect.fnUntraced(function* (directory: string, options: EmbeddedServer.EmbeddedOptions) {
  const from = yield* SavedCluster.read(directory, NAME)
  return yield* EmbeddedServer.start({ ...options, from }).pipe(
    Effect.catchTag("BrokenState", ({ problem }) => Effect.fail(SavedCluster.unusable(directory, problem)))
  )
})

/** Adapts the server to the driver interface: adds the cluster's name to errors, and saves into a directory. */
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

/** Returns whether a version matches the only one that this driver supports. */
const isSupported = (version: string): boolean =>
  Option.getOrElse(
    Option.zipWith(Version.parse(version), Version.parseRelease(Discovery.gitVersion), Version.includes),
    () => false
  )

export const driver: EmbeddedDriver = make()
