/**
 * The interface of cluster drivers: a driver runs named Kubernetes clusters on this machine.
 *
 * A driver knows nothing of fleets, kubeconfigs or seeds. It starts an API server on a loopback address, returns its
 * address and CA, and can kill it as a power failure would. {@link Fleet} builds everything else on top.
 */
import type { Effect, Option, Redacted, Scope } from "effect"
import type { HarnessError } from "../machine/HarnessError.ts"
import type { InProcess } from "@quarterdeck/embedded-cluster"
import type { GrantOptions } from "../client/UserAccess.ts"

/** The availability of a driver on this machine. */
export type Availability =
  /** `detail` says in a few words what was found: `Kubernetes v1.36.3 in the cache`. */
  | { readonly _tag: "Found"; readonly detail: string }
  /** `remedy` says in one sentence how to make the driver available. */
  | { readonly _tag: "Missing"; readonly remedy: string }

export const found = (detail: string): Availability => ({ _tag: "Found", detail })
export const missing = (remedy: string): Availability => ({ _tag: "Missing", remedy })

/** A user that authenticates to a cluster with a bearer token. */
export interface ClusterUser {
  readonly name: string
  readonly groups: ReadonlyArray<string>
  readonly token: Redacted.Redacted<string>
}

/** The user that every cluster has. The fleet's own client uses it. */
export const ADMIN = { name: "admin", groups: ["system:masters"] }

/**
 * Options of a cluster.
 *
 * `users` always contains an administrator of the group `system:masters`, which {@link Fleet} adds. `controllers`
 * starts the controller manager and the scheduler, if the driver has them (default false). Without them nothing
 * reconciles objects, so objects stay as a test writes them.
 */
export interface ClusterOptions {
  readonly name: string
  readonly users: ReadonlyArray<ClusterUser>
  readonly controllers?: boolean
  /** Kubernetes release, `1.33` or `v1.33.2`, if the driver supports several (default: the driver's own). */
  readonly version?: string
  /** Directory written by `save`. The cluster starts with its objects. */
  readonly from?: string
}

/** A ready cluster. It stops with the scope that started it. */
export interface RunningCluster {
  readonly name: string
  /** `https://127.0.0.1:<port>`. The port stays the same across `kill` and `restart`. */
  readonly server: string
  /** CA certificates that verify `server`, as PEM. */
  readonly caPem: string
  /** Process id of the API server, if it is a separate process. None after `kill`; changes with `restart`. */
  readonly pid?: Effect.Effect<Option.Option<number>>
  /**
   * Stops the cluster as a power failure would: connections break and nothing is flushed. Killing a killed cluster is
   * not an error.
   */
  readonly kill: Effect.Effect<void, HarnessError>
  /** Stops the cluster if it is running, starts it on the same port with the same data, and waits until it is ready. */
  readonly restart: Effect.Effect<void, HarnessError>
  /**
   * Drops all revisions before the present one, so that older watches and `continue` tokens get 410 (Expired).
   *
   * **Limits** may cut connections. The cluster is ready again when the effect completes.
   */
  readonly expireHistory: Effect.Effect<void, HarnessError>
  /** Stops the cluster if it is running, and starts it on the same port without any objects. */
  readonly restartEmpty: Effect.Effect<void, HarnessError>
  /**
   * Makes the present objects the state that `reset` restores. Without a checkpoint, `reset` restores the state after
   * the start.
   *
   * If controllers run, it first waits up to 5 s until new namespaces have the service account and the certificate that
   * controllers create there.
   */
  readonly checkpoint: Effect.Effect<void, HarnessError>
  /**
   * Restores the objects of the last checkpoint while the cluster keeps running.
   *
   * New objects are removed; changed and deleted ones are restored under new resource versions. Watches report these
   * changes.
   */
  readonly reset: Effect.Effect<void, HarnessError>
  /**
   * Saves the objects into a new directory, for `ClusterOptions.from`.
   *
   * **Errors** `NotSupported` if the driver cannot save; `MachineRefused` if the directory exists.
   */
  readonly save: (directory: string) => Effect.Effect<void, HarnessError>
  /** Answers calls without a connection, if the cluster runs in this process. */
  readonly answer?: InProcess.AnswerInProcess
  /** Address by which programs in the cluster reach this machine. Absent if they reach it as `localhost`. */
  readonly hostAddress?: string
  /** Returns the token of a user, if the cluster issues its own tokens instead of accepting the requested ones. */
  readonly credentials?: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /** Returns options for granting permissions to a user. Absent if the defaults of `UserAccess.grant` apply. */
  readonly granting?: (user: string) => GrantOptions
  /** The end of the cluster's log, oldest line first. Contains no credentials. */
  readonly logs: Effect.Effect<string>
}

/**
 * Starts clusters of one kind.
 *
 * **Shape** `name` is the name in `QUARTERDECK_DRIVERS`: `embedded`, `control-plane`.
 *
 * **Errors** `start` fails with `DriverUnavailable` if `available` returns `Missing`.
 *
 * **Limits** `start` returns when the cluster is ready: `/readyz` returns 200 to the administrator and the namespace
 * `default` exists. Closing the scope removes all processes, sockets and directories.
 */
export interface ClusterDriver {
  readonly name: string
  readonly available: Effect.Effect<Availability>
  readonly start: (options: ClusterOptions) => Effect.Effect<RunningCluster, HarnessError, Scope.Scope>
}
