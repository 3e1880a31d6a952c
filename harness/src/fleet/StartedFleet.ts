/** A running fleet for code without Effect: the same operations, with promises. */
import { Effect, Redacted, Scope } from "effect"
import type { Fault } from "../faults/Fault.ts"
import { type StartedFault, started } from "../faults/Faults.ts"
import type { FleetCluster } from "./FleetCluster.ts"
import type { RunningFleet } from "./RunningFleet.ts"
import * as Seed from "../simulation/seed/Seed.ts"
import type { KubeList, KubeObject, ObjectRef } from "../client/KubeObject.ts"
import type { ListOptions, PatchType } from "../client/ClusterApi.ts"

export interface StartedCluster {
  readonly name: string
  readonly role: FleetCluster["role"]
  readonly server: string
  readonly caPem: string
  readonly kubeconfig: string
  /** Returns the bearer token of a user, in plain text. */
  readonly token: (user: string) => string
  readonly create: (object: KubeObject) => Promise<KubeObject>
  readonly get: (ref: ObjectRef) => Promise<KubeObject>
  readonly list: (options: ListOptions) => Promise<KubeList>
  readonly patch: (
    ref: ObjectRef,
    patch: unknown,
    options?: { readonly type?: PatchType; readonly subresource?: string }
  ) => Promise<KubeObject>
  readonly apply: (object: KubeObject) => Promise<KubeObject>
  readonly delete: (ref: ObjectRef) => Promise<void>
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  readonly restartEmpty: () => Promise<void>
  readonly expireHistory: () => Promise<void>
  readonly checkpoint: () => Promise<void>
  readonly reset: () => Promise<void>
  /** Injects a fault until it is healed or disposed. */
  readonly inject: (fault: Fault) => Promise<StartedFault>
  readonly logs: () => Promise<string>
}

/**
 * A fleet that stops when it is disposed. The compiler accepts only the cluster names in `Name`.
 *
 * **Errors** every promise rejects with the error of the effect of the same name; `cluster`, `token` and
 * `kubeconfigFor` throw it.
 */
export interface StartedFleet<Name extends string = string> extends AsyncDisposable {
  readonly parent: StartedCluster
  readonly children: ReadonlyArray<StartedCluster>
  readonly clusters: ReadonlyArray<StartedCluster>
  cluster(this: void, name: Name): StartedCluster
  readonly kubeconfig: string
  readonly kubeconfigFor: (user: string) => string
  readonly checkpoint: () => Promise<void>
  readonly reset: () => Promise<void>
  readonly save: (directory: string) => Promise<void>
  /** Fills every cluster with the workloads of an online shop. See {@link Seed}. */
  readonly seed: (options?: Seed.SeedOptions) => Promise<ReadonlyArray<Seed.ClusterPlan>>
  /** The same fleet with effects. */
  readonly fleet: RunningFleet
}

/** Wraps a fleet. `dispose` stops it. */
export const startedFrom = <Name extends string>(
  fleet: RunningFleet,
  dispose: () => Promise<void>
): StartedFleet<Name> => {
  const wrapped = new Map(fleet.clusters.map((cluster) => [cluster, clusterFrom(cluster)]))
  const of = (cluster: FleetCluster): StartedCluster => wrapped.get(cluster) ?? clusterFrom(cluster)
  return {
    parent: of(fleet.parent),
    children: fleet.children.map(of),
    clusters: fleet.clusters.map(of),
    cluster: (name) => of(Effect.runSync(fleet.cluster(name))),
    kubeconfig: fleet.kubeconfig,
    kubeconfigFor: (user) => Effect.runSync(fleet.kubeconfigFor(user)),
    checkpoint: () => Effect.runPromise(fleet.checkpoint),
    reset: () => Effect.runPromise(fleet.reset),
    save: (directory) => Effect.runPromise(fleet.save(directory)),
    seed: (options) => Effect.runPromise(Seed.fill(fleet, options)),
    fleet,
    [Symbol.asyncDispose]: dispose
  }
}

const clusterFrom = (cluster: FleetCluster): StartedCluster => {
  const { api, name, role, server, caPem, kubeconfig } = cluster
  return {
    name,
    role,
    server,
    caPem,
    kubeconfig,
    token: (user) => Redacted.value(Effect.runSync(cluster.token(user))),
    create: (object) => Effect.runPromise(api.create(object)),
    get: (ref) => Effect.runPromise(api.get(ref)),
    list: (options) => Effect.runPromise(api.list(options)),
    patch: (ref, patch, options) => Effect.runPromise(api.patch(ref, patch, options)),
    apply: (object) => Effect.runPromise(api.apply(object)),
    delete: (ref) => Effect.runPromise(api.delete(ref)),
    kill: () => Effect.runPromise(cluster.kill),
    restart: () => Effect.runPromise(cluster.restart),
    restartEmpty: () => Effect.runPromise(cluster.restartEmpty),
    expireHistory: () => Effect.runPromise(cluster.expireHistory),
    checkpoint: () => Effect.runPromise(cluster.checkpoint),
    reset: () => Effect.runPromise(cluster.reset),
    inject: (fault) => Effect.runPromise(started(Scope.makeUnsafe(), fault, cluster.inject(fault))),
    logs: () => Effect.runPromise(cluster.logs)
  }
}
