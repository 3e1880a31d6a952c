/**
 * Many Kubernetes clusters as one.
 *
 * {@link ClusterRegistry} says which clusters there are and {@link KubeApi} speaks to each. {@link ClusterCache} follows
 * them all: a {@link Follower} per kind turns watch events by {@link Projection} into records of a {@link ClusterStore},
 * and a {@link Heartbeat} works its {@link Breaker}. {@link ClusterReader} reads one cluster, cached or live;
 * {@link FanOut} asks many and gives each answer its {@link Coverage}; {@link Workloads}, {@link Namespaces} and
 * {@link Clusters} merge the answers into pages.
 */
export * as Breaker from "./kube/Breaker.ts"
export * as Cluster from "./registry/Cluster.ts"
export * as ClusterCache from "./cache/ClusterCache.ts"
export * as ClusterError from "./kube/ClusterError.ts"
export * as ClusterReader from "./cache/ClusterReader.ts"
export * as ClusterRegistry from "./registry/ClusterRegistry.ts"
export * as ClusterStore from "./cache/ClusterStore.ts"
export * as Clusters from "./list/Clusters.ts"
export * as Coverage from "./kube/Coverage.ts"
export * as Credentials from "./kube/credential/Credentials.ts"
export * as Cursor from "./list/Cursor.ts"
export * as FanOut from "./list/FanOut.ts"
export * as Follower from "./cache/Follower.ts"
export * as Heartbeat from "./cache/Heartbeat.ts"
export * as InCluster from "./registry/InCluster.ts"
export * as Kind from "./projection/Kind.ts"
export * as KindTable from "./cache/KindTable.ts"
export * as KubeApi from "./kube/KubeApi.ts"
export * as KubeObject from "./kube/KubeObject.ts"
export * as Kubeconfig from "./registry/Kubeconfig.ts"
export * as KubeconfigRegistry from "./registry/KubeconfigRegistry.ts"
export * as LabelProof from "./cache/LabelProof.ts"
export * as LabelSelector from "./list/LabelSelector.ts"
export * as ListError from "./list/ListError.ts"
export * as ListQuery from "./list/ListQuery.ts"
export * as LiveLists from "./cache/LiveLists.ts"
export * as MergedList from "./list/MergedList.ts"
export * as Namespaces from "./list/Namespaces.ts"
export * as Owner from "./projection/Owner.ts"
export * as Page from "./list/Page.ts"
export * as PodContainers from "./projection/PodContainers.ts"
export * as PodProjection from "./projection/PodProjection.ts"
export * as Projection from "./projection/Projection.ts"
export * as Quantity from "./projection/Quantity.ts"
export * as RegistryError from "./registry/RegistryError.ts"
export * as RegistrySnapshot from "./registry/RegistrySnapshot.ts"
export * as Row from "./projection/Row.ts"
export * as RowOrder from "./list/RowOrder.ts"
export * as Transport from "./kube/Transport.ts"
export * as Workloads from "./list/Workloads.ts"
