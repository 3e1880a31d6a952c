/** One cluster of a fleet: what its driver runs, who may enter, and a client for seeding it. */
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

/** A user as a test asks for it; `groups` defaults to none, `rules` to nothing that it may do. */
export interface FleetUser extends GrantedUser {
  readonly groups?: ReadonlyArray<string>
}

export interface FleetCluster {
  readonly name: string
  readonly role: "parent" | "child"
  /** `https://127.0.0.1:<port>`: what clients are given, the proxy where the fleet has faults. */
  readonly server: string
  readonly caPem: string
  /** A kubeconfig of the administrator for this cluster alone. */
  readonly kubeconfig: string
  /** What a kubeconfig needs to know of this cluster and one of its users. */
  readonly context: (user: string) => Effect.Effect<Kubeconfig.KubeconfigContext, HarnessError>
  /** Gets a user's token in this cluster. **Errors** `InvalidFleet` when the fleet has no such user. */
  readonly token: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /** A client that acts as the administrator; faults do not touch it. */
  readonly api: ClusterApi
  /** The proxy that clients come through, where the fleet has faults. */
  readonly faults: Option.Option<Faults.ClusterFaults>
  /**
   * Makes a fault real until the scope closes.
   *
   * **Errors** `InvalidFleet` when the fleet was started without `faults`, `InvalidFault` when the fault cannot be.
   */
  readonly inject: (fault: Fault) => Effect.Effect<void, HarnessError, Scope.Scope>
  /** See {@link ClusterDriver}'s `RunningCluster`. */
  readonly pid?: Effect.Effect<Option.Option<number>>
  readonly kill: Effect.Effect<void, HarnessError>
  readonly restart: Effect.Effect<void, HarnessError>
  /** This and what follows: **errors** `ClusterDown` while the cluster is killed. */
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

/** What one cluster of a fleet is asked to be. */
export interface ClusterPlan extends Omit<ClusterOptions, "users"> {
  readonly role: FleetCluster["role"]
  readonly users: ReadonlyArray<FleetUser>
  /** Puts a proxy in front of it, through which clients come and which can be given faults. */
  readonly faults: boolean
}

/**
 * Starts one cluster for the administrator and the plan's users.
 *
 * Every user gets a token of its own in every cluster, so that a credential sent to the wrong cluster is
 * refused as it would be in a real fleet.
 */
export const makeCluster = (
  driver: ClusterDriver,
  plan: ClusterPlan
): Effect.Effect<FleetCluster, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const { faults: wantsFaults, role, users: asked, ...options } = plan
    const { name } = options
    const minted = yield* Effect.forEach([ADMIN, ...asked], withToken)
    const { answer, ...running } = yield* driver.start({ ...options, users: minted })
    const users = yield* Effect.forEach(minted, (user) =>
      running.credentials === undefined
        ? Effect.succeed(user)
        : Effect.map(running.credentials(user.name), (token) => ({ ...user, token }))
    )
    const admin = users.find((user) => user.name === ADMIN.name)
    if (admin === undefined) return yield* Effect.die(new Error("every cluster has an administrator"))
    const own = { cluster: name, server: running.server, caPem: running.caPem, token: admin.token }
    const api = yield* makeApi(answer === undefined ? own : { ...own, answer })
    // What the pool kept from before would fail the first call after it: the server is another one now.
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
    // One that breaks off has stopped the cluster and not started it.
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
      kill: whileFleet("kill", outages.kill),
      restart: whileFleet("restart", outages.restart),
      restartEmpty: whileFleet("restart", outages.restartEmpty),
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
          onSome: (proxy) => whileFleet("inject a fault into", proxy.inject(fault))
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
