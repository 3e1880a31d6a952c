/**
 * Changes many workloads of many clusters, each once, and says of each what became of it.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Fiber, Layer, Schema, Semaphore } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { FanOut } from "../list/FanOut.ts"
import type { LabelSelector } from "../list/LabelSelector.ts"
import type { CursorInvalid, FanOutFailed, NamespaceForbidden } from "../list/ListError.ts"
import { Workloads } from "../list/Workloads.ts"
import type * as Action from "./Action.ts"
import * as FailedAction from "./FailedAction.ts"
import type { OutcomeCode } from "./OutcomeCode.ts"
import * as RequireNamespaces from "./RequireNamespaces.ts"
import { WorkloadActions } from "./WorkloadActions.ts"

/** The most workloads that one call changes. */
export const MAX_TARGETS = 500

/** Which workload. */
export interface BulkTarget {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/**
 * Asks for one change of many workloads; `namespaces` is what the key reaches.
 *
 * **Units** as `ActionQuery`, for each workload.
 */
export interface BulkQuery<Stop extends string = never> {
  readonly targets: ReadonlyArray<BulkTarget>
  readonly namespaces: NamespaceFilter
  readonly change: Action.Change
  readonly isDryRun: boolean
  readonly readMs: number
  readonly writeMs: number
  /** Asked before each workload: why it may not be changed any more, though it might when all began. */
  readonly stopped?: Effect.Effect<OutcomeCode | Stop | undefined>
  /** Is told each outcome as soon as it is known, in any order. */
  readonly tell?: (outcome: BulkOutcome<Stop>) => Effect.Effect<void>
}

/** Which workloads are meant by their labels. **Units** `timeoutMs` for all clusters together. */
export interface Selection {
  readonly target: Target
  readonly namespaces: NamespaceFilter
  readonly labelSelector: LabelSelector
  readonly timeoutMs: number
  /** Whose question it is. */
  readonly cursorBinding: string
}

/**
 * What became of one workload.
 *
 * **Shape** `refused`: nothing was done, and trying again changes nothing. `failed`: the cluster did not answer.
 */
export interface BulkOutcome<Stop extends string = never> extends BulkTarget {
  readonly status: "applied" | "dryRun" | "refused" | "failed"
  readonly code?: OutcomeCode | Stop
  readonly resourceVersion?: string
}

/** A selector finds more than one call may change. */
export class TooManySelected extends Schema.TaggedError<TooManySelected>()("TooManySelected", {
  count: Schema.Natural
}) {
  override get message(): string {
    return `selects ${this.count} workloads; ${MAX_TARGETS} at most in one call`
  }
}

const NOT_STOPPED = Effect.succeed(undefined)

/** Clusters that one call changes at a time. */
const CLUSTERS_AT_ONCE = 8
/** Workloads of one cluster that one call changes at a time. */
const PER_CLUSTER = 4
/** Workloads that all calls together change at a time. */
const IN_ALL = 64

export class BulkActions extends Context.Service<
  BulkActions,
  {
    /**
     * Lets targets through that the key reaches, all of them or none.
     *
     * **Errors** `NamespaceForbidden`; then nothing was asked of any.
     */
    readonly require: (question: RequireNamespaces.BulkQuestion) => Effect.Effect<void, NamespaceForbidden>
    /**
     * Finds the workloads that a selector means, as each cluster has them now, by cluster, namespace, kind and name.
     *
     * **Errors** `TooManySelected`, which says how many; `FanOutFailed` when no cluster answered.
     */
    readonly select: (selection: Selection) => Effect.Effect<
      {
        readonly targets: ReadonlyArray<BulkTarget>
        /** Whether the workloads of some cluster could not be read. */
        readonly partial: boolean
      },
      CursorInvalid | FanOutFailed | NamespaceForbidden | TooManySelected
    >
    /**
     * Changes each target as `WorkloadActions.run` does, and gives the outcomes in their order.
     *
     * **Limits** 4 of a cluster and 8 clusters at a time, 64 workloads over all calls. A cluster that did not answer is not asked for
     * the targets that had not begun. Goes on to its end when the caller leaves.
     */
    readonly run: <Stop extends string = never>(
      query: BulkQuery<Stop>
    ) => Effect.Effect<ReadonlyArray<BulkOutcome<Stop>>>
  }
>()("@quarterdeck/cluster-fanout/BulkActions") {
  static readonly layer = Layer.effect(
    BulkActions,
    Effect.gen(function* () {
      const actions = yield* WorkloadActions
      const workloads = yield* Workloads
      const scope = yield* Effect.scope
      const places = yield* Semaphore.make(IN_ALL)

      const changeOne = (query: Omit<BulkQuery, "stopped" | "tell">, target: BulkTarget): Effect.Effect<BulkOutcome> =>
        actions.run({ ...query, ...target }).pipe(
          Semaphore.withPermits(places, 1),
          Effect.map(({ resourceVersion, status }): BulkOutcome => ({ ...target, status, resourceVersion })),
          Effect.catch((error) =>
            Effect.map(FailedAction.fromError(error), ({ code, status }): BulkOutcome => ({ ...target, status, code }))
          )
        )

      /** Changes the workloads of one cluster. */
      const changeCluster = Effect.fnUntraced(function* <Stop extends string>(
        query: BulkQuery<Stop>,
        targets: ReadonlyArray<BulkTarget>
      ) {
        let silence: OutcomeCode | undefined
        const attempt = Effect.fnUntraced(function* (target: BulkTarget) {
          if (silence !== undefined) return { ...target, status: "failed", code: silence } satisfies BulkOutcome<Stop>
          const stopped = yield* query.stopped ?? NOT_STOPPED
          if (stopped !== undefined) return { ...target, status: "refused", code: stopped } satisfies BulkOutcome<Stop>
          const outcome = yield* changeOne(query, target)
          silence ??= silenceOf(outcome)
          return outcome
        })
        const change = (target: BulkTarget) =>
          Effect.tap(attempt(target), (outcome: BulkOutcome<Stop>) => query.tell?.(outcome) ?? Effect.void)
        return yield* Effect.forEach(targets, change, { concurrency: PER_CLUSTER })
      })

      const change = Effect.fn("BulkActions.run")(function* <Stop extends string>(query: BulkQuery<Stop>) {
        const ofClusters = Map.groupBy(query.targets, ({ cluster }) => cluster)
        yield* Effect.annotateCurrentSpan({
          clusters: ofClusters.size,
          targets: query.targets.length,
          action: query.change.action,
          isDryRun: query.isDryRun
        })
        const done = yield* Effect.forEach(ofClusters.values(), (targets) => changeCluster(query, targets), {
          concurrency: CLUSTERS_AT_ONCE
        })
        const outcomes = new Map(
          [...ofClusters.values()].flatMap((targets, at) =>
            targets.map((target, index) => [target, done[at]?.[index]] as const)
          )
        )
        return query.targets.flatMap((target) => outcomes.get(target) ?? [])
      })

      const select = Effect.fn("BulkActions.select")(function* (selection: Selection) {
        const { cursorBinding, labelSelector, namespaces, target, timeoutMs } = selection
        const { clusters, items, partial } = yield* workloads.list({
          target,
          namespaces,
          filter: { labelSelector },
          page: { sort: "cluster", order: "asc", limit: MAX_TARGETS, consistency: "live", timeoutMs },
          cursorBinding
        })
        const count = clusters.reduce((sum, coverage) => sum + coverage.count, 0)
        if (count > MAX_TARGETS) return yield* new TooManySelected({ count })
        const targets = items.map(({ cluster, kind, name, namespace }) => ({ cluster, namespace, kind, name }))
        return { targets, partial }
      })

      return BulkActions.of({
        require: RequireNamespaces.make(yield* FanOut, yield* ClusterReader),
        select,
        run: (query) => Effect.flatMap(Effect.forkIn(change(query), scope), Fiber.join)
      })
    })
  )
}

/** The code of a cluster that is not asked again in the same call: it did not answer, and the next would wait as long. */
const silenceOf = ({ code }: BulkOutcome): OutcomeCode | undefined => {
  switch (code) {
    case "cluster_unreachable":
    case "cluster_throttled":
    case "cluster_timeout":
      return code
    // The next was not sent.
    case "outcome_unknown":
      return "cluster_unreachable"
    default:
      return undefined
  }
}
