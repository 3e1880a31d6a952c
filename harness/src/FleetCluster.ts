/**
 * One cluster of a fleet: what its driver runs, who may enter, and a client for seeding it.
 *
 * @since 0.1.0
 */
import { randomBytes } from "node:crypto"
import { Effect, type Option, Redacted, type Scope } from "effect"
import { type ClusterApi, make as makeApi } from "./ClusterApi.ts"
import type { ClusterDriver, ClusterUser } from "./ClusterDriver.ts"
import { HarnessError, InvalidFleet } from "./HarnessError.ts"
import * as Kubeconfig from "./Kubeconfig.ts"

/** A user as a test asks for it; `groups` defaults to none. */
export interface FleetUser {
  readonly name: string
  readonly groups?: ReadonlyArray<string>
}

export interface FleetCluster {
  readonly name: string
  readonly role: "parent" | "child"
  /** `https://127.0.0.1:<port>` */
  readonly server: string
  readonly caPem: string
  /** A kubeconfig of the administrator for this cluster alone. */
  readonly kubeconfig: string
  /** What a kubeconfig needs to know of this cluster and one of its users. */
  readonly context: (user: string) => Effect.Effect<Kubeconfig.KubeconfigContext, HarnessError>
  /** Gets a user's token in this cluster. **Errors** `InvalidFleet` when the fleet has no such user. */
  readonly token: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /** A client that acts as the administrator. */
  readonly api: ClusterApi
  /** See {@link ClusterDriver}'s `RunningCluster`. */
  readonly pid?: Effect.Effect<Option.Option<number>>
  readonly kill: Effect.Effect<void, HarnessError>
  readonly restart: Effect.Effect<void, HarnessError>
  readonly expireHistory: Effect.Effect<void, HarnessError>
  readonly logs: Effect.Effect<string>
}

/** The user that every cluster has, and as whom the fleet's own client acts. */
export const ADMIN: FleetUser = { name: "admin", groups: ["system:masters"] }

const TOKEN_BYTES = 32

/**
 * Starts one cluster for the administrator and `users`.
 *
 * **Shape** every user gets a token of its own in every cluster, so that a credential sent to the wrong cluster is
 * refused as it would be in a real fleet.
 */
export const makeCluster = (
  driver: ClusterDriver,
  options: {
    readonly name: string
    readonly role: FleetCluster["role"]
    readonly users: ReadonlyArray<FleetUser>
    readonly controllers: boolean
  }
): Effect.Effect<FleetCluster, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, role, controllers } = options
    const admin = yield* withToken(ADMIN)
    const users = [admin, ...(yield* Effect.forEach(options.users, withToken))]
    const running = yield* driver.start({ name, users, controllers })
    const { server, caPem } = running
    const contextOf = (user: ClusterUser) => ({ name, server, caPem, user: user.name, token: user.token })
    const context = Effect.fnUntraced(function* (user: string) {
      const found = users.find((candidate) => candidate.name === user)
      if (found !== undefined) return contextOf(found)
      return yield* new HarnessError({
        cluster: name,
        reason: new InvalidFleet({ problem: `no user is named ${user}` })
      })
    })
    const api = yield* makeApi({ cluster: name, server, caPem, token: admin.token })
    // What the pool kept from before would fail the first call after it: the server is another one now.
    const restarted = (action: Effect.Effect<void, HarnessError>) => Effect.andThen(action, api.reconnect)
    return {
      ...running,
      restart: restarted(running.restart),
      expireHistory: restarted(running.expireHistory),
      role,
      kubeconfig: Kubeconfig.print([contextOf(admin)]),
      context,
      token: (user) => Effect.map(context(user), ({ token }) => token),
      api
    }
  })

const withToken = (user: FleetUser): Effect.Effect<ClusterUser> =>
  Effect.sync(() => ({
    name: user.name,
    groups: user.groups ?? [],
    token: Redacted.make(randomBytes(TOKEN_BYTES).toString("base64url"))
  }))
