/**
 * Reads one workload of one cluster live, with its pods.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { Context, Effect, Layer, Option, Semaphore, Stream } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { isMissing } from "../cache/KindTable.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import * as Coverage from "../kube/Coverage.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { TurnBudget } from "../kube/TurnBudget.ts"
import { FanOut } from "../list/FanOut.ts"
import type { FanOutFailed, NamespaceForbidden } from "../list/ListError.ts"
import * as Kind from "../projection/Kind.ts"
import * as PodRows from "../projection/PodRows.ts"
import type { PodRow, WorkloadDetail } from "../projection/Row.ts"
import * as Detail from "../projection/WorkloadDetail.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { WorkloadNotFound } from "./ActionError.ts"
import * as RequireNamespace from "./RequireNamespace.ts"
import { WorkloadParts } from "./WorkloadParts.ts"

/** Upper bound of the pods returned for a workload. */
export const MOST_PODS = 500

/** Requests one workload. **Units** `timeoutMs` for all reads together. */
export interface LookupQuery {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly kind: string
  readonly name: string
  /** Namespaces that the key may access. */
  readonly namespaces: NamespaceFilter
  /** Whether pods may show text that may come from a log. */
  readonly mayReadLogs?: boolean
  readonly timeoutMs: number
}

/**
 * A workload with its pods.
 *
 * **Shape** `pods` are the first {@link MOST_PODS} of `podCount` pods: first those that are neither ready nor finished,
 * then the others, each by name. `partial` is true if the credential may not read the pods, or the ReplicaSets and Jobs
 * that own them.
 */
export interface WorkloadLook {
  readonly workload: WorkloadDetail
  readonly pods: ReadonlyArray<PodRow>
  readonly podCount: number
  readonly clusters: ReadonlyArray<Coverage.Coverage>
  readonly partial: boolean
}

export type LookupError = FanOutFailed | NamespaceForbidden | WorkloadNotFound

/** Workloads whose pods are listed at the same time, for the whole process. */
export const LookupLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/WorkloadDetails/LookupLanes", {
  defaultValue: () => 16
})

export class WorkloadDetails extends Context.Service<
  WorkloadDetails,
  {
    /**
     * Reads a workload.
     *
     * **Errors** `NamespaceForbidden` before anything is read; `WorkloadNotFound`, also for an object that belongs to
     * another workload, as the ReplicaSets of a Deployment do; `FanOutFailed` if the cluster does not answer.
     *
     * **Limits** reads the object, then lists the ReplicaSets, Jobs and all pods of its namespace, because indirectly
     * owned pods may have other labels. At most `LookupLanes` lookups list pods at a time. Keeps three fields of each
     * pod of other workloads.
     */
    readonly look: (query: LookupQuery) => Effect.Effect<WorkloadLook, LookupError>
  }
>()("@quarterdeck/cluster-fanout/WorkloadDetails") {
  static readonly layer = Layer.effect(
    WorkloadDetails,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const fanOut = yield* FanOut
      const turns = yield* TurnBudget
      const lanes = yield* Semaphore.make(yield* LookupLanes)
      const requireNamespace = RequireNamespace.make(fanOut, yield* ClusterReader)

      const look = Effect.fn("WorkloadDetails.look")(function* (query: LookupQuery) {
        const { cluster: name, kind, namespace, timeoutMs } = query
        yield* Effect.annotateCurrentSpan({ cluster: name })
        yield* requireNamespace(query)
        const ask = (cluster: Cluster) =>
          Effect.map(find({ api, cluster, lanes, query, turns }), (found) => ({
            value: found,
            count: Option.isSome(found) ? 1 : 0,
            ageMs: 0,
            isStale: false,
            missingKinds: Option.match(found, { onNone: () => [], onSome: ({ missingKinds }) => missingKinds })
          }))
        const [reply] = yield* fanOut.ask([name], { source: "live", timeoutMs }, ask)
        // The fan-out has one cluster and fails if that cluster fails, so the reply has a value.
        if (reply?.value === undefined) return yield* Effect.die(new Error("an answer without a value"))
        if (Option.isNone(reply.value)) {
          return yield* new WorkloadNotFound({ cluster: name, namespace, kind, name: query.name })
        }
        const { podCount, workload } = reply.value.value
        const pods = reply.value.value.pods.map((pod) => PodRows.readable(pod, query.mayReadLogs))
        const clusters = [reply.coverage]
        return { workload, pods, podCount, clusters, partial: Coverage.isPartial(clusters) }
      })
      return WorkloadDetails.of({ look })
    })
  )
}

/** Services and query of one lookup. */
interface Looking {
  readonly api: KubeApi["Service"]
  readonly cluster: Cluster
  readonly lanes: Semaphore.Semaphore
  readonly query: LookupQuery
  readonly turns: TurnBudget
}

interface Found {
  readonly workload: WorkloadDetail
  readonly pods: ReadonlyArray<PodRow>
  readonly podCount: number
  readonly missingKinds: ReadonlyArray<string>
}

const find = Effect.fnUntraced(function* (looking: Looking): Effect.fn.Return<Option.Option<Found>, ClusterError> {
  const { api, cluster, lanes, query } = looking
  const kind = Kind.workloadKinds.find((workloadKind) => workloadKind === query.kind)
  if (kind === undefined) return yield* lanes.withPermit(withPods(looking, undefined))
  const scope = { resource: Kind.resources[kind], namespace: query.namespace }
  const object = Option.getOrUndefined(yield* api.find(cluster, scope, query.name))
  return yield* lanes.withPermit(withPods(looking, { kind, object }))
})

/** The workload's own object, if it exists. */
interface Own {
  readonly kind: Kind.WorkloadKind
  readonly object: KubeObject | undefined
}

/**
 * Reads the pods of a workload. **Shape** a workload without an object, for example of a custom kind, is known only by
 * its pods.
 */
const withPods = Effect.fnUntraced(function* (looking: Looking, own: Own | undefined) {
  const { cluster, query } = looking
  const parts = new WorkloadParts(cluster, query, yield* steadyClock.now)
  const missingKinds = yield* collect(looking, parts, own)
  const rows = parts.rows()
  const object = own?.object
  if (object !== undefined) {
    const match = rows.find(({ id }) => id === object.metadata.uid)
    // An object that another object controls is part of that workload.
    return Option.map(Option.fromUndefinedOr(match), (row) =>
      found(Detail.ofObject(row, object, parts.restarts), parts, missingKinds)
    )
  }
  const match = rows.find(({ kind, name }) => kind === query.kind && name === query.name)
  return Option.map(Option.fromUndefinedOr(match), (row) =>
    found(Detail.ofPods(row, parts.specs(), parts.restarts), parts, missingKinds)
  )
})

const found = (workload: WorkloadDetail, parts: WorkloadParts, missingKinds: ReadonlyArray<string>): Found => ({
  workload,
  pods: parts.pods(MOST_PODS),
  podCount: parts.podCount,
  missingKinds
})

/** Lists the ReplicaSets and Jobs of the namespace, then the pods. Returns the kinds that could not be read. */
const collect = Effect.fnUntraced(function* (
  { api, cluster, query, turns }: Looking,
  parts: WorkloadParts,
  own: Own | undefined
) {
  const missingKinds: Array<string> = []
  const list = <A>(
    kind: Kind.LinkKind,
    each: (object: KubeObject) => A
  ): Effect.Effect<Option.Option<ReadonlyArray<A>>, ClusterError> => {
    const pages = api.list(cluster, { resource: Kind.resources[kind], namespace: query.namespace }, {})
    return Stream.runFold(
      Stream.mapEffect(pages, (page) => turns.map(page, each)),
      (): Array<A> => [],
      (all, page) => {
        for (const item of page) all.push(item)
        return all
      }
    ).pipe(
      Effect.asSome,
      Effect.catchIf(isMissing, () => {
        missingKinds.push(kind)
        return Effect.succeed(Option.none())
      })
    )
  }
  const take = (kind: "ReplicaSet" | "Job") =>
    Effect.map(
      list(kind, (object) => parts.record(kind, object)),
      Option.map((records) => parts.put(kind, records))
    )
  yield* Effect.all([take("ReplicaSet"), take("Job")], { concurrency: 2, discard: true })
  yield* list("Pod", (object) => parts.addPod(object))
  const { kind, object } = own ?? {}
  if (kind === "Pod") {
    if (object !== undefined) parts.addPod(object)
  } else if (kind !== undefined && object !== undefined) parts.putOwn(kind, parts.record(kind, object))
  else if (kind !== undefined && !Kind.isLink(kind)) parts.put(kind, [])
  return missingKinds
})
