/**
 * Changes many workloads of many clusters, each once, and returns the outcome of each.
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
import type { WorkloadStatus } from "../projection/Row.ts"
import type * as Action from "./Action.ts"
import * as FailedAction from "./FailedAction.ts"
import type { OutcomeCode } from "./OutcomeCode.ts"
import * as RequireNamespaces from "./RequireNamespaces.ts"
import { WorkloadActions } from "./WorkloadActions.ts"

/** The most workloads that one call changes. */
export const MAX_TARGETS = 500

/** Identifies a workload. */
interface BulkName {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** A workload to change. **Shape** with a `resourceVersion`, the change is refused if the workload has another one. */
export interface BulkTarget extends BulkName {
  readonly resourceVersion?: string
}

/**
 * Requests the same change for many workloads. The caller's key may access `namespaces` only.
 *
 * **Units** `readMs` and `writeMs` as in `ActionQuery`, for each workload.
 */
export interface BulkQuery<Stop extends string = never> {
  readonly targets: ReadonlyArray<BulkTarget>
  readonly namespaces: NamespaceFilter
  readonly change: Action.Change
  readonly isDryRun: boolean
  readonly readMs: number
  readonly writeMs: number
  /**
   * Checked before each workload. Returns a code if no more workloads may be changed, for example after the key was
   * revoked.
   */
  readonly stopped?: Effect.Effect<OutcomeCode | Stop | undefined>
  /** Called with each outcome as soon as it is known, in any order. */
  readonly tell?: (outcome: BulkOutcome<Stop>) => Effect.Effect<void>
}

/** Selects workloads by their labels, and by their status if `status` is given. **Units** `timeoutMs` for all clusters together. */
export interface Selection {
  readonly target: Target
  readonly namespaces: NamespaceFilter
  readonly labelSelector: LabelSelector
  readonly status?: ReadonlyArray<WorkloadStatus>
  readonly timeoutMs: number
  /** Identifies the caller's key. */
  readonly cursorBinding: string
}

/**
 * Outcome of one workload.
 *
 * **Shape** `refused`: nothing was changed, and a retry would be refused too. `failed`: the cluster did not answer.
 */
export interface BulkOutcome<Stop extends string = never> extends BulkName {
  readonly status: "applied" | "dryRun" | "refused" | "failed"
  readonly code?: OutcomeCode | Stop
  readonly resourceVersion?: string
}

/** A selector matches more workloads than one call may change. */
export class TooManySelected extends Schema.TaggedError<TooManySelected>()("TooManySelected", {
  count: Schema.Natural
}) {
  override get message(): string {
    return `matches ${this.count} workloads; one call may change at most ${MAX_TARGETS}`
  }
}

const NOT_STOPPED = Effect.succeed(undefined)

/** Clusters that one call changes at the same time. */
const MAX_CLUSTERS = 8
/** Workloads of one cluster that one call changes at the same time. */
const MAX_PER_CLUSTER = 4
/** Workloads that all calls together change at the same time. */
const MAX_IN_TOTAL = 64

export class BulkActions extends Context.Service<
  BulkActions,
  {
    /**
     * Checks that the key may access the namespaces of all targets.
     *
     * **Errors** `NamespaceForbidden` if the key may not access one of them. The check changes nothing.
     */
    readonly require: (question: RequireNamespaces.BulkQuestion) => Effect.Effect<void, NamespaceForbidden>
    /**
     * Finds the workloads that a selector matches, live in each cluster. Sorted by cluster, namespace, kind and name. A
     * workload selected by its status too is changed only if it has not changed since.
     *
     * **Errors** `TooManySelected` with the count; `FanOutFailed` if no cluster answered.
     */
    readonly select: (selection: Selection) => Effect.Effect<
      {
        readonly targets: ReadonlyArray<BulkTarget>
        /** True if the workloads of at least one cluster could not be read. */
        readonly partial: boolean
      },
      CursorInvalid | FanOutFailed | NamespaceForbidden | TooManySelected
    >
    /**
     * Changes each target as `WorkloadActions.run` does, and returns the outcomes in the order of the targets.
     *
     * **Limits** changes at most 4 workloads of a cluster, 8 clusters of a call and 64 workloads of all calls at the
     * same time. After a cluster did not answer, its remaining targets fail without a request. The run continues if the
     * caller disconnects.
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
      const places = yield* Semaphore.make(MAX_IN_TOTAL)

      const changeOne = (query: Omit<BulkQuery, "stopped" | "tell">, target: BulkTarget): Effect.Effect<BulkOutcome> =>
        actions.run({ ...query, ...target }).pipe(
          Semaphore.withPermits(places, 1),
          Effect.map(({ resourceVersion, status }): BulkOutcome => ({ ...nameOf(target), status, resourceVersion })),
          Effect.catch((error) =>
            Effect.map(FailedAction.fromError(error), ({ code, status }): BulkOutcome => ({
              ...nameOf(target),
              status,
              code
            }))
          )
        )

      /** Changes the workloads of one cluster. */
      const changeCluster = Effect.fnUntraced(function* <Stop extends string>(
        query: BulkQuery<Stop>,
        targets: ReadonlyArray<BulkTarget>
      ) {
        let silence: OutcomeCode | undefined
        const attempt = Effect.fnUntraced(function* (target: BulkTarget) {
          const name = nameOf(target)
          if (silence !== undefined) return { ...name, status: "failed", code: silence } satisfies BulkOutcome<Stop>
          const stopped = yield* query.stopped ?? NOT_STOPPED
          if (stopped !== undefined) return { ...name, status: "refused", code: stopped } satisfies BulkOutcome<Stop>
          const outcome = yield* changeOne(query, target)
          silence ??= silenceOf(outcome)
          return outcome
        })
        const change = (target: BulkTarget) =>
          Effect.tap(attempt(target), (outcome: BulkOutcome<Stop>) => query.tell?.(outcome) ?? Effect.void)
        return yield* Effect.forEach(targets, change, { concurrency: MAX_PER_CLUSTER })
      })

      const change = Effect.fn("BulkActions.run")(function* <Stop extends string>(query: BulkQuery<Stop>) {
        const targetsByCluster = Map.groupBy(query.targets, ({ cluster }) => cluster)
        yield* Effect.annotateCurrentSpan({
          clusters: targetsByCluster.size,
          targets: query.targets.length,
          action: query.change.action,
          isDryRun: query.isDryRun
        })
        const done = yield* Effect.forEach(targetsByCluster.values(), (targets) => changeCluster(query, targets), {
          concurrency: MAX_CLUSTERS
        })
        const outcomes = new Map(
          [...targetsByCluster.values()].flatMap((targets, at) =>
            targets.map((target, index) => [target, done[at]?.[index]] as const)
          )
        )
        return query.targets.flatMap((target) => outcomes.get(target) ?? [])
      })

      const select = Effect.fn("BulkActions.select")(function* (selection: Selection) {
        const { cursorBinding, labelSelector, namespaces, status, target, timeoutMs } = selection
        const { clusters, items, partial, readings } = yield* workloads.listReadings({
          target,
          namespaces,
          filter: { labelSelector, ...(status === undefined ? {} : { status }) },
          page: { sort: "cluster", order: "asc", limit: MAX_TARGETS, consistency: "live", timeoutMs },
          cursorBinding
        })
        const count = clusters.reduce((sum, coverage) => sum + coverage.count, 0)
        if (count > MAX_TARGETS) return yield* new TooManySelected({ count })
        // Without a status, a workload is selected by its labels alone, so a later change of it does not matter.
        const targets = items.map((row): BulkTarget => {
          const { store } = readings.get(row.cluster) ?? {}
          const resourceVersion = status === undefined ? undefined : store?.versionOf(row)
          return { ...nameOf(row), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
        })
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

const nameOf = ({ cluster, kind, name, namespace }: BulkName): BulkName => ({ cluster, namespace, kind, name })

/**
 * Returns the code for the remaining workloads of a cluster that did not answer, or `undefined` if it answered. The
 * remaining workloads are not tried, because each request would time out too.
 */
const silenceOf = ({ code }: BulkOutcome): OutcomeCode | undefined => {
  switch (code) {
    case "cluster_unreachable":
    case "cluster_throttled":
    case "cluster_timeout":
      return code
    // For the remaining workloads nothing was sent, so their outcome is known.
    case "outcome_unknown":
      return "cluster_unreachable"
    default:
      return undefined
  }
}
