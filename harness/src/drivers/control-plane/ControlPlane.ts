/**
 * Runs real clusters: an etcd and a kube-apiserver each, and on request the controller manager and the scheduler.
 *
 * The programs are those of the Kubernetes release itself, so what passes here passes on a real server: admission,
 * validation, paging, watch, RBAC and error texts are the originals. What is missing is a kubelet: pods stay where they
 * are written, and report what a test or the seed writes into their status.
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
import type { Operation } from "./EtcdClient.ts"
import { compact } from "./EtcdHistory.ts"
import { attempt, inRealTime } from "../../machine/Machine.ts"
import * as Ports from "@quarterdeck/embedded-cluster/Ports"
import * as ServerCertificate from "@quarterdeck/embedded-cluster/ServerCertificate"
import { tailIn } from "../../machine/Program.ts"
import * as Watchdog from "../../machine/Watchdog.ts"
import * as Workspace from "../../machine/Workspace.ts"
import * as SavedCluster from "../../state/SavedCluster.ts"

const NAME = "control-plane"
const START_ATTEMPTS = 5
/** How long a restart waits between attempts when somebody sits on the cluster's port. */
const PORT_RETRY = "500 millis"

const NEEDED = ["etcd", "kube-apiserver"] as const
const CONTROLLERS = ["kube-controller-manager", "kube-scheduler"] as const

/** A cluster of this driver: what stays the same while its programs come and go. */
interface Cluster extends Omit<LaunchOptions, "port" | "objects"> {
  readonly scope: Scope.Scope
  readonly keys: ControlPlaneFiles.ServiceAccountKeys
  /** Whether it began with saved objects, custom kinds among them. */
  readonly hasObjects: boolean
}

/** One run of a cluster's programs, with the scope that ends them. */
interface Run extends Launched {
  readonly scope: Scope.Closeable
}

/**
 * The driver of real control planes.
 *
 * **Limits** one cluster is ready in 2 to 3 s, three in parallel in 3 to 5 s; it takes about 400 MB of memory and 64 MB
 * of disk. It listens on 127.0.0.1 only. Should this process be killed, its clusters end with it.
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
  const problem = `${version} is no version of Kubernetes: name a release such as 1.33 or v1.33.2`
  return Effect.fail(new InvalidFleet({ problem }))
}

/** Reads a saved cluster, where one was asked for. **Errors** `InvalidFleet` when the programs are too old for it. */
const savedIn = Effect.fnUntraced(function* (
  directory: string | undefined,
  programs: ReadonlyMap<ProgramName, FoundProgram>
) {
  if (directory === undefined) return undefined
  const saved = yield* ControlPlaneSave.read(directory, NAME)
  const version = programs.get("kube-apiserver")?.version
  if (version !== undefined && isOlder(version, saved.kubernetes)) {
    const problem = `its objects are those of Kubernetes ${saved.kubernetes}, and this one is ${version}`
    return yield* SavedCluster.unusable(directory, problem)
  }
  return saved
})

/** Starts on a port of our choosing, on another one when somebody takes it in between. */
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

/** Removes the store of programs that do not run. */
const emptied = (paths: ControlPlaneFiles.ControlPlanePaths) =>
  attempt("remove a cluster's objects", () => rm(paths.data, { recursive: true, force: true }))

/** Starts the programs in a scope of their own below the cluster's; a failed start leaves none of them. */
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

  const take = Ref.getAndSet(current, Option.none())
  const stop = Effect.flatMap(take, (run) =>
    Option.isSome(run) ? Scope.close(run.value.scope, Exit.void) : Effect.void
  )
  const kill = Effect.flatMap(take, (run) =>
    Option.isSome(run)
      ? Effect.andThen(
          Effect.forEach(run.value.programs, (program) => program.kill, { concurrency: "unbounded", discard: true }),
          Scope.close(run.value.scope, Exit.void)
        )
      : Effect.void
  )
  const again = runOn(cluster, port).pipe(
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
  // Until then the server answers 429 for kinds whose storage is still being initialised.
  const complete = Effect.andThen(again, state.kindsServed)
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
    restart: action(Effect.andThen(stop, complete)),
    expireHistory: action(
      // The server answers old revisions from its memory, so it has to start anew once the store has forgotten them.
      compact(clientSocket(paths)).pipe(Effect.andThen(kill), Effect.andThen(complete))
    ),
    restartEmpty: action(
      kill.pipe(Effect.andThen(emptied(paths)), Effect.andThen(again), Effect.andThen(state.checkpoint))
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

/** Whether a version is of an older minor release than another; what is no release is no older. */
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
