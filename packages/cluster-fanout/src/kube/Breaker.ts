/**
 * Circuit breaker of one cluster: while it is open, only one probe at a time reaches the cluster.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { CurrentDataEpoch } from "./DataEpoch.ts"
import { Signal } from "./Signal.ts"

/**
 * Limits of a breaker. It opens after `failures` failed probes and calls in a row. After `failedProbes` failed probes
 * in a row, the cluster counts as silent.
 */
export const BreakerLimits = Context.Reference("@quarterdeck/cluster-fanout/Breaker/BreakerLimits", {
  defaultValue: () => ({ failures: 3, failedProbes: 2 })
})

/**
 * Returns what the error of a call says about the cluster.
 *
 * **Shape** `alive`: the cluster answered, even if with a refusal. `dead`: no answer, or one that shows a broken
 * server. `silent`: the call never reached the cluster.
 */
export const verdict = ({ reason }: ClusterError): "alive" | "dead" | "silent" => {
  switch (reason._tag) {
    case "ClusterTimeout":
    case "ClusterUnreachable":
    case "ClusterCertificateInvalid":
      return "dead"
    case "ClusterAnswerInvalid":
      return (reason.status ?? 0) >= 500 ? "dead" : "alive"
    case "ClusterCredentialUnavailable":
      return "silent"
    case "ClusterUnauthorized":
    case "ClusterForbids":
    case "ClusterRefused":
    case "ClusterThrottled":
    case "ClusterUnsupported":
    case "ClusterExpired":
    case "ClusterTooLarge":
      return "alive"
  }
}

export interface Breaker {
  /** The error that opened the breaker, or the error of the last probe since; `undefined` while closed. */
  readonly refusal: () => ClusterError | undefined
  /** Returns whether the cluster does not answer: the breaker is open, or `failedProbes` probes in a row failed. */
  readonly isSilent: () => boolean
  /** Returns whether the cluster should be probed again soon. */
  readonly isDoubted: () => boolean
  /** Records that the cluster answered or sent data. */
  readonly succeeded: () => void
  /** Records that a probe begins. If it fails, calls that began to wait after this moment keep waiting. */
  readonly probing: () => void
  /**
   * Records the result of a probe. A failure fails the calls that waited before the probe began. A success lets all
   * waiting calls run.
   */
  readonly probed: (error: ClusterError | undefined) => void
  /**
   * Runs a call and counts its outcome.
   *
   * **Errors** those of the call; while open, those of a probe.
   *
   * **Limits** while open, a call waits for a probe and runs only if the probe succeeds. All waiting calls share
   * probes. A probe that began before the call counts only if it succeeds. An interrupted call is not counted, so that
   * a caller's short deadline says nothing about the cluster.
   */
  readonly guard: <A, R>(call: Effect.Effect<A, ClusterError, R>) => Effect.Effect<A, ClusterError, R>
  /** Requests a probe soon, because something went wrong that may be the cluster's fault. */
  readonly suspect: Effect.Effect<void>
  /** Waits until a probe is requested by `suspect`, and clears the request. */
  readonly awaitSuspicion: Effect.Effect<void>
  /** Waits until a call waits for a probe. */
  readonly awaitDemand: Effect.Effect<void>
  /** Waits until the breaker opens. Returns the error that opened it. */
  readonly awaitOpen: Effect.Effect<ClusterError>
  readonly awaitClosed: Effect.Effect<void>
}

type Outcome = (outcome: Effect.Effect<void, ClusterError>) => void

/** Counters, and the calls that wait for a probe. */
class State {
  readonly signal = new Signal()
  readonly waiting = new Set<Outcome>()
  /** The waiting calls that came before the current probe began. */
  awaited: ReadonlyArray<Outcome> = []
  readonly limits: { readonly failures: number; readonly failedProbes: number }
  failures = 0
  failedProbes = 0
  refusal: ClusterError | undefined
  suspected = false

  constructor(limits: State["limits"]) {
    this.limits = limits
  }

  succeeded(): void {
    this.failures = 0
    if (this.refusal === undefined) return
    this.refusal = undefined
    this.signal.notify()
  }

  failed(error: ClusterError): void {
    this.failures++
    if (this.failures < this.limits.failures) return
    this.refusal = error
    this.signal.notify()
  }

  probed(error: ClusterError | undefined): void {
    const outcome = error === undefined ? "alive" : verdict(error)
    if (outcome === "alive") {
      this.failedProbes = 0
      this.succeeded()
    }
    if (error !== undefined && outcome === "dead") {
      this.failedProbes++
      this.failed(error)
    }
    if (error === undefined || outcome === "alive") return this.resumeWaiters([...this.waiting], Effect.void)
    this.resumeWaiters(this.awaited, Effect.fail(error))
  }

  probing(): void {
    this.awaited = [...this.waiting]
  }

  resumeWaiters(waiters: ReadonlyArray<Outcome>, outcome: Effect.Effect<void, ClusterError>): void {
    for (const resume of waiters) if (this.waiting.delete(resume)) resume(outcome)
    this.awaited = []
  }

  suspect(): void {
    this.suspected = true
    this.signal.notify()
  }

  record(exit: Exit.Exit<unknown, ClusterError>): void {
    const error = Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(Cause.isFailReason)?.error
    if (Exit.isSuccess(exit) || (error !== undefined && verdict(error) === "alive")) return this.succeeded()
    if (error === undefined || verdict(error) === "silent") return
    this.failed(error)
    this.suspect()
  }
}

/** Makes the breaker of one cluster. */
export const make: Effect.Effect<Breaker> = Effect.gen(function* () {
  const state = new State(yield* BreakerLimits)
  const { limits, signal, waiting } = state
  signal.listen((yield* CurrentDataEpoch).raise)

  const awaitProbe = Effect.callback<void, ClusterError>((resume) => {
    waiting.add(resume)
    signal.notify()
    return Effect.sync(() => {
      waiting.delete(resume)
    })
  })

  const breaker: Breaker = {
    refusal: () => state.refusal,
    isSilent: () => state.refusal !== undefined || state.failedProbes >= limits.failedProbes,
    isDoubted: () => state.failures > 0 || state.failedProbes > 0,
    succeeded: () => state.succeeded(),
    probing: () => state.probing(),
    probed: (error) => state.probed(error),
    guard: (call) =>
      Effect.suspend(() => {
        const counted = Effect.onExit(call, (exit) => Effect.sync(() => state.record(exit)))
        return state.refusal === undefined ? counted : Effect.andThen(awaitProbe, counted)
      }),
    suspect: Effect.sync(() => state.suspect()),
    awaitSuspicion: Effect.andThen(
      signal.until(() => state.suspected),
      Effect.sync(() => {
        state.suspected = false
      })
    ),
    awaitDemand: signal.until(() => waiting.size > 0),
    awaitOpen: Effect.suspend(() =>
      state.refusal === undefined
        ? Effect.andThen(
            signal.until(() => state.refusal !== undefined),
            breaker.awaitOpen
          )
        : Effect.succeed(state.refusal)
    ),
    awaitClosed: signal.until(() => state.refusal === undefined)
  }
  return breaker
})

/** The breakers of all clusters, shared by the cache, which probes, and by live reads. */
export class Breakers extends Context.Service<
  Breakers,
  {
    /** Returns a cluster's breaker to the cache, which follows the cluster. A changed connection gets a new breaker. */
    readonly of: (cluster: Cluster) => Effect.Effect<Breaker>
    /**
     * Returns the breaker of a cluster for all other callers.
     *
     * **Shape** for a connection that is not followed, a new breaker that is not stored: a late request must not
     * replace the breaker of the current connection.
     */
    readonly find: (cluster: Cluster) => Effect.Effect<Breaker>
    /** Drops the breaker of a cluster that is no longer registered. */
    readonly forget: (name: ClusterName) => Effect.Effect<void>
  }
>()("@quarterdeck/cluster-fanout/Breakers") {
  static readonly layer = Layer.sync(Breakers, () => {
    const known = new Map<ClusterName, { readonly generation: string; readonly breaker: Breaker }>()
    const present = ({ generation, name }: Cluster): Breaker | undefined => {
      const entry = known.get(name)
      return entry?.generation === generation ? entry.breaker : undefined
    }
    const find = (cluster: Cluster) =>
      Effect.suspend(() => {
        const breaker = present(cluster)
        return breaker === undefined ? make : Effect.succeed(breaker)
      })
    const of = Effect.fnUntraced(function* (cluster: Cluster) {
      const breaker = yield* find(cluster)
      known.set(cluster.name, { generation: cluster.generation, breaker })
      return breaker
    })
    const forget = (name: ClusterName) =>
      Effect.sync(() => {
        known.delete(name)
      })
    return Breakers.of({ of, find, forget })
  })
}
