/** A cluster in a container, on one port of the Docker host: kills, restarts and replaces the container. */
import { Duration, Effect, Exit, Ref, Schedule, Schema, Scope, Semaphore } from "effect"
import { parse } from "yaml"
import type { ApiError } from "../../client/ApiError.ts"
import { type ClusterApi, make as makeApi } from "../../client/ClusterApi.ts"
import type { ClusterUser, RunningCluster } from "../ClusterDriver.ts"
import { eventually } from "../../machine/Eventually.ts"
import { ClusterNotReady, HarnessError, MachineRefused, NotSupported, PortsTaken } from "../../machine/HarnessError.ts"
import { inRealTime } from "../../machine/Machine.ts"
import type { LogTail } from "@quarterdeck/embedded-cluster/LogTail"
import * as Ports from "@quarterdeck/embedded-cluster/Ports"
import * as ServerProbe from "../control-plane/ServerProbe.ts"
import * as ApiReset from "../../state/ApiReset.ts"
import * as Container from "./Container.ts"
import * as ContainerFiles from "./ContainerFiles.ts"
import { type ContainerOptions, INNER_PORT } from "./ContainerOptions.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import * as KineHistory from "./KineHistory.ts"
import * as ContainerLog from "./ContainerLog.ts"

/** The result of a command in a cluster's container. */
export interface ExecResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A cluster of this driver, with its address on the clusters' network. */
export interface K3sCluster extends RunningCluster {
  /** The cluster's name on the network that the driver's clusters share. */
  readonly alias: string
  /** `https://<alias>:6443`: the server's address for containers on the clusters' network. */
  readonly internalServer: string
  /** Runs a command in the container. A non-zero exit code is not an error. */
  readonly exec: (command: ReadonlyArray<string>) => Effect.Effect<ExecResult, HarnessError>
}

export interface ClusterSettings extends Omit<ContainerOptions, "cluster" | "port" | "files" | "log" | "command"> {
  readonly name: string
  readonly users: ReadonlyArray<ClusterUser>
  readonly admin: ClusterUser
  /** Address by which this process reaches the Docker host. */
  readonly host: string
  /** Address of this process for containers, if the engine runs on this machine. */
  readonly hostAddress: string | undefined
  /** True if all controllers run. */
  readonly controllers: boolean
  readonly command: ReadonlyArray<string>
}

type Reason = HarnessError["reason"]

/** One container of the cluster. Closing `scope` removes it. */
interface ContainerRun {
  readonly id: string
  readonly scope: Scope.Closeable
}

const START_ATTEMPTS = 5
/** Pause before a restart tries again to bind the cluster's port. */
const PORT_RETRY = "500 millis"
const NODE_WITHIN: Duration.Input = "2 minutes"

/**
 * Paths that a ready cluster serves. Controllers create the default service account, so its existence proves that they
 * run.
 */
const SERVED = ["/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/default/serviceaccounts/default"]
/** Objects that only the requested controllers create. */
const SERVED_WITH_CONTROLLERS = ["/api/v1/namespaces/default/configmaps/kube-root-ca.crt"]

const Kubeconfig = Schema.Struct({
  clusters: Schema.NonEmptyArray(
    Schema.Struct({ cluster: Schema.Struct({ "certificate-authority-data": Schema.String }) })
  )
})
const decodeKubeconfig = Schema.decodeUnknownEffect(Kubeconfig)
const NodeStatus = Schema.Struct({
  conditions: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.String, status: Schema.String })))
})
const decodeNode = Schema.decodeUnknownOption(NodeStatus)

/** Starts a cluster on a free port and waits until it is ready. Closing the scope removes it. */
export const start = Effect.fnUntraced(function* (
  settings: ClusterSettings
): Effect.fn.Return<K3sCluster, Reason, Scope.Scope> {
  const log = ContainerLog.make()
  const scope = yield* Effect.scope
  const first = yield* Effect.gen(function* () {
    // Docker binds ports itself, perhaps on another machine, so the port cannot be reserved here.
    const port = yield* Ports.outsideEphemeralRanges
    return { port, ...(yield* startContainer(settings, scope, port, [], log)) }
  }).pipe(
    Effect.retry({ times: START_ATTEMPTS - 1, while: (error) => error._tag === "PortsTaken" }),
    Effect.catchTag("PortsTaken", () => Effect.fail(new PortsTaken({ attempts: START_ATTEMPTS })))
  )
  const { port } = first
  const server = `https://${settings.host}:${port}`
  const caPem = yield* authorityIn(first.kubeconfig)
  const api = yield* makeApi({ cluster: settings.name, server, caPem, token: settings.admin.token })
  const ready = Effect.fnUntraced(function* (id: string) {
    yield* api.reconnect
    yield* serves(settings, { server, caPem }, api, log).pipe(
      Effect.raceFirst(Container.failsWhenEnded(id, log)),
      Effect.mapError((error) => (error._tag === "ClusterNotReady" ? withLog(error, log) : error))
    )
  })
  yield* ready(first.life.id)
  return yield* clusterOf({ settings, scope, log, api, server, caPem, port, life: first.life, ready })
})

/** A started cluster, before its operations are added. */
interface StartedCluster {
  readonly settings: ClusterSettings
  readonly scope: Scope.Scope
  readonly log: LogTail
  readonly api: ClusterApi
  readonly server: string
  readonly caPem: string
  readonly port: number
  readonly life: ContainerRun
  /** Waits until the container with the id is ready. */
  readonly ready: (id: string) => Effect.Effect<void, Reason>
}

const retryPort = <A, E extends Reason, R>(begin: Effect.Effect<A, E, R>) =>
  Effect.retry(begin, {
    times: START_ATTEMPTS - 1,
    schedule: Schedule.spaced(PORT_RETRY),
    while: (error) => error._tag === "PortsTaken"
  })

/** Returns a started cluster with its operations. */
const clusterOf = Effect.fnUntraced(function* ({
  api,
  caPem,
  life,
  log,
  port,
  ready,
  scope,
  server,
  settings
}: StartedCluster): Effect.fn.Return<K3sCluster, Reason> {
  const current = yield* Ref.make(life)
  const turn = yield* Semaphore.make(1)
  const idNow = Effect.map(Ref.get(current), ({ id }) => id)
  // Without controllers, a reset must also restore the objects that controllers own.
  const counted = { controlled: !settings.controllers }
  const capture = throughApi("capture the present objects", ApiReset.capture(api, counted))
  const baseline = yield* Ref.make(yield* capture)
  const checkpoint = Effect.flatMap(capture, (objects) => Ref.set(baseline, objects))
  const kill = Effect.flatMap(idNow, (id) => refusing("kill the cluster's container", Containers.kill(id)))
  const startAgain = Effect.gen(function* () {
    const id = yield* idNow
    yield* retryPort(startStopped(id))
    yield* Container.follow(id, log)
    yield* ready(id)
  })
  const restart = Effect.flatMap(idNow, (id) => refusing("stop the cluster's container", Containers.stop(id))).pipe(
    Effect.andThen(startAgain)
  )
  const restartEmpty = Effect.gen(function* () {
    const old = yield* Ref.get(current)
    const files = yield* ContainerFiles.identity(old.id)
    yield* Scope.close(old.scope, Exit.void)
    const { life } = yield* retryPort(startContainer(settings, scope, port, files, log))
    yield* Ref.set(current, life)
    yield* ready(life.id)
    yield* checkpoint
  })
  // The server caches old revisions in memory, so it must restart after the store has dropped them.
  const expireHistory = Effect.gen(function* () {
    const id = yield* idNow
    if (settings.image.shaped) {
      yield* compactHistory(id)
      yield* kill
    } else {
      yield* refusing("stop the cluster's container", Containers.stop(id))
      yield* KineHistory.compact(id)
    }
    yield* startAgain
  })

  const action = <A, E extends Reason>(effect: Effect.Effect<A, E>): Effect.Effect<A, HarnessError> =>
    turn.withPermit(effect).pipe(
      Effect.mapError((reason) => new HarnessError({ cluster: settings.name, reason })),
      inRealTime
    )
  return {
    name: settings.name,
    server,
    caPem,
    ...(settings.hostAddress === undefined ? {} : { hostAddress: settings.hostAddress }),
    alias: settings.place.alias,
    internalServer: `https://${settings.place.alias}:${INNER_PORT}`,
    exec: (command) =>
      Effect.flatMap(idNow, (id) => Container.exec(id, command)).pipe(
        Effect.mapError((reason) => new HarnessError({ cluster: settings.name, reason }))
      ),
    kill: action(kill),
    restart: action(restart),
    restartEmpty: action(restartEmpty),
    expireHistory: action(expireHistory),
    checkpoint: action(checkpoint),
    reset: action(
      Effect.flatMap(Ref.get(baseline), (captured) =>
        throughApi("restore the objects", ApiReset.restore(api, captured, counted))
      )
    ),
    save: () => action(notSupported("saving its objects")),
    logs: Effect.sync(() => log.toString())
  }
})

/** Creates and starts a container in a child scope of the cluster's scope. A failed start removes it. */
const startContainer = Effect.fnUntraced(function* (
  settings: ClusterSettings,
  parent: Scope.Scope,
  port: number,
  files: ReadonlyArray<ContainerFiles.ContainerFile>,
  log: LogTail
) {
  const scope = yield* Scope.fork(parent)
  const started = yield* Container.start({
    ...settings,
    cluster: settings.name,
    port,
    files: [ContainerFiles.tokens(settings.users), ...files],
    log
  }).pipe(
    Scope.provide(scope),
    Effect.onError(() => Scope.close(scope, Exit.void))
  )
  return { life: { id: started.id, scope } satisfies ContainerRun, kubeconfig: started.kubeconfig }
})

const startStopped = (id: string): Effect.Effect<void, MachineRefused | PortsTaken> =>
  Containers.start(id).pipe(
    Effect.mapError((cause) =>
      Container.isPortTaken(cause.message)
        ? new PortsTaken({ attempts: 1 })
        : new MachineRefused({ action: "start the cluster's container", cause })
    )
  )

const serves = Effect.fnUntraced(function* (
  settings: ClusterSettings,
  place: { readonly server: string; readonly caPem: string },
  api: ClusterApi,
  log: LogTail
) {
  const paths = settings.controllers ? [...SERVED, ...SERVED_WITH_CONTROLLERS] : SERVED
  yield* ServerProbe.answers({ ...place, token: settings.admin.token }, paths)
  if (settings.image.shaped) return
  yield* eventually("a node is ready", api.list({ apiVersion: "v1", kind: "Node" }), hasReadyNode, {
    within: NODE_WITHIN
  }).pipe(
    Effect.mapError(
      ({ last, waitedMs }) =>
        new ClusterNotReady({ waitedMs, last: `no node is ready; ${last}`, lastLines: log.lines().slice(-SHOWN_LINES) })
    )
  )
})

const SHOWN_LINES = 15

const hasReadyNode = ({ items }: { readonly items: ReadonlyArray<Readonly<Record<string, unknown>>> }): boolean =>
  items.some((node) => {
    const status = decodeNode(node["status"])
    return (
      status._tag === "Some"
      && (status.value.conditions ?? []).some((condition) => condition.type === "Ready" && condition.status === "True")
    )
  })

const compactHistory = Effect.fnUntraced(function* (id: string) {
  const { exitCode, stderr } = yield* Container.exec(id, ["/bin/k3s", "compact-history"])
  if (exitCode === 0) return
  return yield* new MachineRefused({ action: "compact the cluster's history", cause: new Error(stderr.trim()) })
})

const authorityIn = (kubeconfig: string): Effect.Effect<string, MachineRefused> =>
  Effect.try({ try: (): unknown => parse(kubeconfig), catch: (cause) => cause }).pipe(
    Effect.flatMap(decodeKubeconfig),
    Effect.map(({ clusters }) => Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString()),
    Effect.mapError((cause) => new MachineRefused({ action: "read the cluster's kubeconfig", cause }))
  )

const withLog = (error: ClusterNotReady, log: LogTail): ClusterNotReady =>
  new ClusterNotReady({
    waitedMs: error.waitedMs,
    last: error.last,
    lastLines: error.lastLines.length > 0 ? error.lastLines : log.lines().slice(-SHOWN_LINES)
  })

const refusing = <A>(action: string, effect: Effect.Effect<A, EngineError>): Effect.Effect<A, MachineRefused> =>
  Effect.mapError(effect, (cause) => new MachineRefused({ action, cause }))

const throughApi = <A>(action: string, effect: Effect.Effect<A, ApiError>): Effect.Effect<A, MachineRefused> =>
  Effect.mapError(effect, (cause) => new MachineRefused({ action, cause }))

const notSupported = (what: string): Effect.Effect<never, NotSupported> =>
  Effect.fail(new NotSupported({ driver: "k3s", what }))
