/** One cluster of a fleet: its driver's cluster, its users and an API client. */
import { randomBytes } from "node:crypto"
import { Effect, Option, Redacted, Ref, type Scope } from "effect"
import { type ClusterApi, make as makeApi } from "../client/ClusterApi.ts"
import {
  ADMIN,
  type ClusterDriver,
  type ClusterOptions,
  type ClusterUser,
  type RunningCluster
} from "../drivers/ClusterDriver.ts"
import type { Fault } from "../faults/Fault.ts"
import * as Faults from "../faults/Faults.ts"
import { ClusterDown, FleetEnded, HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import * as Kubeconfig from "../client/Kubeconfig.ts"
import type { GrantedUser } from "../client/UserAccess.ts"

/** A user of a fleet. `groups` and `rules` default to none. */
export interface FleetUser extends GrantedUser {
  readonly groups?: ReadonlyArray<string>
}

export interface FleetCluster {
  readonly name: string
  readonly role: "parent" | "child"
  /** `https://127.0.0.1:<port>`: the address for clients. The proxy's address if the fleet has faults. */
  readonly server: string
  readonly caPem: string
  /** A kubeconfig of the administrator for this cluster only. */
  readonly kubeconfig: string
  /** Returns the kubeconfig context of a user. **Errors** `InvalidFleet` if the fleet was started without this user. */
  readonly context: (user: string) => Effect.Effect<Kubeconfig.KubeconfigContext, HarnessError>
  /** Returns a user's token in this cluster. **Errors** `InvalidFleet` if the fleet was started without this user. */
  readonly token: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /** A client with the administrator's permissions. Faults do not affect it. */
  readonly api: ClusterApi
  /** The proxy in front of the cluster, if the fleet has faults. */
  readonly faults: Option.Option<Faults.ClusterFaults>
  /**
   * Injects a fault until the scope closes.
   *
   * **Errors** `InvalidFleet` if the fleet was started without `faults`; `InvalidFault` if the fault is not possible
   * here.
   */
  readonly inject: (fault: Fault) => Effect.Effect<void, HarnessError, Scope.Scope>
  /** See {@link ClusterDriver}'s `RunningCluster`. */
  readonly pid?: Effect.Effect<Option.Option<number>>
  readonly kill: Effect.Effect<void, HarnessError>
  readonly restart: Effect.Effect<void, HarnessError>
  /** **Errors** `ClusterDown` while the cluster is killed, as for `restartEmpty`, `checkpoint`, `reset` and `save`. */
  readonly expireHistory: Effect.Effect<void, HarnessError>
  readonly restartEmpty: RunningCluster["restartEmpty"]
  readonly checkpoint: RunningCluster["checkpoint"]
  readonly reset: RunningCluster["reset"]
  readonly save: RunningCluster["save"]
  readonly granting?: RunningCluster["granting"]
  readonly hostAddress?: string
  readonly logs: Effect.Effect<string>
}

const TOKEN_BYTES = 32

/** Options of one cluster of a fleet. */
export interface ClusterPlan extends Omit<ClusterOptions, "users"> {
  readonly role: FleetCluster["role"]
  readonly users: ReadonlyArray<FleetUser>
  /** Puts a proxy in front of the cluster that can inject faults. */
  readonly faults: boolean
}

/**
 * Starts one cluster for the administrator and the plan's users.
 *
 * Every user gets a different token in every cluster. A credential sent to the wrong cluster is refused, as in a real
 * fleet.
 */
export const makeCluster = (
  driver: ClusterDriver,
  plan: ClusterPlan
): Effect.Effect<FleetCluster, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const { faults: wantsFaults, role, users: fleetUsers, ...options } = plan
    const { name } = options
    const usersWithTokens = yield* Effect.forEach([ADMIN, ...fleetUsers], withToken)
    const { answer, ...running } = yield* driver.start({ ...options, users: usersWithTokens })
    const users = yield* Effect.forEach(usersWithTokens, (user) =>
      running.credentials === undefined
        ? Effect.succeed(user)
        : Effect.map(running.credentials(user.name), (token) => ({ ...user, token }))
    )
    const admin = users.find((user) => user.name === ADMIN.name)
    if (admin === undefined) return yield* Effect.die(new Error("every cluster has an administrator"))
    const target = { cluster: name, server: running.server, caPem: running.caPem, token: admin.token }
    const api = yield* makeApi(answer === undefined ? target : { ...target, answer })
    // Connections to the previous server process would fail the next call.
    const restarted = (action: Effect.Effect<void, HarnessError>) => Effect.andThen(action, api.reconnect)
    const isDown = yield* Ref.make(false)
    const hasEnded = yield* Effect.acquireRelease(Ref.make(false), Ref.set(true))
    const whileFleet = <R>(action: string, effect: Effect.Effect<void, HarnessError, R>) =>
      Effect.flatMap(Ref.get(hasEnded), (ended) =>
        ended ? Effect.fail(new HarnessError({ cluster: name, reason: new FleetEnded({ action }) })) : effect
      )
    const whileUp = (action: string, effect: Effect.Effect<void, HarnessError>): Effect.Effect<void, HarnessError> =>
      whileFleet(
        action,
        Effect.flatMap(Ref.get(isDown), (down) =>
          down ? Effect.fail(new HarnessError({ cluster: name, reason: new ClusterDown({ action }) })) : effect
        )
      )
    // If a restart fails, the cluster stays stopped.
    const again = (action: Effect.Effect<void, HarnessError>) =>
      Effect.andThen(restarted(action), Ref.set(isDown, false)).pipe(Effect.onError(() => Ref.set(isDown, true)))
    const outages = {
      kill: Effect.andThen(running.kill, Ref.set(isDown, true)),
      restart: again(running.restart),
      restartEmpty: again(running.restartEmpty)
    }
    const faults = wantsFaults
      ? Option.some(yield* Faults.make({ name, server: running.server, caPem: running.caPem, users, outages }))
      : Option.none<Faults.ClusterFaults>()
    const { caPem, server } = Option.getOrElse(faults, () => running)
    const contextOf = (user: ClusterUser) => ({ name, server, caPem, user: user.name, token: user.token })
    const context = Effect.fnUntraced(function* (user: string) {
      const found = users.find((candidate) => candidate.name === user)
      return found === undefined ? yield* refused(name, `no user is named ${user}`) : contextOf(found)
    })
    return {
      ...running,
      kill: whileFleet("kill it", outages.kill),
      restart: whileFleet("restart it", outages.restart),
      restartEmpty: whileFleet("restart it", outages.restartEmpty),
      server,
      caPem,
      expireHistory: whileUp("expire its history", restarted(running.expireHistory)),
      checkpoint: whileUp("take a checkpoint", running.checkpoint),
      reset: whileUp("reset it", running.reset),
      save: (directory) => whileUp("save it", running.save(directory)),
      role,
      kubeconfig: Kubeconfig.print([contextOf(admin)]),
      context,
      token: (user) => Effect.map(context(user), ({ token }) => token),
      api,
      faults,
      inject: (fault) =>
        Option.match(faults, {
          onNone: () => refused(name, "the fleet was started without faults"),
          onSome: (proxy) => whileFleet("inject a fault", proxy.inject(fault))
        })
    }
  })

const refused = (cluster: string, problem: string): Effect.Effect<never, HarnessError> =>
  Effect.fail(new HarnessError({ cluster, reason: new InvalidFleet({ problem }) }))

const withToken = (user: FleetUser): Effect.Effect<ClusterUser> =>
  Effect.sync(() => ({
    name: user.name,
    groups: user.groups ?? [],
    token: Redacted.make(randomBytes(TOKEN_BYTES).toString("base64url"))
  }))
