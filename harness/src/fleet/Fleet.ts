/** Several Kubernetes clusters as one value: a parent and its children, started and stopped together. */
import { Context, Effect, Layer, ManagedRuntime, Predicate, Scope } from "effect"
import { type ClusterDriver, ADMIN } from "../drivers/ClusterDriver.ts"
import * as FakeKubelet from "../simulation/kubelet/FakeKubelet.ts"
import { type FleetCluster, type FleetUser, makeCluster } from "./FleetCluster.ts"
import * as FleetSnapshot from "./FleetSnapshot.ts"
import { HarnessError, InvalidFleet, SetupFailed } from "../machine/HarnessError.ts"
import * as Kubeconfig from "../client/Kubeconfig.ts"
import * as Manifests from "./Manifests.ts"
import { byName, type RunningFleet } from "./RunningFleet.ts"
import { type StartedFleet, startedFrom } from "./StartedFleet.ts"
import { grant } from "../client/UserAccess.ts"

export interface FleetOptions {
  readonly driver: ClusterDriver
  /** The name of the parent cluster. */
  readonly parent: string
  /** The names of the children (default none). */
  readonly children?: ReadonlyArray<string>
  /**
   * Users in addition to the administrator `admin`. They can authenticate to every cluster and have the permissions of
   * their rules or RBAC objects.
   */
  readonly users?: ReadonlyArray<FleetUser>
  /** Runs controllers and a scheduler, if the driver has them (default false). */
  readonly controllers?: boolean
  /**
   * Kubernetes release, such as `1.33` or `v1.33.2`: one for all clusters, or one per cluster name. Not every driver
   * supports several releases (default: the driver's own).
   */
  readonly version?: string | Readonly<Record<string, string>>
  /** Manifests to apply to every cluster at its start: files and directories, YAML or JSON. See {@link Manifests}. */
  readonly manifests?: ReadonlyArray<string>
  /** Simulates kubelets for nodes and pods (default false). See {@link FakeKubelet}. */
  readonly kubelet?: boolean | FakeKubelet.FakeKubeletOptions
  /** Routes every client through a proxy that can inject faults (default false). See {@link Faults}. */
  readonly faults?: boolean
  /** Directory of a fleet with the same cluster names, written by `save`. The clusters start with its content. */
  readonly from?: string
}

/** Options whose cluster names the compiler knows. */
export interface NamedFleetOptions<Parent extends string, Child extends string> extends Omit<
  FleetOptions,
  "parent" | "children"
> {
  readonly parent: Parent
  readonly children?: ReadonlyArray<Child>
}

/** Names appear in files and command lines: printable ASCII without spaces, at most 253 characters. */
const NAME = /^[\x21-\x7e]{1,253}$/

/**
 * The clusters of a test.
 *
 * **Example**
 *
 * ```ts
 * const fleet = yield* Fleet.make({ driver: ControlPlane.driver, parent: "hub", children: ["eu", "us"] })
 * const eu = yield* fleet.cluster("eu")
 * yield* eu.kill
 * ```
 */
export class Fleet extends Context.Service<Fleet, RunningFleet>()("@quarterdeck/harness/Fleet") {
  /**
   * Starts a fleet. Closing the scope stops it.
   *
   * **Errors** those of the first cluster that fails to start. The other clusters are then stopped.
   *
   * **Limits** all clusters start at the same time.
   */
  static readonly make = Effect.fn("Fleet.make")(function* (
    options: FleetOptions
  ): Effect.fn.Return<Fleet["Service"], HarnessError, Scope.Scope> {
    yield* checkDriver(options)
    const children = options.children ?? []
    const users = options.users ?? []
    yield* checkNames("cluster", [options.parent, ...children])
    yield* checkNames(
      "user",
      [ADMIN, ...users].map(({ name }) => name)
    )

    // A cluster takes about a second to stop, so the clusters stop in parallel. The finalizers of one cluster run in
    // sequence.
    const all = yield* Effect.acquireRelease(Scope.make("parallel"), (scope, exit) => Scope.close(scope, exit))
    const names = [options.parent, ...children] as const
    yield* checkVersions(options.version, names)
    const saved =
      options.from === undefined
        ? new Map<string, string>()
        : yield* FleetSnapshot.open(options.from, { driver: options.driver.name, clusters: names })
    const start = Effect.fnUntraced(function* (name: string, role: FleetCluster["role"]) {
      const version = versionOf(options.version, name)
      const from = saved.get(name)
      const cluster = makeCluster(options.driver, {
        name,
        role,
        users,
        controllers: options.controllers ?? false,
        faults: options.faults ?? false,
        ...(version === undefined ? {} : { version }),
        ...(from === undefined ? {} : { from })
      })
      const prepared = Effect.tap(cluster, (running) => prepare(running, options))
      return yield* Scope.provide(prepared, yield* Scope.fork(all, "sequential"))
    })
    const [parent, ...others] = yield* Effect.all(
      [start(options.parent, "parent"), ...children.map((name) => start(name, "child"))],
      { concurrency: "unbounded" }
    ).pipe(Effect.mapError(blameParent(options)))
    const clusters = [parent, ...others]

    const kubeconfigFor = Effect.fnUntraced(function* (user: string) {
      return Kubeconfig.print(yield* Effect.forEach(clusters, (cluster) => cluster.context(user)))
    })
    return Fleet.of({
      parent,
      children: others,
      clusters,
      cluster: byName(clusters),
      kubeconfig: yield* kubeconfigFor(ADMIN.name),
      kubeconfigFor,
      checkpoint: onAll(clusters, (cluster) => cluster.checkpoint),
      reset: onAll(clusters, (cluster) => cluster.reset),
      save: (directory) =>
        FleetSnapshot.write(
          directory,
          { driver: options.driver.name, clusters: names },
          onAll(clusters, (cluster, place) => cluster.save(FleetSnapshot.directoryOf(directory, place)))
        )
    })
  })

  /** A layer that starts a fleet and stops it when the layer is released. */
  static readonly layer = (options: FleetOptions): Layer.Layer<Fleet, HarnessError> =>
    Layer.effect(Fleet, Fleet.make(options))

  /**
   * Starts a fleet for code without Effect. It stops at the end of the block that declares it. Its type knows the
   * cluster names.
   *
   * **Example**
   *
   * ```ts
   * await using fleet = await Fleet.start({ driver: ControlPlane.driver, parent: "hub", children: ["eu"] })
   * await fleet.cluster("eu").kill()
   * ```
   */
  static readonly start = async <const Parent extends string, const Child extends string = never>(
    options: NamedFleetOptions<Parent, Child>
  ): Promise<StartedFleet<Parent | Child>> => {
    const runtime = ManagedRuntime.make(Fleet.layer(options))
    try {
      return startedFrom(await runtime.runPromise(Fleet), () => runtime.dispose())
    } catch (error) {
      await runtime.dispose()
      throw error
    }
  }
}

/** Prepares a new cluster: users' permissions, manifests, kubelets. `reset` restores this state. */
const prepare = Effect.fnUntraced(function* (
  cluster: FleetCluster,
  { controllers = false, kubelet = false, manifests = [], users = [] }: FleetOptions
): Effect.fn.Return<void, HarnessError, Scope.Scope> {
  yield* Effect.forEach(users, (user) =>
    asSetup(cluster, `grant ${user.name} its rules`, grant(cluster.api, user, cluster.granting?.(user.name)))
  )
  if (manifests.length > 0) yield* asSetup(cluster, "apply manifests", Manifests.apply(cluster, manifests))
  if (manifests.length > 0 || users.some(({ rules = [] }) => rules.length > 0)) yield* cluster.checkpoint
  if (kubelet === false) return
  // The fake kubelet schedules pods only if the cluster runs no scheduler.
  const options = { schedule: !controllers, ...(kubelet === true ? {} : kubelet) }
  yield* asSetup(cluster, "start its kubelets", FakeKubelet.start(cluster, options))
})

const asSetup = <A, E, R>(
  { name }: FleetCluster,
  action: string,
  step: Effect.Effect<A, E, R>
): Effect.Effect<A, HarnessError, R> =>
  Effect.mapError(step, (cause) => new HarnessError({ cluster: name, reason: new SetupFailed({ action, cause }) }))

const onAll = (
  clusters: ReadonlyArray<FleetCluster>,
  action: (cluster: FleetCluster, place: number) => Effect.Effect<void, HarnessError>
): Effect.Effect<void, HarnessError> => Effect.forEach(clusters, action, { concurrency: "unbounded", discard: true })

/** Attributes a driver's unavailability to the parent, because it affects every cluster alike. */
const blameParent =
  ({ parent, version }: FleetOptions) =>
  (error: HarnessError): HarnessError =>
    error.reason._tag === "DriverUnavailable" && typeof version !== "object"
      ? new HarnessError({ cluster: parent, reason: error.reason })
      : error

const versionOf = (version: FleetOptions["version"], name: string): string | undefined =>
  typeof version === "object" ? version[name] : version

const checkVersions = Effect.fnUntraced(function* (version: FleetOptions["version"], names: ReadonlyArray<string>) {
  if (typeof version !== "object") return
  const unknown = Object.keys(version).find((name) => !names.includes(name))
  if (unknown !== undefined)
    return yield* refuse(`the option version names ${unknown}, which is not a cluster of the fleet`)
})

/** Fails if the options lack a driver. Callers without type checks may omit it. */
const checkDriver = Effect.fnUntraced(function* (options: unknown) {
  const driver = Predicate.hasProperty(options, "driver") ? options.driver : undefined
  if (Predicate.hasProperty(driver, "start") && typeof driver.start === "function") return
  return yield* refuse(
    "a fleet needs a driver: Embedded.driver, ControlPlane.driver, Existing.make({ … }), or K3s.driver of "
      + "@quarterdeck/harness/k3s"
  )
})

const checkNames = Effect.fnUntraced(function* (what: string, names: ReadonlyArray<string>) {
  for (const [index, name] of names.entries()) {
    if (typeof name !== "string" || !NAME.test(name))
      return yield* refuse(`${what} names are 1 to 253 printable characters without spaces`)
    if (names.indexOf(name) !== index) return yield* refuse(`two ${what}s are named ${name}`)
  }
})

const refuse = (problem: string): Effect.Effect<never, HarnessError> =>
  Effect.fail(new HarnessError({ reason: new InvalidFleet({ problem }) }))
