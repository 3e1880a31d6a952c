/**
 * A TCP proxy in front of a cluster. It counts a client's connections, resets them and stalls them.
 *
 * It does not terminate TLS, so certificates, names and credentials are those of the cluster. One TCP connection is one
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
  /** Number of connections accepted since the start. */
  readonly accepted: Effect.Effect<number>
  /** Number of open connections. */
  readonly open: Effect.Effect<number>
  /** Resets every open connection. New connections are accepted. */
  readonly cut: Effect.Effect<void>
  /** Stops all traffic in both directions, on open and new connections. New connections are still accepted. */
  readonly stall: Effect.Effect<void>
  /** Resumes the traffic. Stalled data is delivered. */
  readonly resume: Effect.Effect<void>
}

/** A proxy for one cluster of a fleet. */
export interface ClusterProxy extends Proxy {
  /** The administrator's kubeconfig of the cluster, with the proxy as its server. */
  readonly kubeconfig: string
  /**
   * Returns a kubeconfig for another user, also with the proxy as its server. **Errors** `InvalidFleet` if the fleet
   * was started without this user.
   */
  readonly kubeconfigFor: (user: string) => Effect.Effect<string, HarnessError>
}

/**
 * Listens on a free port of 127.0.0.1 and forwards every connection to `target`, an `https://host:port`.
 *
 * **Errors** `MachineRefused` if it cannot listen. **Limits** closing the scope resets open connections. If the target
 * is unreachable, the client's connection is reset. For more faults use `Faults`.
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
 * Puts a proxy in front of a cluster and returns kubeconfigs that use it.
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
