/**
 * The clusters to register at startup: from the pod, kubeconfig files or the environment.
 */
import { Kubeconfig } from "@quarterdeck/cluster-fanout"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, FileSystem, Path, Schema } from "effect"
import type { Settings } from "./Settings.ts"
import { Surroundings } from "./Surroundings.ts"

/**
 * The sources of clusters.
 *
 * **Shape** `inCluster` adds the pod's own cluster under the name `parent`. `kubeconfig` lists absolute paths in order of
 * precedence; each context is one cluster. `parent` names the parent cluster; `undefined` means the current context.
 */
export interface ClusterSources {
  readonly inCluster: boolean
  readonly kubeconfig: ReadonlyArray<string>
  readonly parent: ClusterName | undefined
}

/** The name of a pod's own cluster. */
export const OWN_CLUSTER = ClusterName.make("parent")

/** Mount path of a pod's service account. **Source** Kubernetes, "Accessing the Kubernetes API from a Pod". */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"

/** The server found no cluster, or `clusters.kubeconfig` names a file that does not exist. */
export class NoClusters extends Schema.TaggedError<NoClusters>()("NoClusters", {
  /** The missing file that the setting names. Absent if the setting is not set. */
  missing: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.missing === undefined
      ? "no cluster: not in a pod, KUBECONFIG names no file that exists, and there is no ~/.kube/config; set clusters.kubeconfig"
      : `clusters.kubeconfig: ${this.missing} does not exist`
  }
}

/**
 * Resolves the sources. The first that applies wins: `clusters.kubeconfig`, the pod's own cluster, `KUBECONFIG`,
 * `~/.kube/config`. A pod's own cluster is always included, and is the parent unless `clusters.parent` names another.
 *
 * **Shape** like kubectl, skips files in `KUBECONFIG` that do not exist. Files in `clusters.kubeconfig` must exist.
 * `directory` is the mount path of the service account.
 *
 * **Errors** `NoClusters`. **Limits** checks that files exist, and reads none of them.
 */
export const resolve = Effect.fn("ClusterSources.resolve")(function* (
  clusters: Settings["clusters"],
  { directory = SERVICE_ACCOUNT }: { readonly directory?: string } = {}
) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { home, variables } = yield* Surroundings
  const exists = (path: string) => files.exists(path).pipe(Effect.orElseSucceed(() => false))

  const inCluster =
    variables["KUBERNETES_SERVICE_HOST"] !== undefined && (yield* exists(paths.join(directory, "token")))
  const parent = clusters.parent ?? (inCluster ? OWN_CLUSTER : undefined)

  if (clusters.kubeconfig.length > 0) {
    const kubeconfig = clusters.kubeconfig.map((path) => paths.resolve(path))
    for (const path of kubeconfig) {
      if (!(yield* exists(path))) return yield* new NoClusters({ missing: path })
    }
    return { inCluster, kubeconfig, parent } satisfies ClusterSources
  }
  if (inCluster) return { inCluster, kubeconfig: [], parent } satisfies ClusterSources

  const named = Kubeconfig.splitPathList(variables["KUBECONFIG"] ?? "")
  const candidates = named.length > 0 ? named : [paths.join(home, ".kube", "config")]
  const kubeconfig = yield* Effect.filter(
    candidates.map((path) => paths.resolve(path)),
    exists
  )
  if (kubeconfig.length === 0) return yield* new NoClusters({})
  return { inCluster, kubeconfig, parent } satisfies ClusterSources
})
