/**
 * Where the server finds its clusters when it starts.
 */
import { Kubeconfig } from "@quarterdeck/cluster-fanout"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, FileSystem, Path, Schema } from "effect"
import type { Settings } from "./Settings.ts"
import { Surroundings } from "./Surroundings.ts"

/**
 * What to register.
 *
 * **Shape** `inCluster`: the pod's own cluster, under the name `parent`; `kubeconfig`: absolute paths, each context
 * one cluster, in order of preference; `parent` is the name of the parent, `undefined` the current context's.
 */
export interface ClusterSources {
  readonly inCluster: boolean
  readonly kubeconfig: ReadonlyArray<string>
  readonly parent: ClusterName | undefined
}

/** The name of a pod's own cluster. */
export const OWN_CLUSTER = ClusterName.make("parent")

/** Where a pod finds its service account. **Source** Kubernetes, "Accessing the Kubernetes API from a Pod". */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"

/** No cluster can be found, or a kubeconfig that a setting names is not there. */
export class NoClusters extends Schema.TaggedError<NoClusters>()("NoClusters", {
  /** The file that a setting names and that is missing; absent when nothing names one. */
  missing: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.missing === undefined
      ? "no cluster: not in a pod, KUBECONFIG names no file that exists, and there is no ~/.kube/config; set clusters.kubeconfig"
      : `clusters.kubeconfig: ${this.missing} does not exist`
  }
}

/**
 * Decides the sources: what `clusters.kubeconfig` names; else in a pod its own cluster alone; else `KUBECONFIG`, else
 * `~/.kube/config`. In a pod the own cluster is always there, and the parent unless another is named.
 *
 * **Shape** as kubectl does, files of `KUBECONFIG` that do not exist are passed over; one that the setting names must
 * exist. `directory` is where a pod's service account is mounted.
 *
 * **Errors** `NoClusters`. **Limits** looks whether files exist; reads none.
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
