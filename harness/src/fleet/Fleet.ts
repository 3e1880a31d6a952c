/** Several Kubernetes clusters as one value: a parent and its children, started together and gone together. */
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
  /** Users beside the administrator `admin`; they may authenticate everywhere, and do what their rules or RBAC objects allow. */
  readonly users?: ReadonlyArray<FleetUser>
  /** Runs controllers and a scheduler too, where the driver has them (default false). */
  readonly controllers?: boolean
  /**
   * The Kubernetes release, `1.33` or `v1.33.2`, of all clusters or by their names, where the driver has several (default
   * the driver's own).
   */
  readonly version?: string | Readonly<Record<string, string>>
  /** Manifests that every cluster begins with: files and directories, YAML or JSON; see {@link Manifests}. */
  readonly manifests?: ReadonlyArray<string>
  /** Brings nodes and pods to life that have no kubelet (default false); see {@link FakeKubelet}. */
  readonly kubelet?: boolean | FakeKubelet.FakeKubeletOptions
  /** Leads every client through a proxy that can be given faults (default false); see {@link Faults}. */
  readonly faults?: boolean
  /** A directory that `save` of a fleet with these clusters filled: they begin with what it holds. */
  readonly from?: string
}

/** Options whose names of clusters the compiler knows. */
export interface NamedFleetOptions<Parent extends string, Child extends string> extends Omit<
  FleetOptions,
  "parent" | "children"
> {
  readonly parent: Parent
  readonly children?: ReadonlyArray<Child>
}

/** Names of contexts and users go into files and command lines: printable, and short enough to read. */
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
   * Starts a fleet that ends with the scope.
   *
   * **Errors** as soon as one cluster fails; the others are then stopped. **Limits** all clusters start at once.
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

    // A cluster takes about a second to end, so all of them end at once, each in its own order.
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
    ).pipe(Effect.mapError(lackOfAll(options)))
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

  /** Starts a fleet with the layer. */
  static readonly layer = (options: FleetOptions): Layer.Layer<Fleet, HarnessError> =>
    Layer.effect(Fleet, Fleet.make(options))

  /**
   * Starts a fleet for code without Effect; it ends with the block that declares it. Its type knows the clusters' names.
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

/** Gives a cluster what it begins with: rights of users, manifests, a kubelet; `reset` goes back to that. */
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
  // Whoever schedules already, the kubelet must not.
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

/** Names the parent for what the driver lacks for every cluster alike, whichever of them was the first to miss it. */
const lackOfAll =
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
  if (unknown !== undefined) return yield* refuse(`a version is given for ${unknown}, which is no cluster of the fleet`)
})

/** Callers that no compiler has checked may have left it out. */
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
