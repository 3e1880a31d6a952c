/**
 * Several Kubernetes clusters as one value: a parent and its children, started together and gone together.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, ManagedRuntime, Scope } from "effect"
import type { ClusterDriver } from "./ClusterDriver.ts"
import { ADMIN, type FleetCluster, type FleetUser, makeCluster } from "./FleetCluster.ts"
import { HarnessError, InvalidFleet } from "./HarnessError.ts"
import * as Kubeconfig from "./Kubeconfig.ts"
import type { RunningFleet } from "./RunningFleet.ts"
import { type StartedFleet, startedFrom } from "./StartedFleet.ts"

export interface FleetOptions {
  readonly driver: ClusterDriver
  /** The name of the parent cluster. */
  readonly parent: string
  /** The names of the children (default none). */
  readonly children?: ReadonlyArray<string>
  /** Users beside the administrator `admin`; they may authenticate everywhere and do nothing until RBAC lets them. */
  readonly users?: ReadonlyArray<FleetUser>
  /** Runs the controller manager and the scheduler too, where the driver has them (default false). */
  readonly controllers?: boolean
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
 *
 * @since 0.1.0
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
    const children = options.children ?? []
    const users = options.users ?? []
    yield* checkNames("cluster", [options.parent, ...children])
    yield* checkNames(
      "user",
      [ADMIN, ...users].map(({ name }) => name)
    )

    // A cluster takes about a second to end, so all of them end at once, each in its own order.
    const all = yield* Effect.acquireRelease(Scope.make("parallel"), (scope, exit) => Scope.close(scope, exit))
    const start = Effect.fnUntraced(function* (name: string, role: FleetCluster["role"]) {
      const cluster = makeCluster(options.driver, { name, role, users, controllers: options.controllers ?? false })
      return yield* Scope.provide(cluster, yield* Scope.fork(all, "sequential"))
    })
    const [parent, ...others] = yield* Effect.all(
      [start(options.parent, "parent"), ...children.map((name) => start(name, "child"))],
      { concurrency: "unbounded" }
    )
    const clusters = [parent, ...others]

    const kubeconfigFor = Effect.fnUntraced(function* (user: string) {
      return Kubeconfig.print(yield* Effect.forEach(clusters, (cluster) => cluster.context(user)))
    })
    return Fleet.of({
      parent,
      children: others,
      clusters,
      cluster: (name) => {
        const found = clusters.find((cluster) => cluster.name === name)
        return found === undefined ? refuse(`no cluster is named ${name}`) : Effect.succeed(found)
      },
      kubeconfig: yield* kubeconfigFor(ADMIN.name),
      kubeconfigFor
    })
  })

  /** Starts a fleet with the layer. */
  static readonly layer = (options: FleetOptions): Layer.Layer<Fleet, HarnessError> =>
    Layer.effect(Fleet, Fleet.make(options))

  /**
   * Starts a fleet for code without Effect; it ends with the block that declares it.
   *
   * **Example**
   *
   * ```ts
   * await using fleet = await Fleet.start({ driver: ControlPlane.driver, parent: "hub", children: ["eu"] })
   * await fleet.cluster("eu").kill()
   * ```
   */
  static readonly start = async (options: FleetOptions): Promise<StartedFleet> => {
    const runtime = ManagedRuntime.make(Fleet.layer(options))
    try {
      return startedFrom(await runtime.runPromise(Fleet), () => runtime.dispose())
    } catch (error) {
      await runtime.dispose()
      throw error
    }
  }
}

const checkNames = Effect.fnUntraced(function* (what: string, names: ReadonlyArray<string>) {
  for (const [index, name] of names.entries()) {
    if (!NAME.test(name)) return yield* refuse(`${what} names are 1 to 253 printable characters without spaces`)
    if (names.indexOf(name) !== index) return yield* refuse(`two ${what}s are named ${name}`)
  }
})

const refuse = (problem: string): Effect.Effect<never, HarnessError> =>
  Effect.fail(new HarnessError({ reason: new InvalidFleet({ problem }) }))
