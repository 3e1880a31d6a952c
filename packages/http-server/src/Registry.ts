/**
 * The registry of clusters that the settings ask for.
 *
 * @since 0.1.0
 */
import * as InCluster from "@quarterdeck/cluster-fanout/registry/InCluster"
import * as KubeconfigRegistry from "@quarterdeck/cluster-fanout/registry/KubeconfigRegistry"
import { Effect, Layer } from "effect"
import type { Settings } from "./Settings.ts"
import * as ClusterSources from "./settings/ClusterSources.ts"

/**
 * Provides the clusters of the kubeconfig files, and in a pod its own cluster before them.
 *
 * **Errors** `NoClusters`, `RegistryError`.
 *
 * @since 0.1.0
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
