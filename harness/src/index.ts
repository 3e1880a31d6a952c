/**
 * Several Kubernetes clusters as one value, for tests.
 *
 * A {@link Fleet} is a parent and its children, run by a {@link ClusterDriver}: {@link Embedded} in this process, or
 * {@link ControlPlane} with the real programs. {@link Seed} fills it with believable workloads, {@link Proxy} watches and
 * cuts connections, {@link eventually} waits. {@link Drivers} decides which drivers a test run uses.
 *
 * @since 0.1.0
 */
export * as ApiError from "./ApiError.ts"
export * as ClusterApi from "./ClusterApi.ts"
export * as ClusterDriver from "./ClusterDriver.ts"
export * as Drivers from "./Drivers.ts"
export * as ControlPlane from "./drivers/ControlPlane.ts"
export * as Embedded from "./drivers/Embedded.ts"
export * from "./Eventually.ts"
export * from "./Fleet.ts"
export * as FleetCluster from "./FleetCluster.ts"
export * as HarnessError from "./HarnessError.ts"
export * as Kubeconfig from "./Kubeconfig.ts"
export * as KubeObject from "./KubeObject.ts"
export * as Proxy from "./Proxy.ts"
export * as RunningFleet from "./RunningFleet.ts"
export * as Seed from "./Seed.ts"
export * as StartedFleet from "./StartedFleet.ts"
