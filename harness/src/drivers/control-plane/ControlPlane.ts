/**
 * Runs real clusters: an etcd and a kube-apiserver each, and optionally the controller manager and the scheduler.
 *
 * The programs are those of the Kubernetes release, so admission, validation, paging, watches, RBAC and error messages
 * are the original ones. There is no kubelet: pods do not run, and their status is whatever a test or the seed writes.
 */
import { rm } from "node:fs/promises"
import { Effect, Exit, Option, Ref, Schedule, Scope, Semaphore } from "effect"
import { buildCommand, find, type FoundProgram, KUBERNETES_VERSION, type ProgramName } from "./assets/Programs.ts"
import * as Version from "./assets/Version.ts"
import {
  type Availability,
  type ClusterDriver,
  type ClusterOptions,
  found,
  missing,
  type RunningCluster
} from "../ClusterDriver.ts"
import {
  DriverUnavailable,
  HarnessError,
  InvalidFleet,
  PortsTaken,
  type ProgramExited
} from "../../machine/HarnessError.ts"
import * as ControlPlaneFiles from "./ControlPlaneFiles.ts"
import { launch, type Launched, type LaunchOptions } from "./ControlPlaneLaunch.ts"
import { clientSocket, issuerOf } from "./ControlPlanePrograms.ts"
import * as ControlPlaneSave from "./ControlPlaneSave.ts"
import * as ControlPlaneState from "./ControlPlaneState.ts"
import { compact, type Operation } from "./EtcdClient.ts"
import { attempt, inRealTime } from "../../machine/Machine.ts"
import * as Ports from "@quarterdeck/embedded-cluster/Ports"
import * as ServerCertificate from "@quarterdeck/embedded-cluster/ServerCertificate"
import { tailIn } from "../../machine/Program.ts"
import * as Watchdog from "../../machine/Watchdog.ts"
import * as Workspace from "../../machine/Workspace.ts"
import * as SavedCluster from "../../state/SavedCluster.ts"

const NAME = "control-plane"
const START_ATTEMPTS = 5
/** Pause before a restart tries again to bind the cluster's port. */
const PORT_RETRY = "500 millis"

const NEEDED = ["etcd", "kube-apiserver"] as const
const CONTROLLERS = ["kube-controller-manager", "kube-scheduler"] as const

/** The parts of a cluster that stay the same across restarts of its programs. */
interface Cluster extends Omit<LaunchOptions, "port" | "objects"> {
  readonly scope: Scope.Scope
  readonly keys: ControlPlaneFiles.ServiceAccountKeys
  /** True if the cluster started with saved objects, possibly including custom kinds. */
  readonly hasObjects: boolean
}

/** One run of a cluster's programs. Closing `scope` ends the programs. */
interface Run extends Launched {
  readonly scope: Scope.Closeable
}

/**
 * The driver of real control planes.
 *
 * **Limits** one cluster is ready in 2 to 3 s, three in parallel in 3 to 5 s. A cluster takes about 400 MB of memory
 * and 64 MB of disk. It listens only on 127.0.0.1. If this process is killed, its clusters end too.
 */
export const driver: ClusterDriver = {
  name: NAME,
  available: Effect.gen(function* () {
    if (process.platform === "win32") return missing("it needs Linux or macOS")
    const programs = yield* locate(NEEDED)
    return programs.absent.length > 0 ? missing(remedyFor(programs.absent)) : foundIn(programs.found)
  }),
  start: (options) =>
    start(options).pipe(
      Effect.mapError((reason) => new HarnessError({ cluster: options.name, reason })),
      inRealTime,
      Effect.withSpan("ControlPlane.start", { attributes: { cluster: options.name } })
    )
}

const start = Effect.fnUntraced(function* (options: ClusterOptions) {
  const controllers = options.controllers === true
  yield* checkVersion(options.version)
  const programs = yield* locate(controllers ? [...NEEDED, ...CONTROLLERS] : NEEDED, options.version)
  if (programs.absent.length > 0) {
    return yield* new DriverUnavailable({ driver: NAME, remedy: remedyFor(programs.absent, options.version) })
  }
  const saved = yield* savedIn(options.from, programs.found)
  const admin = options.users.find((user) => user.groups.includes("system:masters"))
  if (admin === undefined) return yield* new InvalidFleet({ problem: "no user is in the group system:masters" })

  const workspace = yield* Workspace.make()
  const watchdog = yield* Watchdog.make(workspace.path)
  const paths = ControlPlaneFiles.pathsIn(workspace.path)
  const keys = saved?.keys ?? (yield* ControlPlaneFiles.serviceAccountKeys)
  const certificate = yield* ServerCertificate.issue(options.name)
  yield* ControlPlaneFiles.write(paths, options.users, keys, certificate)
  const cluster: Cluster = {
    programs: programs.found,
    place: { workspace, watchdog },
    paths,
    caPem: certificate.certificatePem,
    admin,
    controllers,
    keys,
    pastIssuers: saved?.issuers ?? [],
    hasObjects: saved !== undefined,
    scope: yield* Effect.scope
  }
  const { port, run } = yield* firstRun(cluster, saved?.entries)
  return yield* controlled(options.name, cluster, port, run)
})

const checkVersion = (version: string | undefined): Effect.Effect<void, InvalidFleet> => {
  if (version === undefined || Option.isSome(Version.parse(version))) return Effect.void
  const problem = `${version} is not a version of Kubernetes; use a release such as 1.33 or v1.33.2`
  return Effect.fail(new InvalidFleet({ problem }))
}

/**
 * Reads the saved cluster, if the options name one. **Errors** `InvalidFleet` if the programs are older than the saved
 * objects.
 */
const savedIn = Effect.fnUntraced(function* (
  directory: string | undefined,
  programs: ReadonlyMap<ProgramName, FoundProgram>
) {
  if (directory === undefined) return undefined
  const saved = yield* ControlPlaneSave.read(directory, NAME)
  const version = programs.get("kube-apiserver")?.version
  if (version !== undefined && isOlder(version, saved.kubernetes)) {
    const problem = `its objects are of Kubernetes ${saved.kubernetes}, which is newer than ${version}`
    return yield* SavedCluster.unusable(directory, problem)
  }
  return saved
})

/** Starts on a free port, and tries another one if the port is taken in the meantime. */
const firstRun = Effect.fnUntraced(function* (cluster: Cluster, objects: ReadonlyArray<Operation> | undefined) {
  return yield* Effect.gen(function* () {
    const port = yield* Ports.reserve
    if (objects !== undefined) yield* emptied(cluster.paths)
    return { port, run: yield* runOn(cluster, port, objects) }
  }).pipe(
    Effect.retry({ times: START_ATTEMPTS - 1, while: (error) => error._tag === "PortsTaken" }),
    Effect.catchTag("PortsTaken", () => Effect.fail(new PortsTaken({ attempts: START_ATTEMPTS })))
  )
})

/** Removes the data of a stopped etcd. */
const emptied = (paths: ControlPlaneFiles.ControlPlanePaths) =>
  attempt("remove a cluster's objects", () => rm(paths.data, { recursive: true, force: true }))

/** Starts the programs in a child scope of the cluster's scope. A failed start stops all of them. */
const runOn = Effect.fnUntraced(function* (cluster: Cluster, port: number, objects?: ReadonlyArray<Operation>) {
  const scope = yield* Scope.fork(cluster.scope)
  const launched = yield* launch({ ...cluster, port, ...(objects === undefined ? {} : { objects }) }).pipe(
    Scope.provide(scope),
    Effect.onError(() => Scope.close(scope, Exit.void)),
    Effect.catchTag("ProgramExited", (error) => Effect.fail(lostPort(error) ? new PortsTaken({ attempts: 1 }) : error))
  )
  return { ...launched, scope } satisfies Run
})

const controlled = Effect.fnUntraced(function* (name: string, cluster: Cluster, port: number, first: Run) {
  const current = yield* Ref.make(Option.some<Run>(first))
  const turn = yield* Semaphore.make(1)
  const {
    paths,
    place: { workspace }
  } = cluster

  const takeCurrent = Ref.getAndSet(current, Option.none())
  const stop = Effect.flatMap(takeCurrent, (run) =>
    Option.isSome(run) ? Scope.close(run.value.scope, Exit.void) : Effect.void
  )
  const kill = Effect.flatMap(takeCurrent, (run) =>
    Option.isSome(run)
      ? Effect.andThen(
          Effect.forEach(run.value.programs, (program) => program.kill, { concurrency: "unbounded", discard: true }),
          Scope.close(run.value.scope, Exit.void)
        )
      : Effect.void
  )
  const startAgain = runOn(cluster, port).pipe(
    Effect.retry({
      times: START_ATTEMPTS - 1,
      schedule: Schedule.spaced(PORT_RETRY),
      while: (error) => error._tag === "PortsTaken"
    }),
    Effect.flatMap((run) => Ref.set(current, Option.some(run)))
  )
  const server = `https://127.0.0.1:${port}`
  const state = yield* ControlPlaneState.make({
    driver: NAME,
    socket: clientSocket(paths),
    probe: { server, caPem: cluster.caPem, token: cluster.admin.token },
    keys: cluster.keys,
    issuers: [issuerOf(port), ...cluster.pastIssuers],
    controllers: cluster.controllers
  })
  if (cluster.hasObjects) yield* state.kindsServed
  // After a start, the server answers 429 for custom kinds whose storage is still initialising.
  const startAndServe = Effect.andThen(startAgain, state.kindsServed)
  const action = <A, E extends HarnessError["reason"]>(effect: Effect.Effect<A, E>): Effect.Effect<A, HarnessError> =>
    turn.withPermit(effect).pipe(
      Effect.mapError((reason) => new HarnessError({ cluster: name, reason })),
      inRealTime
    )

  return {
    name,
    server,
    caPem: cluster.caPem,
    pid: Effect.map(
      Ref.get(current),
      Option.map((run) => run.apiServer.pid)
    ),
    kill: action(kill),
    restart: action(Effect.andThen(stop, startAndServe)),
    expireHistory: action(
      // The server caches old revisions in memory, so it must restart after the store has dropped them.
      compact(clientSocket(paths)).pipe(Effect.andThen(kill), Effect.andThen(startAndServe))
    ),
    restartEmpty: action(
      kill.pipe(Effect.andThen(emptied(paths)), Effect.andThen(startAgain), Effect.andThen(state.checkpoint))
    ),
    checkpoint: action(state.checkpoint),
    reset: action(state.reset),
    save: (directory) => action(state.save(directory)),
    logs: Effect.map(
      Effect.forEach([...cluster.programs.keys()], (program) =>
        Effect.map(tailIn(workspace, program), titled(program))
      ),
      (parts) => parts.join("")
    )
  } satisfies RunningCluster
})

const locate = Effect.fnUntraced(function* (names: ReadonlyArray<ProgramName>, version?: string) {
  const programs = yield* Effect.forEach(names, (name) => Effect.map(find(name, version), (place) => ({ name, place })))
  const present = programs.flatMap(({ name, place }) => (Option.isSome(place) ? [[name, place.value] as const] : []))
  return {
    found: new Map<ProgramName, FoundProgram>(present),
    absent: programs.filter(({ place }) => Option.isNone(place)).map(({ name }) => name)
  }
})

const foundIn = (programs: ReadonlyMap<ProgramName, FoundProgram>): Availability =>
  found(
    programs.get("kube-apiserver")?.origin === "cache"
      ? `Kubernetes ${KUBERNETES_VERSION} built by the harness`
      : "the programs in KUBEBUILDER_ASSETS"
  )

const remedyFor = (absent: ReadonlyArray<string>, version?: string): string => {
  const build = `run \`${buildCommand(version)}\` (needs Go 1.26 or newer)`
  return version === undefined
    ? `${absent.join(" and ")} not found; ${build}, or set KUBEBUILDER_ASSETS to a directory that has them`
    : `${absent.join(" and ")} of Kubernetes ${version} not found; ${build}`
}

/** Returns whether a version has an older minor release than another. False if either cannot be parsed. */
const isOlder = (version: string, than: string): boolean =>
  Option.getOrElse(
    Option.zipWith(Version.parse(version), Version.parse(than), (left, right) => left.minor < right.minor),
    () => false
  )

const lostPort = (error: ProgramExited): boolean =>
  error.program === "kube-apiserver" && error.lastLines.some((line) => line.includes("address already in use"))

const titled =
  (program: string) =>
  (text: string): string =>
    text === "" ? "" : `==> ${program} <==\n${text}`
