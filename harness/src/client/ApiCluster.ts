/** A cluster as those know it who only ask its server. */
import type { ClusterApi } from "./ClusterApi.ts"

export interface ApiCluster {
  readonly name: string
  readonly api: ClusterApi
  /** How the cluster reaches this process's machine, where not as `localhost`. */
  readonly hostAddress?: string
}
