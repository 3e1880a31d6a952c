/**
 * Decides which clusters and namespaces a request may reach.
 *
 * A request asks for a target by header or body ({@link TargetRequest}, {@link ClusterHeader}). {@link Target.resolve}
 * resolves it once, within the key's scope and the registered clusters. {@link NamespaceFilter} then decides for each
 * row. The package does no I/O.
 */
export * as ClusterHeader from "./ClusterHeader.ts"
export * as ClusterName from "./ClusterName.ts"
export * as HistoryName from "./HistoryName.ts"
export * as NamespaceFilter from "./NamespaceFilter.ts"
export * as SchemaFault from "./SchemaFault.ts"
export * as Target from "./Target.ts"
export * as TargetError from "./TargetError.ts"
export * as TargetRequest from "./TargetRequest.ts"
