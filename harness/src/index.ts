/**
 * Several Kubernetes clusters as one value, for tests.
 *
 * A {@link Fleet} is a parent and its children, run by a {@link ClusterDriver}: {@link Embedded} in this process,
 * {@link ControlPlane} with the real programs, k3s in containers by `@quarterdeck/harness/k3s`, or {@link Existing} ones.
 * {@link Seed} fills it with believable workloads, {@link Manifests} with one's own, {@link FakeKubelet} brings pods to
 * life and {@link Usage} makes them use something. {@link Fault} names what can go wrong with a cluster while it runs,
 * {@link Proxy} counts and cuts connections, {@link eventually} waits. {@link Drivers} decides which drivers a test run
 * uses.
 */
export * as ApiError from "./client/ApiError.ts"
export * as ClusterApi from "./client/ClusterApi.ts"
export * as ClusterDriver from "./drivers/ClusterDriver.ts"
export * as Drivers from "./drivers/Drivers.ts"
export * as ControlPlane from "./drivers/control-plane/ControlPlane.ts"
export * as Embedded from "./drivers/embedded/Embedded.ts"
export * as Existing from "./drivers/existing/Existing.ts"
export * from "./machine/Eventually.ts"
export * as FakeKubelet from "./simulation/kubelet/FakeKubelet.ts"
export * as Fault from "./faults/Fault.ts"
export * as Faults from "./faults/Faults.ts"
export * from "./fleet/Fleet.ts"
export * as FleetCluster from "./fleet/FleetCluster.ts"
export * as HarnessError from "./machine/HarnessError.ts"
export * as Kubeconfig from "./client/Kubeconfig.ts"
export * as KubeObject from "./client/KubeObject.ts"
export * as Manifests from "./fleet/Manifests.ts"
export * as Proxy from "./fleet/Proxy.ts"
export * as RunningFleet from "./fleet/RunningFleet.ts"
export * as Seed from "./simulation/seed/Seed.ts"
export * as StartedFleet from "./fleet/StartedFleet.ts"
export * as ApiReset from "./state/ApiReset.ts"
export * as Usage from "./simulation/usage/Usage.ts"
export * as UserAccess from "./client/UserAccess.ts"
