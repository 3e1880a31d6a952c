/**
 * The registry of clusters that the settings ask for.
 */
import { InCluster } from "@quarterdeck/cluster-fanout"
import * as KubeconfigRegistry from "@quarterdeck/cluster-fanout/registry/KubeconfigRegistry"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as ClusterSources from "../settings/ClusterSources.ts"

/**
 * Provides the clusters of the kubeconfig files, and in a pod its own cluster before them.
 *
 * **Errors** `NoClusters`, `RegistryError`.
 */
export const layer = (settings: Settings["clusters"]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { inCluster, kubeconfig, parent } = yield* ClusterSources.resolve(settings)
      if (inCluster && kubeconfig.length === 0) return InCluster.layer()
      return KubeconfigRegistry.layer({
        files: kubeconfig,
        names: settings.names,
        ...(parent === undefined ? {} : { parent }),
        ...(inCluster ? { own: yield* InCluster.cluster() } : {})
      })
    })
  )

/** As many names as a line of a log holds. */
const NAMES_TOLD = 10

/** Logs which clusters the service begins with. */
export const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { clusters, parent } = yield* (yield* ClusterRegistry).snapshot
    const children = clusters.map(({ name }) => name).filter((name) => name !== parent)
    const told = children.slice(0, NAMES_TOLD).join(", ") + (children.length > NAMES_TOLD ? " …" : "")
    const others = children.length === 0 ? "no children" : `${children.length} children: ${told}`
    yield* Effect.logInfo(`parent cluster ${parent}, ${others}`)
  })
)
