/**
 * Changes one workload of one cluster and returns the outcome.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { Context, DateTime, Duration, Effect, Layer, Option, Result } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { type Breaker, Breakers } from "../kube/Breaker.ts"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import * as Coverage from "../kube/Coverage.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { KubeWriter, type Patch } from "../kube/KubeWriter.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { FanOut } from "../list/FanOut.ts"
import type { FanOutFailed, NamespaceForbidden } from "../list/ListError.ts"
import type { WorkloadKind } from "../projection/Kind.ts"
import * as Kind from "../projection/Kind.ts"
import type { Cluster } from "../registry/Cluster.ts"
import * as Action from "./Action.ts"
import {
  ActionNotDone,
  ActionRefused,
  ActionUnsupported,
  OutcomeUnknown,
  WorkloadChanged,
  WorkloadNotFound
} from "./ActionError.ts"
import * as LostAnswer from "./LostAnswer.ts"
import * as RequireNamespace from "./RequireNamespace.ts"
import * as FindWorkload from "./FindWorkload.ts"

/**
 * Requests a change of one workload. **Units** `readMs` is the deadline of each read, `writeMs` that of the change,
 * which may wait for admission webhooks.
 */
export interface ActionQuery {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly kind: string
  readonly name: string
  /** Namespaces that the key may access. */
  readonly namespaces: NamespaceFilter
  readonly change: Action.Change
  readonly isDryRun: boolean
  /** The version that the caller expects. */
  readonly resourceVersion?: string
  readonly readMs: number
  readonly writeMs: number
}

/**
 * Outcome of an action. For a dry run, `after` is the state that the change would produce, and `resourceVersion` is the
 * workload's current version.
 */
export interface ActionOutcome {
  readonly status: "applied" | "dryRun"
  readonly resourceVersion: string
  readonly before: Action.ActionState
  readonly after: Action.ActionState
}

export type ActionError =
  | ActionNotDone
  | ActionRefused
  | ActionUnsupported
  | FanOutFailed
  | NamespaceForbidden
  | OutcomeUnknown
  | WorkloadChanged
  | WorkloadNotFound

/** Called with the outcome of every change that was sent, even if the caller has disconnected. */
export type OnOutcome = (outcome: Result.Result<ActionOutcome, ActionError>) => Effect.Effect<void>

export class WorkloadActions extends Context.Service<
  WorkloadActions,
  {
    /**
     * Changes a workload once.
     *
     * **Errors** before the change is sent: `ActionUnsupported`, `NamespaceForbidden`, `FanOutFailed` if the cluster
     * does not answer the first read, `WorkloadNotFound`, `WorkloadChanged`. From the change itself: `WorkloadChanged`
     * and `ActionRefused`, with nothing changed. If the answer to the change is lost, the workload is read back. If
     * that does not show the change: `ActionNotDone` or `OutcomeUnknown`.
     *
     * **Limits** one read and one write, never repeated. If the caller disconnects after the write was sent, the run
     * continues within its deadlines and reports to `onOutcome` only.
     */
    readonly run: (query: ActionQuery, onOutcome?: OnOutcome) => Effect.Effect<ActionOutcome, ActionError>
  }
>()("@quarterdeck/cluster-fanout/WorkloadActions") {
  static readonly layer = Layer.effect(
    WorkloadActions,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const writer = yield* KubeWriter
      const breakers = yield* Breakers
      const fanOut = yield* FanOut
      const requireNamespace = RequireNamespace.make(fanOut, yield* ClusterReader)
      const findOne = FindWorkload.make(fanOut, api)

      const run = Effect.fn("WorkloadActions.run")(function* (
        query: ActionQuery,
        onOutcome: OnOutcome = () => Effect.void
      ) {
        const { change, cluster: name, namespace, namespaces, readMs: timeoutMs, resourceVersion } = query
        const { action } = change
        yield* Effect.annotateCurrentSpan({ cluster: name, action, isDryRun: query.isDryRun })
        const kind = Action.kindNamed(action, query.kind)
        if (kind === undefined) {
          return yield* new ActionUnsupported({ action, kind: query.kind, kinds: Action.kindsOf(action) })
        }
        yield* requireNamespace({ cluster: name, namespace, namespaces, timeoutMs })
        const { cluster, object } = yield* findOne({ ...query, kind, timeoutMs })
        const known = object.metadata.resourceVersion
        if (resourceVersion !== undefined && resourceVersion !== known) {
          return yield* new WorkloadChanged({ resourceVersion: known })
        }
        const wanted = Action.wantedBy(change, DateTime.formatIso(yield* DateTime.now))
        const breaker = yield* breakers.find(cluster)
        const changing = { api, breaker, cluster, kind, object, query, wanted, writer }
        // Once the change is sent, its outcome must be determined and recorded, even if the caller disconnects.
        const outcome = yield* Effect.uninterruptible(Effect.tap(Effect.result(write(changing)), onOutcome))
        return yield* Effect.fromResult(outcome)
      })
      return WorkloadActions.of({ run })
    })
  )
}

/** A change to send. **Shape** `object` is the workload before the change. */
interface Changing {
  readonly api: KubeApi["Service"]
  readonly writer: KubeWriter["Service"]
  readonly breaker: Breaker
  readonly cluster: Cluster
  readonly kind: WorkloadKind
  readonly object: KubeObject
  readonly query: ActionQuery
  readonly wanted: Action.ActionState
}

const write = Effect.fnUntraced(function* (changing: Changing) {
  const { breaker, cluster, object, query, writer } = changing
  const { action } = query.change
  const before = Action.stateOf(action, object)
  const startedAt = yield* steadyClock.now
  const answer = yield* breaker.guard(writer.patch(cluster, patchOf(changing))).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(query.writeMs),
      orElse: () => Effect.andThen(breaker.suspect, timedOut(cluster, query.writeMs))
    }),
    Effect.matchEffect({
      onSuccess: (changed): Effect.Effect<Answer, ActionError> =>
        Effect.succeed({
          after: Action.stateOf(action, changed),
          resourceVersion: changed.metadata.resourceVersion
        }),
      onFailure: (error) => failed(changing, error, startedAt)
    })
  )
  return { status: query.isDryRun ? "dryRun" : "applied", before, ...answer } satisfies ActionOutcome
})

type Answer = Pick<ActionOutcome, "after" | "resourceVersion">

const patchOf = ({ kind, query, wanted }: Changing): Patch => ({
  scope: { resource: Kind.resources[kind], namespace: query.namespace },
  name: query.name,
  isDryRun: query.isDryRun,
  ...Action.patchOf(kind, wanted, query.resourceVersion)
})

const timedOut = ({ name }: Cluster, timeoutMs: number) =>
  Effect.fail(new ClusterError({ cluster: name, reason: new ClusterTimeout({ timeoutMs }) }))

/** Handles a failed change: maps a rejection to its error, or reads back a change whose answer was lost. */
const failed = Effect.fnUntraced(function* (
  changing: Changing,
  error: ClusterError,
  startedAt: number
): Effect.fn.Return<Answer, ActionError> {
  const { cluster, kind, object, query, wanted } = changing
  const { reason } = error
  if (reason._tag === "ClusterRefused") return yield* refusal(query, reason)
  const latencyMs = Math.max(0, Math.round((yield* steadyClock.now) - startedAt))
  const notDone = new ActionNotDone({ coverage: Coverage.fromError(error, { source: "live", latencyMs }) })
  if (query.isDryRun || !LostAnswer.mayBeDone(error)) return yield* notDone
  const place = { resource: Kind.resources[kind], namespace: query.namespace }
  const reading = changing.api.find(cluster, place, query.name).pipe(
    Effect.timeoutOption(query.readMs),
    Effect.map(Option.flatten),
    Effect.catch(() => Effect.succeedNone)
  )
  const found = yield* LostAnswer.settle(reading, {
    before: object,
    isReached: (read) => Action.isReached(wanted, Action.stateOf(query.change.action, read))
  })
  switch (found._tag) {
    case "Done":
      return { after: wanted, resourceVersion: found.resourceVersion }
    case "NotDone":
      // After a timeout, a proxy may still deliver the change. After a broken connection, the reads are conclusive.
      return yield* reason._tag === "ClusterTimeout" ? new OutcomeUnknown({ cluster: cluster.name }) : notDone
    case "Unknown":
      return yield* new OutcomeUnknown({ cluster: cluster.name })
  }
})

const refusal = (
  { cluster, kind, name, namespace }: ActionQuery,
  { problem, status }: { readonly problem: string; readonly status: number }
): Effect.Effect<never, ActionError> => {
  if (status === 404) return Effect.fail(new WorkloadNotFound({ cluster, namespace, kind, name }))
  if (status === 409) return Effect.fail(new WorkloadChanged({}))
  return Effect.fail(new ActionRefused({ cluster, problem }))
}
