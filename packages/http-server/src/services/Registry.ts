/**
 * The registry of configured clusters: the host's, else the one from the settings.
 */
import { InCluster, RegistrySnapshot } from "@quarterdeck/cluster-fanout"
import * as KubeconfigRegistry from "@quarterdeck/cluster-fanout/registry/KubeconfigRegistry"
import { ClusterRegistry, type RegistryError } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Effect, type FileSystem, Layer, Option, type Path } from "effect"
import * as HostPort from "./HostPort.ts"
import type { Ports } from "../settings/Ports.ts"
import type { Settings } from "../settings/Settings.ts"
import * as ClusterSources from "../settings/ClusterSources.ts"
import { Surroundings } from "../settings/Surroundings.ts"

/**
 * Provides the host's clusters. **Errors** `PortUnusable`, also if the first snapshot violates the rules of
 * `RegistrySnapshot`.
 */
const layerOfHost = (given: NonNullable<Ports["clusterRegistry"]>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const fault = RegistrySnapshot.faultOf(yield* (yield* ClusterRegistry).snapshot)
      if (fault === undefined) return
      return yield* new HostPort.PortUnusable({ port: "clusterRegistry", cause: new Error(fault) })
    })
  ).pipe(Layer.provideMerge(HostPort.layer("clusterRegistry", ClusterRegistry, given)))

/** Provides the clusters of the kubeconfig files, and in a pod its own cluster first. */
const layerOfSettings = (settings: Settings["clusters"]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { inCluster, kubeconfig, parent } = yield* ClusterSources.resolve(settings)
      if (inCluster) yield* announceAccount
      if (inCluster && kubeconfig.length === 0) return InCluster.layer()
      return KubeconfigRegistry.layer({
        files: kubeconfig,
        names: settings.names,
        variables: (yield* Surroundings).variables,
        ...(parent === undefined ? {} : { parent }),
        ...(inCluster ? { own: yield* InCluster.cluster() } : {})
      })
    })
  )

/** Logs the namespace of the service account that gives access to the pod's own cluster. */
const announceAccount = Effect.flatMap(
  InCluster.namespace(),
  Option.match({
    onNone: () => Effect.void,
    onSome: (namespace) => Effect.logInfo(`in a pod, with a service account of namespace ${namespace}`)
  })
)

/** Provides the clusters. **Errors** `NoClusters`, `RegistryError`, `PortUnusable`. */
export const layer = (
  { clusters }: Pick<Settings, "clusters">,
  { clusterRegistry }: Ports
): Layer.Layer<
  ClusterRegistry,
  ClusterSources.NoClusters | RegistryError | HostPort.PortUnusable,
  FileSystem.FileSystem | Path.Path | Surroundings
> => (clusterRegistry === undefined ? layerOfSettings(clusters) : layerOfHost(clusterRegistry))

/** Maximum cluster names in one log line. */
const NAMES_TOLD = 10

/** Logs the clusters at startup. */
export const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { clusters, parent } = yield* (yield* ClusterRegistry).snapshot
    const children = clusters.map(({ name }) => name).filter((name) => name !== parent)
    const told = children.slice(0, NAMES_TOLD).join(", ") + (children.length > NAMES_TOLD ? " …" : "")
    const others = children.length === 0 ? "no children" : `${children.length} children: ${told}`
    yield* Effect.logInfo(`parent cluster ${parent}, ${others}`)
  })
)
