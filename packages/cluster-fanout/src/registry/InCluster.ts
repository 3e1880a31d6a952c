/**
 * Registers the cluster that the service's own pod runs in.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Config, Effect, FileSystem, Layer, Option } from "effect"
import { isIPv6 } from "node:net"
import { join } from "node:path"
import type { Cluster, Connection } from "./Cluster.ts"
import { ClusterRegistry, NotInCluster, RegistryError } from "./ClusterRegistry.ts"
import { generationOf } from "./ConnectionDigest.ts"
import * as registryFeed from "./RegistryFeed.ts"

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"

/**
 * Options of the pod's own cluster. `name` defaults to `parent`; `directory` is the mount path of the service account.
 */
export interface InClusterOptions {
  readonly name?: ClusterName.ClusterName
  readonly directory?: string
}

const Address = Config.all({
  host: Config.NonEmptyString("KUBERNETES_SERVICE_HOST"),
  port: Config.Port("KUBERNETES_SERVICE_PORT")
})

/**
 * Describes the pod's own cluster. The mounted token and certificate authority are read again when they rotate.
 *
 * **Errors** `NotInCluster`. **Source** Kubernetes, "Accessing the Kubernetes API from a Pod".
 */
export const cluster = Effect.fn("InCluster.cluster")(function* (options: InClusterOptions = {}) {
  const files = yield* FileSystem.FileSystem
  const directory = options.directory ?? SERVICE_ACCOUNT
  const { host, port } = yield* Address.pipe(
    Effect.mapError(() => absent("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"))
  )
  const token = join(directory, "token")
  const authority = join(directory, "ca.crt")
  for (const path of [token, authority]) {
    yield* files.access(path, { readable: true }).pipe(Effect.mapError(() => absent(`${path} cannot be read`)))
  }
  const connection: Connection = {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    certificateAuthority: { _tag: "File", path: authority },
    insecureSkipTlsVerify: false,
    credential: { _tag: "TokenFile", path: token }
  }
  const found: Cluster = {
    name: options.name ?? ClusterName.ClusterName.make("parent"),
    role: "parent",
    labels: {},
    origin: "inCluster",
    connection,
    generation: generationOf(connection)
  }
  return found
})

/** Returns the namespace of the pod's service account; `None` if there is no such file. */
export const namespace = Effect.fn("InCluster.namespace")(function* ({
  directory = SERVICE_ACCOUNT
}: Pick<InClusterOptions, "directory"> = {}) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.option(files.readFileString(join(directory, "namespace")))
  return text.pipe(
    Option.map((name) => name.trim()),
    Option.filter((name) => name !== "")
  )
})

const absent = (problem: string): RegistryError => new RegistryError({ reason: new NotInCluster({ problem }) })

/**
 * Provides a registry with only the pod's own cluster.
 *
 * **Errors** `RegistryError` with reason `NotInCluster`.
 */
export const layer = (options: InClusterOptions = {}) =>
  Layer.effect(
    ClusterRegistry,
    Effect.gen(function* () {
      const podCluster = yield* cluster(options)
      const { registry } = yield* registryFeed.make({ parent: podCluster.name, clusters: [podCluster], problems: [] })
      return registry
    })
  )
