/**
 * Several Kubernetes clusters as one value, for tests.
 *
 * A {@link Fleet} is a parent and its children, run by a {@link ClusterDriver}: {@link Embedded} in this process,
 * {@link ControlPlane} with the real programs, k3s in containers by `@quarterdeck/harness/k3s`, or {@link Existing} ones.
 * {@link Seed} fills it with believable workloads, {@link Manifests} with one's own, {@link FakeKubelet} brings pods to
 * life and {@link Usage} makes them use something. {@link Fault} names what can go wrong with a cluster while it runs,
 * {@link Proxy} counts and cuts connections, {@link eventually} waits. {@link Drivers} decides which drivers a test run
 * uses.
 *
 * @since 0.1.0
 */
export * as ApiError from "./ApiError.ts"
export * as ClusterApi from "./ClusterApi.ts"
export * as ClusterDriver from "./ClusterDriver.ts"
export * as Drivers from "./Drivers.ts"
export * as ControlPlane from "./drivers/ControlPlane.ts"
export * as Embedded from "./drivers/Embedded.ts"
export * as Existing from "./drivers/Existing.ts"
export * from "./Eventually.ts"
export * as FakeKubelet from "./FakeKubelet.ts"
export * as Fault from "./faults/Fault.ts"
export * as Faults from "./Faults.ts"
export * from "./Fleet.ts"
export * as FleetCluster from "./FleetCluster.ts"
export * as HarnessError from "./HarnessError.ts"
export * as Kubeconfig from "./Kubeconfig.ts"
export * as KubeObject from "./KubeObject.ts"
export * as Manifests from "./Manifests.ts"
export * as Proxy from "./Proxy.ts"
export * as RunningFleet from "./RunningFleet.ts"
export * as Seed from "./Seed.ts"
export * as StartedFleet from "./StartedFleet.ts"
export * as ApiReset from "./state/ApiReset.ts"
export * as Usage from "./Usage.ts"
export * as UserAccess from "./UserAccess.ts"
