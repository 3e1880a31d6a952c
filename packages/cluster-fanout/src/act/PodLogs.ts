/**
 * Reads the logs of a pod's containers.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { Context, Effect, Fiber, Layer, Option, type Scope } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { KubeLogs, type LogRequest, type OpenedLog } from "../kube/KubeLogs.ts"
import { type Answer, FanOut } from "../list/FanOut.ts"
import type { FanOutFailed, NamespaceForbidden } from "../list/ListError.ts"
import { fields, list, text } from "../projection/Field.ts"
import * as Kind from "../projection/Kind.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterRegistry } from "../registry/ClusterRegistry.ts"
import { ClusterDropped, ContainerUnclear, LogsUnavailable, PodNotFound } from "./ActionError.ts"
import { LogTail } from "./LogTail.ts"
import * as RequireNamespace from "./RequireNamespace.ts"

/** Upper bound of a returned log. **Units** bytes. */
export const MOST_BYTES = 1024 * 1024

/** Requests the log of a container. **Units** `timeoutMs` for the whole read; for a followed log, until it is open. */
export interface LogQuery {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly name: string
  /** Namespaces that the key may access. */
  readonly namespaces: NamespaceFilter
  /** The container. Optional if the pod has only one. */
  readonly container?: string
  /** Read the log of the previous run, before the last restart. */
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
  readonly sinceSeconds?: number
  readonly tailLines: number
  readonly timeoutMs: number
}

/**
 * The log of a container. **Shape** `isCut` is true if the log was longer than {@link MOST_BYTES}. Then `bytes` is its
 * newest part and begins with a whole line.
 */
export interface PodLog {
  readonly container: string
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

/** A log that is followed. */
export interface FollowedLog {
  readonly container: string
  /**
   * Waits for the next chunk. Returns `None` once the container writes no more.
   *
   * **Errors** `LogsUnavailable` if the cluster rejects the request after `REFUSAL_MS`; `ClusterError` if the
   * connection broke.
   */
  readonly read: Effect.Effect<Option.Option<Uint8Array>, ClusterError | LogsUnavailable>
  /**
   * Checks again that the key may access the namespace and that the cluster is still registered. **Errors** those of
   * {@link PodLogs} before the log is read, and `ClusterDropped`.
   */
  readonly requireReach: Effect.Effect<void, ClusterDropped | FanOutFailed | NamespaceForbidden>
}

export type PodLogError = ContainerUnclear | FanOutFailed | LogsUnavailable | NamespaceForbidden | PodNotFound

export class PodLogs extends Context.Service<
  PodLogs,
  {
    /**
     * Reads the newest lines of one container.
     *
     * **Errors** `NamespaceForbidden` before anything is read; `PodNotFound`; `ContainerUnclear` if the pod has no such
     * container, or several and none is named; `LogsUnavailable` with the cluster's message; `FanOutFailed` if the
     * cluster does not answer.
     *
     * **Limits** two reads through the cluster's breaker. The log uses one of the cluster's connections for logs. At
     * most {@link MOST_BYTES} are held, whatever the length of lines.
     */
    readonly read: (query: LogQuery) => Effect.Effect<PodLog, PodLogError>
    /**
     * Reads the newest lines of one container and then each new line, until the scope ends.
     *
     * **Errors** the same as `read`.
     *
     * **Limits** uses one of the cluster's connections for followed logs. Data is read from the cluster only on demand.
     */
    readonly follow: (query: LogQuery) => Effect.Effect<FollowedLog, PodLogError, Scope.Scope>
  }
>()("@quarterdeck/cluster-fanout/PodLogs") {
  static readonly layer = Layer.effect(
    PodLogs,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const logs = yield* KubeLogs
      const fanOut = yield* FanOut
      const registry = yield* ClusterRegistry
      const requireNamespace = RequireNamespace.make(fanOut, yield* ClusterReader)

      const ask = Effect.fnUntraced(function* <A, R>(
        { cluster: name, timeoutMs }: LogQuery,
        question: (cluster: Cluster) => Effect.Effect<LogAnswer<A>, ClusterError, R>
      ) {
        const [reply] = yield* fanOut.ask([name], { source: "live", timeoutMs }, (cluster) =>
          Effect.map(question(cluster), answerOf)
        )
        // The fan-out has one cluster and fails if that cluster fails, so the reply has a value.
        if (reply?.value === undefined) return yield* Effect.die(new Error("an answer without a value"))
        return yield* reply.value
      })
      const read = Effect.fn("PodLogs.read")(function* (query: LogQuery) {
        yield* Effect.annotateCurrentSpan({ cluster: query.cluster })
        yield* requireNamespace(query)
        return yield* ask(query, (cluster) => readOne({ api, logs, query }, cluster))
      })
      const follow = Effect.fn("PodLogs.follow")(function* (query: LogQuery) {
        yield* Effect.annotateCurrentSpan({ cluster: query.cluster })
        yield* requireNamespace(query)
        const { openedOn, ...followed } = yield* ask(query, (cluster) => followOne({ api, logs, query }, cluster))
        const requireCluster = Effect.flatMap(registry.snapshot, ({ clusters }) =>
          clusters.some(({ generation, name }) => name === openedOn.name && generation === openedOn.generation)
            ? Effect.void
            : Effect.fail(new ClusterDropped({ cluster: openedOn.name }))
        )
        return { ...followed, requireReach: Effect.andThen(requireCluster, requireNamespace(query)) }
      })
      return PodLogs.of({ read, follow })
    })
  )
}

const SILENCE_MS = 30_000

/** Answer of the cluster: the log, or the reason why there is none. */
type LogAnswer<A> = Effect.Effect<A, ContainerUnclear | LogsUnavailable | PodNotFound>

const answerOf = <A>(value: LogAnswer<A>): Answer<LogAnswer<A>> => ({
  value,
  count: 1,
  ageMs: 0,
  isStale: false,
  missingKinds: []
})

interface Reading {
  readonly api: KubeApi["Service"]
  readonly logs: KubeLogs["Service"]
  readonly query: LogQuery
}

const readOne = Effect.fnUntraced(function* (
  reading: Reading,
  cluster: Cluster
): Effect.fn.Return<LogAnswer<PodLog>, ClusterError, Scope.Scope> {
  const container = yield* findContainer(reading, cluster)
  if (typeof container !== "string") return Effect.fail(container)
  const opened = yield* reading.logs.open(cluster, requestOf(reading.query, container, false))
  if (opened._tag === "Refused") return Effect.fail(refused(cluster, container, opened.problem))
  const tail = new LogTail(MOST_BYTES)
  for (;;) {
    const piece = yield* opened.read(SILENCE_MS)
    if (Option.isNone(piece)) break
    tail.push(piece.value)
  }
  return Effect.succeed({ container, bytes: tail.bytes(), isCut: tail.isCut })
}, Effect.scoped)

/** Time for the server to reject a followed log. After that, the log counts as open. */
const REFUSAL_MS = 1_000
/**
 * Silence timeout of a followed log. Longer than a log may be followed, so it never expires. **Units** milliseconds.
 */
const NEVER_SILENT_MS = 24 * 60 * 60_000

const followOne = Effect.fnUntraced(function* (
  reading: Reading,
  cluster: Cluster
): Effect.fn.Return<
  LogAnswer<Omit<FollowedLog, "requireReach"> & { readonly openedOn: Cluster }>,
  ClusterError,
  Scope.Scope
> {
  const container = yield* findContainer(reading, cluster)
  if (typeof container !== "string") return Effect.fail(container)
  const request = requestOf(reading.query, container, true)
  const opening = yield* Effect.forkScoped(reading.logs.open(cluster, request))
  const early = yield* Effect.timeoutOption(Fiber.join(opening), REFUSAL_MS)
  if (Option.isSome(early) && early.value._tag === "Refused") {
    return Effect.fail(refused(cluster, container, early.value.problem))
  }
  const next = (opened: OpenedLog): FollowedLog["read"] =>
    opened._tag === "Open" ? opened.read(NEVER_SILENT_MS) : Effect.fail(refused(cluster, container, opened.problem))
  return Effect.succeed({ openedOn: cluster, container, read: Effect.flatMap(Fiber.join(opening), next) })
})

const refused = ({ name }: Cluster, container: string, problem: string) =>
  new LogsUnavailable({ cluster: name, container, problem })

const requestOf = (query: LogQuery, container: string, isFollowed: boolean): LogRequest => {
  const { hasTimestamps, isPrevious, name: pod, namespace, sinceSeconds, tailLines } = query
  const since = sinceSeconds === undefined ? {} : { sinceSeconds }
  return { namespace, pod, container, isPrevious, hasTimestamps, tailLines, isFollowed, ...since }
}

const findContainer = Effect.fnUntraced(function* ({ api, query }: Reading, cluster: Cluster) {
  const { cluster: name, container, name: pod, namespace } = query
  const found = yield* api.find(cluster, { resource: Kind.resources.Pod, namespace }, pod)
  return Option.isNone(found)
    ? new PodNotFound({ cluster: name, namespace, name: pod })
    : containerOf(found.value, container)
})

const namesIn = (spec: unknown, field: string): ReadonlyArray<string> =>
  list(fields(spec)[field]).flatMap((container) => text(fields(container)["name"]) ?? [])

/** Finds the requested container among all containers of a pod. */
const containerOf = ({ metadata, spec }: KubeObject, asked: string | undefined): string | ContainerUnclear => {
  const containers = namesIn(spec, "containers")
  const all = [...containers, ...namesIn(spec, "initContainers"), ...namesIn(spec, "ephemeralContainers")]
  const only = containers.length === 1 ? containers[0] : undefined
  const named = asked === undefined ? only : all.find((name) => name === asked)
  return (
    named ?? new ContainerUnclear({ pod: metadata.name, ...(asked === undefined ? {} : { asked }), containers: all })
  )
}
