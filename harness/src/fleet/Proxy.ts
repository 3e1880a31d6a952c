/**
 * A TCP proxy in front of a cluster: it sees how a client treats its connections, and can take them away.
 *
 * TLS passes through unopened, so certificates, names and credentials are those of the cluster; one TCP connection is one
 * TLS connection.
 */
import { Effect, type Scope } from "effect"
import * as Fault from "../faults/Fault.ts"
import * as Target from "../faults/Target.ts"
import * as Wire from "../faults/Wire.ts"
import type { FleetCluster } from "./FleetCluster.ts"
import { ADMIN } from "../drivers/ClusterDriver.ts"
import { HarnessError } from "../machine/HarnessError.ts"
import { inRealTime } from "../machine/Machine.ts"
import * as Kubeconfig from "../client/Kubeconfig.ts"

export interface Proxy {
  /** `https://127.0.0.1:<port>` */
  readonly server: string
  /** How many connections have been accepted since the start. */
  readonly accepted: Effect.Effect<number>
  /** How many of them are open now. */
  readonly open: Effect.Effect<number>
  /** Resets every open connection; new ones are accepted as before. */
  readonly cut: Effect.Effect<void>
  /** From now on nothing passes in either direction, on old connections and new ones, which are still accepted. */
  readonly stall: Effect.Effect<void>
  /** Lets everything pass again, also what waited. */
  readonly resume: Effect.Effect<void>
}

/** A proxy that stands for one cluster of a fleet. */
export interface ClusterProxy extends Proxy {
  /** The administrator's kubeconfig of the cluster, with the proxy as its server. */
  readonly kubeconfig: string
  /** The same for another user. **Errors** `InvalidFleet` when the fleet has no such user. */
  readonly kubeconfigFor: (user: string) => Effect.Effect<string, HarnessError>
}

/**
 * Listens on a free port of 127.0.0.1 and passes every connection on to `target`, an `https://host:port`.
 *
 * **Errors** `MachineRefused` when it cannot listen. **Limits** closing the scope resets what is open. A target that does
 * not answer resets the client's connection. For more faults than these see `Faults`.
 */
export const make = (target: string): Effect.Effect<Proxy, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const wire = yield* Wire.make(Target.addressOf(target)).pipe(
      Effect.mapError((reason) => new HarnessError({ reason })),
      inRealTime
    )
    let heal: (() => void) | undefined
    return {
      server: `https://127.0.0.1:${wire.port}`,
      accepted: Effect.sync(() => wire.counters().connectionsAccepted),
      open: Effect.sync(() => wire.counters().connectionsOpen),
      cut: Effect.sync(wire.reset),
      stall: Effect.sync(() => {
        heal ??= wire.begin(Fault.blackHole)
      }),
      resume: Effect.sync(() => {
        heal?.()
        heal = undefined
      })
    }
  })

/**
 * Puts a proxy in front of a cluster and gives kubeconfigs that lead through it.
 *
 * **Example**
 *
 * ```ts
 * const proxy = yield* Proxy.through(yield* fleet.cluster("eu"))
 * // point the client at proxy.kubeconfig, then
 * assert.isAtMost(yield* proxy.accepted, 4)
 * ```
 */
export const through = (cluster: FleetCluster): Effect.Effect<ClusterProxy, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const proxy = yield* make(cluster.server)
    const kubeconfigFor = (user: string) =>
      Effect.map(cluster.context(user), (context) => Kubeconfig.print([{ ...context, server: proxy.server }]))
    return { ...proxy, kubeconfig: yield* kubeconfigFor(ADMIN.name), kubeconfigFor }
  })
