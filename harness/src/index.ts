/**
 * Several Kubernetes clusters as one value, for tests.
 *
 * A {@link Fleet} is a parent and its children, run by a {@link ClusterDriver}: {@link Embedded} in this process,
 * {@link ControlPlane} with the real programs, k3s in containers by `@quarterdeck/harness/k3s`, or {@link Existing} ones.
 * {@link Seed} fills it with the workloads of an online shop, {@link Manifests} with your own. {@link FakeKubelet}
 * simulates kubelets, and {@link Usage} the usage of containers. {@link Fault} describes faults of a running cluster.
 * {@link Proxy} counts and resets connections, {@link eventually} waits for a condition. {@link Drivers} selects the
 * drivers of a test run.
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
