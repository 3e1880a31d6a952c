/**
 * Keeps calls away from a cluster that has stopped answering, but for one probe at a time.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { CurrentDataEpoch } from "./DataEpoch.ts"
import { Signal } from "./Signal.ts"

/**
 * How many failures open a breaker: `failures` in a row, of probes and calls; `failedProbes` in a row make a cluster
 * silent.
 */
export const BreakerLimits = Context.Reference("@quarterdeck/cluster-fanout/Breaker/BreakerLimits", {
  defaultValue: () => ({ failures: 3, failedProbes: 2 })
})

/**
 * What an outcome says about the cluster.
 *
 * **Shape** `alive`: it answered, be it with a refusal. `dead`: no answer, or one that says the server is broken.
 * `silent`: the call never reached it.
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
  /** What opened it, or what the last probe since then ended with; `undefined` while closed. */
  readonly refusal: () => ClusterError | undefined
  /** Tells whether the cluster does not answer: the breaker is open, or a probe and the one right after it failed. */
  readonly isSilent: () => boolean
  /** Tells whether it should be probed again soon. */
  readonly isDoubted: () => boolean
  /** The cluster gave a sign of life. */
  readonly succeeded: () => void
  /** A probe begins: its failure says nothing to those who come later. */
  readonly probing: () => void
  /** Counts how a probe ended, and tells those who have awaited it since before it began; of a success, everybody. */
  readonly probed: (error: ClusterError | undefined) => void
  /**
   * Runs a call and counts its outcome.
   *
   * **Errors** those of the call; while open, those of a probe.
   *
   * **Limits** while open, a call waits for a probe that begins after it came, which all who ask meanwhile share, or for an
   * earlier one that is answered; it is made if its probe is.
   * An interrupted call counts as nothing, so that a caller's short deadline says nothing of the cluster.
   */
  readonly guard: <A, R>(call: Effect.Effect<A, ClusterError, R>) => Effect.Effect<A, ClusterError, R>
  /** Something went wrong that may be the cluster's fault: it should be probed soon. */
  readonly suspect: Effect.Effect<void>
  /** Waits until the cluster is suspected, and forgets the suspicion. */
  readonly awaitSuspicion: Effect.Effect<void>
  /** Waits until somebody waits for a probe. */
  readonly awaitDemand: Effect.Effect<void>
  /** Waits until it opens, and gives the error that opened it. */
  readonly awaitOpen: Effect.Effect<ClusterError>
  readonly awaitClosed: Effect.Effect<void>
}

type Outcome = (outcome: Effect.Effect<void, ClusterError>) => void

/** What has been counted, and who waits for a probe. */
class State {
  readonly signal = new Signal()
  readonly waiting = new Set<Outcome>()
  /** Those of them who came before the probe under way began. */
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
    const said = error === undefined ? "alive" : verdict(error)
    if (said === "alive") {
      this.failedProbes = 0
      this.succeeded()
    }
    if (error !== undefined && said === "dead") {
      this.failedProbes++
      this.failed(error)
    }
    if (error === undefined || said === "alive") return this.tell([...this.waiting], Effect.void)
    this.tell(this.awaited, Effect.fail(error))
  }

  probing(): void {
    this.awaited = [...this.waiting]
  }

  tell(waiters: ReadonlyArray<Outcome>, outcome: Effect.Effect<void, ClusterError>): void {
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
    /** Gives the breaker of a followed cluster, for the one who follows it; a changed connection starts with a new one. */
    readonly of: (cluster: Cluster) => Effect.Effect<Breaker>
    /**
     * Gives the same to everybody else.
     *
     * **Shape** of a connection that is not followed, yet or any more, one that nobody else has and nobody keeps: a late
     * question must not take the place of the present connection's.
     */
    readonly find: (cluster: Cluster) => Effect.Effect<Breaker>
    /** Forgets a cluster that is no longer registered. */
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
