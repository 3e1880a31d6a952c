/**
 * The port behind every fleet: something that can run a named Kubernetes cluster on this machine.
 *
 * A driver knows nothing of fleets, kubeconfigs or seeds; it starts one API server on a loopback address, says how to
 * trust and reach it, and can take it away in the manner of a power failure. {@link Fleet} builds everything else on top.
 */
import type { Effect, Option, Redacted, Scope } from "effect"
import type { HarnessError } from "../machine/HarnessError.ts"
import type { InProcess } from "@quarterdeck/embedded-cluster"
import type { GrantOptions } from "../client/UserAccess.ts"

/** Whether a driver can run on this machine. */
export type Availability =
  /** `detail` says what was found, in a few words: `Kubernetes v1.36.3 in the cache`. */
  | { readonly _tag: "Found"; readonly detail: string }
  /** `remedy` is one sentence that says what would bring the driver. */
  | { readonly _tag: "Missing"; readonly remedy: string }

export const found = (detail: string): Availability => ({ _tag: "Found", detail })
export const missing = (remedy: string): Availability => ({ _tag: "Missing", remedy })

/** Somebody who may authenticate at a cluster by a bearer token. */
export interface ClusterUser {
  readonly name: string
  readonly groups: ReadonlyArray<string>
  readonly token: Redacted.Redacted<string>
}

/** The user that every cluster has, and as whom the fleet's own client acts. */
export const ADMIN = { name: "admin", groups: ["system:masters"] }

/**
 * What a driver is asked to start.
 *
 * `users` always holds an administrator, a user of the group `system:masters`; {@link Fleet} sees to that.
 * `controllers` asks for the controller manager and the scheduler where the driver has them (default false); without
 * them nothing reconciles, so what a test writes stays as written.
 */
export interface ClusterOptions {
  readonly name: string
  readonly users: ReadonlyArray<ClusterUser>
  readonly controllers?: boolean
  /** The Kubernetes release, `1.33` or `v1.33.2`, where the driver has several (default its own). */
  readonly version?: string
  /** A directory that `save` filled: the cluster starts with the objects that it holds. */
  readonly from?: string
}

/** A cluster that answers; it ends with the scope that started it. */
export interface RunningCluster {
  readonly name: string
  /** `https://127.0.0.1:<port>`; the port stays the same across `kill` and `restart`. */
  readonly server: string
  /** PEM of the certificates that verify `server`. */
  readonly caPem: string
  /** The API server's process, where it is a process of its own; none after `kill`, another after `restart`. */
  readonly pid?: Effect.Effect<Option.Option<number>>
  /** Takes the cluster away as a power failure would: connections are cut, nothing is flushed. Killing twice is no error. */
  readonly kill: Effect.Effect<void, HarnessError>
  /** Stops the cluster if it still runs, then starts it on the same port with the same data, and waits until it is ready. */
  readonly restart: Effect.Effect<void, HarnessError>
  /**
   * Forgets every revision before now, so that older watches and `continue` tokens are answered 410 (Expired).
   *
   * **Limits** connections may be cut on the way, and the cluster is ready again when it returns.
   */
  readonly expireHistory: Effect.Effect<void, HarnessError>
  /** Stops the cluster if it still runs, and starts it on the same port as a new one: every object is lost. */
  readonly restartEmpty: Effect.Effect<void, HarnessError>
  /**
   * Takes the present objects as those that `reset` goes back to; until then it goes back to the start.
   *
   * Where controllers run, a new namespace is waited for until it has the service account and the certificate
   * that they give it, 5 s at most.
   */
  readonly checkpoint: Effect.Effect<void, HarnessError>
  /**
   * Takes the objects back to the last checkpoint while the cluster runs on.
   *
   * What came since is gone, what changed or went is as it was, under new resource versions; watches see it.
   */
  readonly reset: Effect.Effect<void, HarnessError>
  /**
   * Saves the objects into a directory, which is made, for `ClusterOptions.from`.
   *
   * **Errors** `NotSupported` where the driver cannot; `MachineRefused` when something stands there already.
   */
  readonly save: (directory: string) => Effect.Effect<void, HarnessError>
  /** Answers calls without a connection, where the cluster lives in this process. */
  readonly answer?: InProcess.AnswerInProcess
  /** How the cluster reaches this process's machine, where not as `localhost`: an address of this machine. */
  readonly hostAddress?: string
  /** Gives the token of a user where the cluster has its own instead of those that were asked for. */
  readonly credentials?: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /** Says how rights are granted to a user where a user of that name is nobody, or where what is made is marked. */
  readonly granting?: (user: string) => GrantOptions
  /** The end of the cluster's log, newest line last; credentials never appear in it. */
  readonly logs: Effect.Effect<string>
}

/**
 * Starts clusters of one kind.
 *
 * **Shape** `name` is what `QUARTERDECK_DRIVERS` lists: `embedded`, `control-plane`.
 *
 * **Errors** `start` fails with `DriverUnavailable` when `available` says `Missing`.
 *
 * **Limits** `start` returns once the cluster is ready: `/readyz` answers 200 to the administrator and the namespace
 * `default` exists. Closing the scope leaves no process, socket or directory behind.
 */
export interface ClusterDriver {
  readonly name: string
  readonly available: Effect.Effect<Availability>
  readonly start: (options: ClusterOptions) => Effect.Effect<RunningCluster, HarnessError, Scope.Scope>
}
