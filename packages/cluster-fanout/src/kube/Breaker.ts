/**
 * Keeps calls away from a cluster that has stopped answering, and lets one through now and then to see.
 *
 * @since 0.1.0
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Context, Effect, Exit, Layer, Random } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterError, ClusterUnreachable } from "./ClusterError.ts"
import { Signal } from "./Signal.ts"
import * as steadyClock from "./SteadyClock.ts"

/** **Units** milliseconds. **Shape** an open breaker lets a probe pass after `openMs`, twice as long each time. */
export const BreakerLimits = Context.Reference("@quarterdeck/cluster-fanout/Breaker/BreakerLimits", {
  defaultValue: () => ({ failures: 3, openMs: 5_000, maxOpenMs: 60_000 })
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
    case "ClusterThrottled":
    case "ClusterUnsupported":
    case "ClusterExpired":
      return "alive"
  }
}

export interface Breaker {
  /** The error of the calls that are refused now; `undefined` while closed. */
  readonly refusal: () => ClusterError | undefined
  /** Failures in a row up to now. */
  readonly failures: () => number
  /** When the next probe may pass, by `steadyClock`; `undefined` while closed. */
  readonly retryAt: () => number | undefined
  /** The cluster gave a sign of life. */
  readonly succeeded: () => void
  /**
   * Runs a call and counts its outcome.
   *
   * **Errors** those of the call; `ClusterUnreachable` at once while open.
   *
   * **Limits** an interrupted call counts as nothing, so that a caller's short deadline says nothing of the cluster.
   */
  readonly guard: <A, R>(call: Effect.Effect<A, ClusterError, R>) => Effect.Effect<A, ClusterError, R>
  /** Something went wrong that may be the cluster's fault: it should be probed soon. */
  readonly suspect: Effect.Effect<void>
  /** Waits until the cluster is suspected, and forgets the suspicion. */
  readonly awaitSuspicion: Effect.Effect<void>
  /** Waits until it opens, and gives the error of the calls that it refuses. */
  readonly awaitOpen: Effect.Effect<ClusterError>
  readonly awaitClosed: Effect.Effect<void>
}

interface Open {
  readonly error: ClusterError
  readonly retryAt: number
  readonly openMs: number
  readonly probing: boolean
}

/** Makes the breaker of one cluster. */
export const make = (cluster: ClusterName): Effect.Effect<Breaker> =>
  Effect.gen(function* () {
    const limits = yield* BreakerLimits
    const signal = new Signal()
    let failures = 0
    let open: Open | undefined
    let suspected = false

    const succeeded = () => {
      failures = 0
      if (open === undefined) return
      open = undefined
      signal.notify()
    }

    const failed = (error: ClusterError) =>
      Effect.gen(function* () {
        failures++
        // Calls that were let in before it opened tell nothing new.
        if (failures < limits.failures || (open !== undefined && !open.probing)) return
        const openMs = open === undefined ? limits.openMs : Math.min(limits.maxOpenMs, open.openMs * 2)
        const jitter = yield* Random.next
        const now = yield* steadyClock.now
        open = {
          error: refusalAfter(cluster, error),
          retryAt: now + Math.round(openMs * (0.5 + jitter / 2)),
          openMs,
          probing: false
        }
        signal.notify()
      })

    const record = (exit: Exit.Exit<unknown, ClusterError>): Effect.Effect<void> => {
      if (Exit.isSuccess(exit)) return Effect.sync(succeeded)
      const error = exit.cause.reasons.find(Cause.isFailReason)?.error
      const said = error === undefined ? "silent" : verdict(error)
      if (said === "alive") return Effect.sync(succeeded)
      if (error !== undefined && said === "dead") return failed(error)
      return Effect.sync(() => {
        if (open !== undefined) open = { ...open, probing: false }
      })
    }

    const guard = <A, R>(call: Effect.Effect<A, ClusterError, R>): Effect.Effect<A, ClusterError, R> =>
      // Whoever takes the probe must give it back: nothing may come between the two.
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const now = yield* steadyClock.now
          if (open !== undefined) {
            if (open.probing || now < open.retryAt) return yield* open.error
            open = { ...open, probing: true }
          }
          return yield* Effect.onExit(restore(call), record)
        })
      )

    const breaker: Breaker = {
      refusal: () => open?.error,
      failures: () => failures,
      retryAt: () => open?.retryAt,
      succeeded,
      guard,
      suspect: Effect.sync(() => {
        suspected = true
        signal.notify()
      }),
      awaitSuspicion: Effect.andThen(
        signal.until(() => suspected),
        Effect.sync(() => {
          suspected = false
        })
      ),
      awaitOpen: Effect.suspend(() =>
        open === undefined
          ? Effect.andThen(
              signal.until(() => open !== undefined),
              breaker.awaitOpen
            )
          : Effect.succeed(open.error)
      ),
      awaitClosed: signal.until(() => open === undefined)
    }
    return breaker
  })

/** Names what opened the breaker, in the words of an unreachable cluster. */
const refusalAfter = (cluster: ClusterName, { reason }: ClusterError): ClusterError => {
  const code =
    reason._tag === "ClusterUnreachable" || reason._tag === "ClusterCertificateInvalid"
      ? reason.code
      : reason._tag === "ClusterAnswerInvalid"
        ? `HTTP_${reason.status ?? 500}`
        : "ETIMEDOUT"
  return new ClusterError({ cluster, reason: new ClusterUnreachable({ code }) })
}

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
        return breaker === undefined ? make(cluster.name) : Effect.succeed(breaker)
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
