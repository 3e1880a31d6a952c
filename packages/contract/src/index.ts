/**
 * The HTTP contract of Quarterdeck, for servers, clients and pages.
 *
 * @since 0.1.0
 */
export * as Api from "./Api.ts"
export * as ApiKeysGroup from "./ApiKeysGroup.ts"
export * as Authorization from "./Authorization.ts"
export * as ClustersGroup from "./ClustersGroup.ts"
export * as CostGroup from "./CostGroup.ts"
export * as Envelope from "./Envelope.ts"
export * as FileReply from "./FileReply.ts"
export * as HealthGroup from "./HealthGroup.ts"
export * as ListParameters from "./ListParameters.ts"
export * as NamespacesGroup from "./NamespacesGroup.ts"
export * as Policy from "./Policy.ts"
export * as PricesGroup from "./PricesGroup.ts"
export * as Problem from "./Problem.ts"
export * as RangeParameters from "./RangeParameters.ts"
export * as TargetHeader from "./TargetHeader.ts"
export * as WhoamiGroup from "./WhoamiGroup.ts"
export * as WorkloadsGroup from "./WorkloadsGroup.ts"
