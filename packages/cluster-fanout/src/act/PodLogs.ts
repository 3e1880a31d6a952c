/**
 * Reads what the containers of a pod have written.
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

/** The most that is given of a log. **Units** bytes. */
export const MOST_BYTES = 1024 * 1024

/** Asks for the log of a container; `timeoutMs` is for everything, or for a log that is followed until it is open. */
export interface LogQuery {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly name: string
  /** What the key reaches. */
  readonly namespaces: NamespaceFilter
  /** The container; of a pod with one, that one unless given. */
  readonly container?: string
  /** Of the container before it was last restarted. */
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
  readonly sinceSeconds?: number
  readonly tailLines: number
  readonly timeoutMs: number
}

/**
 * The log of a container; `isCut` where there were more than {@link MOST_BYTES}, of which the newest are given, from
 * the beginning of a line on.
 */
export interface PodLog {
  readonly container: string
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

/** A log that goes on. */
export interface FollowedLog {
  readonly container: string
  /**
   * Waits for the next piece of it; none once the container writes no more.
   *
   * **Errors** `LogsUnavailable` where the cluster refuses only now; `ClusterError` where it broke off.
   */
  readonly read: Effect.Effect<Option.Option<Uint8Array>, ClusterError | LogsUnavailable>
  /**
   * Asks again whether the key reaches the namespace, and the cluster is still there. **Errors** as those of {@link PodLogs} that
   * come first, and `ClusterDropped`.
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
     * **Errors** `NamespaceForbidden` before anything is asked; `PodNotFound`; `ContainerUnclear` for a container that the
     * pod does not have, and where one of several must be named; `LogsUnavailable` with what the cluster said;
     * `FanOutFailed` when it does not answer.
     *
     * **Limits** two reads through the cluster's breaker, the log on one of the cluster's connections for logs; {@link MOST_BYTES} are held,
     * however long the lines are.
     */
    readonly read: (query: LogQuery) => Effect.Effect<PodLog, PodLogError>
    /**
     * Reads the newest lines of one container, and what it writes from then on, until the scope ends.
     *
     * **Errors** as of `read`.
     *
     * **Limits** holds one of the cluster's connections for logs that are followed; nothing is taken from the cluster before it
     * is read.
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
        { cluster, timeoutMs }: LogQuery,
        one: (cluster: Cluster) => Effect.Effect<Said<A>, ClusterError, R>
      ) {
        const [reply] = yield* fanOut.ask([cluster], { source: "live", timeoutMs }, (asked) =>
          Effect.map(one(asked), answerOf)
        )
        // The fan-out fails where its only cluster does.
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
        const { asked, ...followed } = yield* ask(query, (cluster) => followOne({ api, logs, query }, cluster))
        const requireCluster = Effect.flatMap(registry.snapshot, ({ clusters }) =>
          clusters.some(({ generation, name }) => name === asked.name && generation === asked.generation)
            ? Effect.void
            : Effect.fail(new ClusterDropped({ cluster: asked.name }))
        )
        return { ...followed, requireReach: Effect.andThen(requireCluster, requireNamespace(query)) }
      })
      return PodLogs.of({ read, follow })
    })
  )
}

const SILENCE_MS = 30_000

/** What one cluster said: the log, or why there is none, which is an answer too. */
type Said<A> = Effect.Effect<A, ContainerUnclear | LogsUnavailable | PodNotFound>

const answerOf = <A>(value: Said<A>): Answer<Said<A>> => ({
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
): Effect.fn.Return<Said<PodLog>, ClusterError, Scope.Scope> {
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

/** How long a server may take to refuse a log that is to be followed, before it counts as one that says nothing yet. */
const REFUSAL_MS = 1_000
/** Longer than anybody follows a log. */
const NEVER_SILENT_MS = 24 * 60 * 60_000

const followOne = Effect.fnUntraced(function* (
  reading: Reading,
  cluster: Cluster
): Effect.fn.Return<Said<Omit<FollowedLog, "requireReach"> & { readonly asked: Cluster }>, ClusterError, Scope.Scope> {
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
  return Effect.succeed({ asked: cluster, container, read: Effect.flatMap(Fiber.join(opening), next) })
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

/** Finds the container that is meant, among those that may have written anything. */
const containerOf = ({ metadata, spec }: KubeObject, asked: string | undefined): string | ContainerUnclear => {
  const containers = namesIn(spec, "containers")
  const all = [...containers, ...namesIn(spec, "initContainers"), ...namesIn(spec, "ephemeralContainers")]
  const only = containers.length === 1 ? containers[0] : undefined
  const named = asked === undefined ? only : all.find((name) => name === asked)
  return (
    named ?? new ContainerUnclear({ pod: metadata.name, ...(asked === undefined ? {} : { asked }), containers: all })
  )
}
