/**
 * Many Kubernetes clusters as one.
 *
 * {@link ClusterRegistry} says which clusters there are and {@link KubeApi} speaks to each. {@link ClusterCache} follows
 * them all: a {@link Follower} per kind turns watch events by {@link Projection} into records of a {@link ClusterStore},
 * and a {@link Heartbeat} works its {@link Breaker}. {@link ClusterReader} reads one cluster, cached or live;
 * {@link FanOut} asks many and gives each answer its {@link Coverage}; {@link Workloads}, {@link Namespaces} and
 * {@link Clusters} merge the answers into pages.
 *
 * @since 0.1.0
 */
export * as Breaker from "./Breaker.ts"
export * as Cluster from "./Cluster.ts"
export * as ClusterCache from "./ClusterCache.ts"
export * as ClusterError from "./ClusterError.ts"
export * as ClusterReader from "./ClusterReader.ts"
export * as ClusterRegistry from "./ClusterRegistry.ts"
export * as ClusterStore from "./ClusterStore.ts"
export * as Clusters from "./Clusters.ts"
export * as Coverage from "./Coverage.ts"
export * as Credentials from "./credential/Credentials.ts"
export * as Cursor from "./Cursor.ts"
export * as FanOut from "./FanOut.ts"
export * as Follower from "./Follower.ts"
export * as Heartbeat from "./Heartbeat.ts"
export * as InCluster from "./registry/InCluster.ts"
export * as Kind from "./Kind.ts"
export * as KubeApi from "./KubeApi.ts"
export * as KubeObject from "./KubeObject.ts"
export * as Kubeconfig from "./registry/Kubeconfig.ts"
export * as KubeconfigRegistry from "./registry/KubeconfigRegistry.ts"
export * as LabelProof from "./LabelProof.ts"
export * as LabelSelector from "./LabelSelector.ts"
export * as ListError from "./ListError.ts"
export * as ListQuery from "./ListQuery.ts"
export * as LiveLists from "./LiveLists.ts"
export * as MergedList from "./MergedList.ts"
export * as Namespaces from "./Namespaces.ts"
export * as Owner from "./Owner.ts"
export * as PodContainers from "./PodContainers.ts"
export * as PodProjection from "./PodProjection.ts"
export * as Projection from "./Projection.ts"
export * as Quantity from "./Quantity.ts"
export * as RegistryError from "./registry/RegistryError.ts"
export * as Row from "./Row.ts"
export * as Transport from "./Transport.ts"
export * as Workloads from "./Workloads.ts"
