/**
 * Many Kubernetes clusters as one.
 *
 * @since 0.1.0
 */
export * as Cluster from "./Cluster.ts"
export * as ClusterError from "./ClusterError.ts"
export * as ClusterRegistry from "./ClusterRegistry.ts"
export * as Coverage from "./Coverage.ts"
export * as KubeApi from "./KubeApi.ts"
export * as ListQuery from "./ListQuery.ts"
export * as Row from "./Row.ts"
