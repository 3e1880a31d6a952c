/** Starts the programs of one control plane and waits until they serve. */
import { rm } from "node:fs/promises"
import { Effect, Schedule, type Scope } from "effect"
import type { FoundProgram, ProgramName } from "./assets/Programs.ts"
import type { ClusterUser } from "../ClusterDriver.ts"
import { ClusterNotReady, type MachineRefused, type ProgramExited } from "../../machine/HarnessError.ts"
import { GIFTS } from "@quarterdeck/embedded-cluster/WholeNamespaces"
import * as ControlPlaneFiles from "./ControlPlaneFiles.ts"
import { THROUGH_CACHE } from "../../state/WatchCache.ts"
import * as ControlPlanePrograms from "./ControlPlanePrograms.ts"
import * as EtcdClient from "./EtcdClient.ts"
import type { Operation } from "./EtcdClient.ts"
import { PREFIX } from "./EtcdKeys.ts"
import * as EtcdState from "./EtcdState.ts"
import { attempt } from "../../machine/Machine.ts"
import * as Program from "../../machine/Program.ts"
import * as ServerProbe from "./ServerProbe.ts"
import type { Watchdog } from "../../machine/Watchdog.ts"
import type { Workspace } from "../../machine/Workspace.ts"

export interface LaunchOptions {
  readonly programs: ReadonlyMap<ProgramName, FoundProgram>
  readonly place: { readonly workspace: Workspace; readonly watchdog: Watchdog }
  readonly paths: ControlPlaneFiles.ControlPlanePaths
  /** CA certificates that verify the API server. */
  readonly caPem: string
  readonly admin: ClusterUser
  readonly controllers: boolean
  readonly port: number
  /** Further issuers of service account tokens that the server accepts. */
  readonly pastIssuers: ReadonlyArray<string>
  /** Objects to load into the empty store before the API server starts. */
  readonly objects?: ReadonlyArray<Operation>
}

export interface Launched {
  readonly apiServer: Program.Program
  readonly programs: ReadonlyArray<Program.Program>
}

const STORE_EVERY = "20 millis"
const STORE_WITHIN = "60 seconds"
const STORE_WITHIN_MS = 60_000
/** Paths that a ready server serves. It creates its namespaces and its service shortly after `/readyz` succeeds. */
const SERVED = [
  "/readyz",
  ...["default", "kube-system", "kube-public", "kube-node-lease"].map((name) => `/api/v1/namespaces/${name}`),
  "/api/v1/namespaces/default/services/kubernetes"
]
/**
 * Kinds that the controllers watch. A watch gets 429 until the server has filled its cache of the kind.
 * Controllers back off after each 429, up to half a minute.
 */
const WATCHED_LISTS = [
  ...["nodes", "namespaces", "pods", "services", "serviceaccounts", "persistentvolumes", "persistentvolumeclaims"].map(
    (kind) => `/api/v1/${kind}`
  ),
  ...["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"].map(
    (kind) => `/apis/apps/v1/${kind}`
  ),
  ...["cronjobs", "jobs"].map((kind) => `/apis/batch/v1/${kind}`),
  "/apis/discovery.k8s.io/v1/endpointslices",
  "/apis/policy/v1/poddisruptionbudgets"
].map((path) => `${path}?${THROUGH_CACHE}`)
/**
 * Objects that the controller manager creates in every namespace. Their presence proves that reconciliation runs and
 * that a new cluster is complete.
 */
const RECONCILED = ["default", "kube-system", "kube-public", "kube-node-lease"].flatMap((namespace) =>
  GIFTS.map(({ name, plural }) => `/api/v1/namespaces/${namespace}/${plural}/${name}`)
)

/**
 * Starts etcd and the API server, then the controllers if requested.
 *
 * **Errors** as soon as one of the programs ends, without waiting for the deadline. **Limits** closing the scope ends
 * the programs in reverse order.
 */
export const launch = Effect.fnUntraced(function* (
  options: LaunchOptions
): Effect.fn.Return<Launched, ClusterNotReady | MachineRefused | ProgramExited, Scope.Scope> {
  const { paths, port } = options
  const server = `https://127.0.0.1:${port}`
  const start = (name: ProgramName, args: ReadonlyArray<string>, variables?: Program.ProgramOptions["variables"]) =>
    Effect.gen(function* () {
      const program = options.programs.get(name)
      if (program === undefined) return yield* Effect.die(new Error(`${name} was not looked up before the start`))
      return yield* Program.start(
        { name, command: program.path, args, ...(variables === undefined ? {} : { variables }) },
        options.place
      )
    })

  // A killed etcd leaves its socket file. If the API server finds the file without a listener, the server waits a second.
  const socket = ControlPlanePrograms.clientSocket(paths)
  yield* attempt("remove the socket of the previous run", () => rm(socket, { force: true }))
  const etcd = yield* start("etcd", ControlPlanePrograms.etcd(paths))
  if (options.objects !== undefined) yield* whileRunning([etcd], loaded(socket, options.objects))
  const issuers = [ControlPlanePrograms.issuerOf(port), ...options.pastIssuers]
  const apiServer = yield* start(
    "kube-apiserver",
    ControlPlanePrograms.apiServer(paths, port, issuers),
    ControlPlanePrograms.API_SERVER_VARIABLES
  )

  const { caPem } = options
  yield* whileRunning([etcd, apiServer], ServerProbe.answers({ server, caPem, token: options.admin.token }, SERVED))
  if (!options.controllers) return { apiServer, programs: [etcd, apiServer] }

  yield* whileRunning(
    [etcd, apiServer],
    ServerProbe.answers({ server, caPem, token: options.admin.token }, WATCHED_LISTS)
  )
  yield* ControlPlaneFiles.writeControllersKubeconfig(paths, {
    name: "control-plane",
    server,
    caPem,
    user: options.admin.name,
    token: options.admin.token
  })
  const manager = yield* start("kube-controller-manager", ControlPlanePrograms.controllerManager(paths))
  const scheduler = yield* start("kube-scheduler", ControlPlanePrograms.scheduler(paths))
  const programs = [etcd, apiServer, manager, scheduler]
  yield* whileRunning(programs, ServerProbe.answers({ server, caPem, token: options.admin.token }, RECONCILED))
  return { apiServer, programs }
})

/** Loads objects into the store as soon as it responds. */
const loaded = (
  socket: string,
  objects: ReadonlyArray<Operation>
): Effect.Effect<void, ClusterNotReady | MachineRefused> =>
  Effect.scoped(
    Effect.gen(function* () {
      const etcd = yield* EtcdClient.connect(socket)
      yield* etcd.read(PREFIX, { keysOnly: true }).pipe(
        Effect.retry(Schedule.spaced(STORE_EVERY)),
        Effect.timeout(STORE_WITHIN),
        Effect.mapError(
          () => new ClusterNotReady({ waitedMs: STORE_WITHIN_MS, last: "the store does not answer", lastLines: [] })
        )
      )
      yield* EtcdState.load(etcd, objects)
    })
  )

/** Runs `wait`, and fails as soon as one of the programs ends. The error of a timeout includes the programs' logs. */
const whileRunning = <A, E>(
  programs: ReadonlyArray<Program.Program>,
  wait: Effect.Effect<A, E | ClusterNotReady>
): Effect.Effect<A, E | ClusterNotReady | ProgramExited> =>
  Effect.raceAllFirst([wait, ...programs.map((program) => program.failsWhenEnded)]).pipe(
    Effect.catchIf(
      (error) => error instanceof ClusterNotReady,
      (error) =>
        Effect.flatMap(
          Effect.forEach(programs, (program) => program.tail),
          (tails) =>
            Effect.fail(
              new ClusterNotReady({
                waitedMs: error.waitedMs,
                last: error.last,
                lastLines: tails.flatMap((tail) => Program.lastLines(tail))
              })
            )
        )
    )
  )
