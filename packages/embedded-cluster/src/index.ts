/**
 * A Kubernetes API server in TypeScript, for tests.
 *
 * {@link EmbeddedServer} serves the objects of its store over HTTPS or {@link InProcess}. Each request passes
 * {@link Authentication} and {@link Authorization}. The other modules are exported for the test harness.
 */
export * as Authentication from "./access/Authentication.ts"
export * as Authorization from "./access/Authorization.ts"
export * as BuiltinSchemas from "./schemas/BuiltinSchemas.ts"
export * as Discovery from "./discovery/Discovery.ts"
export * as EmbeddedServer from "./serving/EmbeddedServer.ts"
export * as InProcess from "./serving/InProcess.ts"
export * as Json from "./core/Json.ts"
export * as LabelSelector from "./core/LabelSelector.ts"
export * as LogTail from "./core/LogTail.ts"
export * as Machine from "./core/Machine.ts"
export * as Ports from "./serving/Ports.ts"
export * as Quantity from "./core/Quantity.ts"
export * as Registry from "./core/Registry.ts"
export * as RequestInfo from "./core/RequestInfo.ts"
export * as Resources from "./core/Resources.ts"
export * as ServerCertificate from "./serving/ServerCertificate.ts"
export * as Status from "./core/Status.ts"
export * as Watch from "./reads/Watch.ts"
export * as WholeNamespaces from "./controllers/WholeNamespaces.ts"
