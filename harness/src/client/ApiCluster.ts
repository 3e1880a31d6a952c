import type { ClusterApi } from "./ClusterApi.ts"

/** The name and API client of a cluster: all that seeding and simulation need of it. */
export interface ApiCluster {
  readonly name: string
  readonly api: ClusterApi
  /** Address by which programs in the cluster reach this machine. Absent if they reach it as `localhost`. */
  readonly hostAddress?: string
}
