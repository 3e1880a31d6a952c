/**
 * Runs clusters in containers through testcontainers: real k3s, or a control plane in the image that the harness
 * builds.
 *
 * The clusters of a driver share a Docker network, on which a parent reaches its children by name, like a controller in
 * the cluster. Real k3s has a kubelet and runs pods, and needs a privileged container. The harness's own image needs no
 * privileges and no registry, and has no nodes.
 */
import { createSocket } from "node:dgram"
import { isIP } from "node:net"
import { Effect, Option, type Scope } from "effect"
import { ADMIN, type ClusterDriver, type ClusterOptions, missing, type RunningCluster } from "../ClusterDriver.ts"
import {
  DriverUnavailable,
  HarnessError,
  InvalidFleet,
  MachineRefused,
  NotSupported
} from "../../machine/HarnessError.ts"
import { attempt, inRealTime } from "../../machine/Machine.ts"
import { available, NAME, remedyFor } from "./Availability.ts"
import * as Cluster from "./Cluster.ts"
import { TOKENS_PATH } from "./ContainerFiles.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { choose, type Image } from "./Images.ts"
import * as Network from "./Network.ts"
import * as Packages from "./Packages.ts"
import { swept } from "./Sweep.ts"
import * as Kubeconfig from "../../client/Kubeconfig.ts"

export type { ExecResult, K3sCluster } from "./Cluster.ts"

const START_WITHIN_MS = 120_000

export interface K3sSettings {
  /** Image (default: the image in `QUARTERDECK_K3S_IMAGE`, {@link DEFAULT_IMAGE}, or the harness's own). */
  readonly image?: string
  /** Runs the container privileged (default true; false for the harness's own image). */
  readonly privileged?: boolean
  /** Control groups of the container (default: the host's; for the harness's own image the engine's default). */
  readonly cgroupns?: "host" | "private"
  /** Runs a DNS server for pods of the cluster (default false). It is a pod itself, so it needs controllers. */
  readonly dns?: boolean
  /** Additional flags of `k3s server`: `--kube-apiserver-arg=event-ttl=5m`. */
  readonly args?: ReadonlyArray<string>
  /** Timeout of a start (default 120 s). */
  readonly startWithinMs?: number
}

export { DEFAULT_IMAGE, IMAGE_VARIABLE, LOCAL_IMAGE } from "./Images.ts"

/** A driver whose clusters also have an address on their shared network. */
export interface K3sDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<Cluster.K3sCluster, HarnessError, Scope.Scope>
}

/** Running clusters by server address. */
const running = new Map<string, Cluster.K3sCluster>()

/**
 * Creates a driver with its own settings and its own network.
 *
 * **Limits** the network exists while one of its clusters does; fleets of the same driver share it. With the harness's
 * image a cluster is ready in about 4 s and takes about 350 MB; real k3s takes 15 to 30 s and about 1 GB.
 *
 * **Example**
 *
 * ```ts
 * const driver = K3s.make({ image: "rancher/k3s:v1.35.1-k3s1" })
 * const fleet = yield* Fleet.make({ driver, parent: "hub", children: ["eu"] })
 * ```
 */
export const make = (settings: K3sSettings = {}): K3sDriver => {
  const network = Network.make()
  return {
    name: NAME,
    available: Effect.flatMap(
      Packages.remedy,
      Option.match({ onNone: () => available(settings), onSome: (remedy) => Effect.succeed(missing(remedy)) })
    ),
    start: (options) =>
      start(settings, network, options).pipe(
        Effect.mapError((reason) => new HarnessError({ cluster: options.name, reason })),
        inRealTime,
        Effect.withSpan("K3s.start", { attributes: { cluster: options.name } })
      )
  }
}

/** The driver with default settings. */
export const driver: K3sDriver = make()

/**
 * Returns the properties that only this driver's clusters have: the address on the network, and `exec`.
 *
 * **Errors** `InvalidFleet` if the cluster is not a running cluster of this driver.
 */
export const inside = (
  cluster: Pick<RunningCluster, "name" | "server">
): Effect.Effect<Cluster.K3sCluster, HarnessError> =>
  Effect.suspend(() => {
    const known = running.get(cluster.server)
    if (known !== undefined) return Effect.succeed(known)
    const problem = `${cluster.name} is not a running cluster of the ${NAME} driver`
    return Effect.fail(new HarnessError({ cluster: cluster.name, reason: new InvalidFleet({ problem }) }))
  })

/** The part of a fleet's cluster that a kubeconfig needs. */
type ClusterOfFleet = Pick<RunningCluster, "name" | "server"> & {
  readonly context: (user: string) => Effect.Effect<Kubeconfig.KubeconfigContext, HarnessError>
}

/**
 * Prints a kubeconfig for programs on the clusters' network, with the addresses on that network.
 *
 * **Errors** `InvalidFleet` if a cluster does not run or another driver started it, or if the fleet was started without
 * `user` (default: the administrator).
 *
 * **Example**
 *
 * ```ts
 * const kubeconfig = yield* K3s.aliasedKubeconfig(fleet.clusters)
 * ```
 */
export const aliasedKubeconfig = Effect.fnUntraced(function* (
  clusters: ReadonlyArray<ClusterOfFleet>,
  user: string = ADMIN.name
): Effect.fn.Return<string, HarnessError> {
  const contexts = yield* Effect.forEach(clusters, (cluster) =>
    Effect.gen(function* () {
      const { internalServer } = yield* inside(cluster)
      return { ...(yield* cluster.context(user)), server: internalServer }
    })
  )
  return Kubeconfig.print(contexts)
})

const start = Effect.fnUntraced(function* (
  settings: K3sSettings,
  network: Network.SharedNetwork,
  options: ClusterOptions
) {
  if (options.from !== undefined) return yield* new NotSupported({ driver: NAME, what: "starting from saved objects" })
  const admin = options.users.find((user) => user.groups.includes("system:masters"))
  if (admin === undefined) return yield* new InvalidFleet({ problem: "no user is in the group system:masters" })
  const packages = yield* Packages.remedy
  if (Option.isSome(packages)) return yield* new DriverUnavailable({ driver: NAME, remedy: packages.value })
  const unavailable = (error: EngineError) => new DriverUnavailable({ driver: NAME, remedy: remedyFor(error) })
  const engine = yield* Effect.mapError(Containers.info, unavailable)
  const choice = yield* Effect.mapError(choose({ image: settings.image, version: options.version }), unavailable)
  if (choice._tag === "Absent") return yield* new DriverUnavailable({ driver: NAME, remedy: choice.remedy })
  const { image } = choice

  yield* Effect.mapError(swept, (cause) => new MachineRefused({ action: "sweep the containers of dead runs", cause }))
  const place = yield* Effect.mapError(
    network.join(options.name),
    (cause) => new MachineRefused({ action: "create the clusters' network", cause })
  )
  const dockerHost = yield* attempt("find the Docker host", async () => {
    const { info } = await Packages.engine()
    return info.containerRuntime.host
  })
  const local = dockerHost === "localhost" || (yield* isOwnAddress(dockerHost))
  const cluster = yield* Cluster.start({
    name: options.name,
    users: options.users,
    admin,
    image,
    place,
    host: local ? "127.0.0.1" : dockerHost,
    hostIp: local ? "127.0.0.1" : undefined,
    hostAddress: local ? place.gateway : undefined,
    controllers: options.controllers === true,
    privileged: settings.privileged ?? !image.shaped,
    cgroupns: settings.cgroupns ?? (image.shaped ? undefined : "host"),
    startWithinMs: settings.startWithinMs ?? START_WITHIN_MS,
    command: commandLine(settings, {
      alias: place.alias,
      dockerHost,
      allowsCgroupV1: needsCgroupV1(image, engine.CgroupVersion),
      controllers: options.controllers === true
    })
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => running.set(cluster.server, cluster)),
    () => Effect.sync(() => running.delete(cluster.server))
  )
  return cluster
})

/**
 * Returns whether an address belongs to this machine. If this process runs in a container that shares the engine's
 * network, the Docker host is the address of the engine's bridge.
 */
const isOwnAddress = (host: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    // Checked by binding, because a bridge without a running container is missing from the list of interfaces.
    const socket = createSocket(isIP(host) === 6 ? "udp6" : "udp4")
    const end = (own: boolean) => {
      socket.close()
      resume(Effect.succeed(own))
    }
    socket.once("error", () => end(false))
    socket.bind({ address: host, port: 0, exclusive: true }, () => end(true))
  })

/** From 1.35 on, a kubelet refuses cgroup v1 unless configured otherwise. **Source** KEP-5573. */
const needsCgroupV1 = (image: Image, cgroupVersion: string | undefined): boolean =>
  cgroupVersion === "1" && Option.match(image.release, { onNone: () => true, onSome: ({ minor }) => minor >= 35 })

/**
 * Controllers that always run. Without them namespaces and dependents would not be deleted, pods could not be created,
 * and real k3s would wait forever for its node. Other controllers stay off, so that objects stay as a test writes them.
 */
const ESSENTIAL_CONTROLLERS = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "serviceaccount-token-controller",
  "clusterrole-aggregation-controller",
  "node-ipam-controller"
]

const commandLine = (
  settings: K3sSettings,
  start: {
    readonly alias: string
    readonly dockerHost: string
    readonly allowsCgroupV1: boolean
    readonly controllers: boolean
  }
): ReadonlyArray<string> => [
  "server",
  `--disable=traefik,servicelb,metrics-server,local-storage${settings.dns === true ? "" : ",coredns"}`,
  "--disable-network-policy",
  "--disable-helm-controller",
  `--node-name=${start.alias}`,
  // testcontainers adds the alias, and k3s the loopback address.
  ...(start.dockerHost === "localhost" ? [] : [`--tls-san=${start.dockerHost}`]),
  `--kube-apiserver-arg=token-auth-file=${TOKENS_PATH}`,
  ...(start.controllers
    ? []
    : ["--disable-scheduler", `--kube-controller-manager-arg=controllers=${ESSENTIAL_CONTROLLERS.join(",")}`]),
  ...(start.allowsCgroupV1 ? ["--kubelet-arg=fail-cgroupv1=false"] : []),
  ...(settings.args ?? [])
]
