/**
 * Looks at one workload of one cluster as it is now, with its pods.
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
import { fields } from "../projection/Field.ts"
import * as Kind from "../projection/Kind.ts"
import type { PodRow, WorkloadDetail } from "../projection/Row.ts"
import * as SelectorText from "../projection/SelectorText.ts"
import * as Detail from "../projection/WorkloadDetail.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { WorkloadNotFound } from "./ActionError.ts"
import * as NamespaceReach from "./NamespaceReach.ts"
import { isOwn } from "./OneWorkload.ts"
import { type IsOwn, WorkloadParts } from "./WorkloadParts.ts"

/** The most pods that are told of a workload. */
export const MOST_PODS = 500

/** Asks for one workload; `timeoutMs` bounds all that is read for it. */
export interface LookupQuery {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly kind: string
  readonly name: string
  /** What the key reaches. */
  readonly namespaces: NamespaceFilter
  readonly timeoutMs: number
}

/**
 * A workload with its pods.
 *
 * **Shape** `pods` are those that are not ready first, then by name, at most {@link MOST_PODS} of `podCount`; `partial`
 * when the service may not read its pods, or what stands between.
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
export const LookupLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/WorkloadLookup/LookupLanes", {
  defaultValue: () => 16
})

export class WorkloadLookup extends Context.Service<
  WorkloadLookup,
  {
    /**
     * Looks at a workload.
     *
     * **Errors** `NamespaceForbidden` before anything is asked; `WorkloadNotFound`, also for what belongs to another workload,
     * as the ReplicaSets of a Deployment do; `FanOutFailed` when the cluster does not answer.
     *
     * **Limits** reads the object, then lists the pods of its selector in its namespace; for a CronJob or a custom kind, which
     * have none, all of the namespace. `LookupLanes` at a time; keeps nothing of a pod that belongs to another workload.
     */
    readonly look: (query: LookupQuery) => Effect.Effect<WorkloadLook, LookupError>
  }
>()("@quarterdeck/cluster-fanout/WorkloadLookup") {
  static readonly layer = Layer.effect(
    WorkloadLookup,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const fanOut = yield* FanOut
      const turns = yield* TurnBudget
      const lanes = yield* Semaphore.make(yield* LookupLanes)
      const requireNamespace = NamespaceReach.make(fanOut, yield* ClusterReader)

      const look = Effect.fn("WorkloadLookup.look")(function* (query: LookupQuery) {
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
        // The fan-out fails where its only cluster does.
        if (reply?.value === undefined) return yield* Effect.die(new Error("an answer without a value"))
        if (Option.isNone(reply.value)) {
          return yield* new WorkloadNotFound({ cluster: name, namespace, kind, name: query.name })
        }
        const { pods, podCount, workload } = reply.value.value
        const clusters = [reply.coverage]
        return { workload, pods, podCount, clusters, partial: Coverage.isPartial(clusters) }
      })
      return WorkloadLookup.of({ look })
    })
  )
}

/** One look at one cluster. */
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
  const kind = Kind.workloadKinds.find((one) => one === query.kind)
  if (kind !== undefined) {
    const scope = { resource: Kind.resources[kind], namespace: query.namespace }
    const object = yield* api.find(cluster, scope, query.name)
    if (Option.isSome(object) && isOwn(kind, object.value)) {
      return Option.some(yield* lanes.withPermit(ofObject(looking, kind, object.value)))
    }
    if (kind === "Pod") return Option.none()
  }
  // A custom kind may have the name of a built-in one, as the Jobs of batch schedulers do.
  return yield* lanes.withPermit(ofPods(looking))
})

const ofObject = Effect.fnUntraced(function* (looking: Looking, kind: Kind.WorkloadKind, object: KubeObject) {
  const { cluster, query } = looking
  const { uid } = object.metadata
  const parts = new WorkloadParts(cluster, yield* steadyClock.now)
  let missingKinds: ReadonlyArray<string> = []
  if (kind === "Pod") parts.takePod(object, () => true)
  else {
    missingKinds = yield* collect(looking, parts, {
      // The Jobs of a CronJob have selectors of their own.
      selector: kind === "CronJob" ? undefined : SelectorText.of(fields(object["spec"])["selector"]),
      between: BETWEEN[kind] ?? [],
      isOwn: (_pod, owner) => owner?.uid === uid
    })
    parts.put(kind, [parts.record(kind, object)])
  }
  const row = parts.rows().find(({ id }) => id === uid)
  if (row === undefined) return yield* Effect.die(new Error(`${kind} ${query.name} makes no row`))
  return found(Detail.ofObject(row, object, parts.restarts), parts, missingKinds)
})

const ofPods = Effect.fnUntraced(function* (looking: Looking) {
  const { cluster, query } = looking
  const parts = new WorkloadParts(cluster, yield* steadyClock.now)
  const missingKinds = yield* collect(looking, parts, {
    selector: undefined,
    between: ["ReplicaSet", "Job"],
    isOwn: (_pod, owner) => owner?.followed === undefined && owner?.kind === query.kind && owner.name === query.name
  })
  const row = parts.rows().find(({ kind, name }) => kind === query.kind && name === query.name)
  return row === undefined
    ? Option.none<Found>()
    : Option.some(found(Detail.ofPods(row, parts.specs(), parts.restarts), parts, missingKinds))
})

const found = (workload: WorkloadDetail, parts: WorkloadParts, missingKinds: ReadonlyArray<string>): Found => ({
  workload,
  pods: parts.pods(MOST_PODS),
  podCount: parts.podCount,
  missingKinds
})

type Between = "ReplicaSet" | "Job"

/** What stands between workloads of a kind and their pods. */
const BETWEEN: Readonly<Partial<Record<Kind.WorkloadKind, ReadonlyArray<Between>>>> = {
  Deployment: ["ReplicaSet"],
  CronJob: ["Job"]
}

interface Wanted {
  readonly selector: string | undefined
  readonly between: ReadonlyArray<Between>
  readonly isOwn: IsOwn
}

/** Lists what stands between, then the pods. **Shape** gives the kinds that may not be read. */
const collect = Effect.fnUntraced(function* (
  { api, cluster, query, turns }: Looking,
  parts: WorkloadParts,
  { between, isOwn: isOwnPod, selector }: Wanted
) {
  const missingKinds: Array<string> = []
  const list = <A>(kind: Between | "Pod", each: (object: KubeObject) => A) => {
    const scope = { resource: Kind.resources[kind], namespace: query.namespace }
    const pages = api.list(cluster, scope, selector === undefined ? {} : { labelSelector: selector })
    return Stream.runFold(
      Stream.mapEffect(pages, (page) => turns.map(page, each)),
      (): Array<A> => [],
      (all, page) => {
        for (const one of page) all.push(one)
        return all
      }
    ).pipe(
      Effect.catchIf(isMissing, () => {
        missingKinds.push(kind)
        return Effect.succeed<Array<A>>([])
      })
    )
  }
  for (const kind of between) parts.put(kind, yield* list(kind, (object) => parts.record(kind, object)))
  yield* list("Pod", (object) => parts.takePod(object, isOwnPod))
  return missingKinds
})
