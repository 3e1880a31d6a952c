/**
 * Reads what the containers of a pod have written.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { Context, Effect, Layer, Option } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { KubeLogs } from "../kube/KubeLogs.ts"
import { type Answer, FanOut } from "../list/FanOut.ts"
import type { FanOutFailed, NamespaceForbidden } from "../list/ListError.ts"
import { fields, list, text } from "../projection/Field.ts"
import * as Kind from "../projection/Kind.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ContainerUnclear, LogsUnavailable, PodNotFound } from "./ActionError.ts"
import { LogTail } from "./LogTail.ts"
import * as NamespaceReach from "./NamespaceReach.ts"

/** The most that is given of a log. **Units** bytes. */
export const MOST_BYTES = 1024 * 1024

/** **Units** `timeoutMs` for everything. */
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

/** **Shape** `isCut` where there were more than {@link MOST_BYTES}: the newest are given, from the beginning of a line on. */
export interface PodLog {
  readonly container: string
  readonly bytes: Uint8Array
  readonly isCut: boolean
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
  }
>()("@quarterdeck/cluster-fanout/PodLogs") {
  static readonly layer = Layer.effect(
    PodLogs,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const logs = yield* KubeLogs
      const fanOut = yield* FanOut
      const requireNamespace = NamespaceReach.make(fanOut, yield* ClusterReader)

      const read = Effect.fn("PodLogs.read")(function* (query: LogQuery) {
        const { cluster: name, timeoutMs } = query
        yield* Effect.annotateCurrentSpan({ cluster: name })
        yield* requireNamespace(query)
        const [reply] = yield* fanOut.ask([name], { source: "live", timeoutMs }, (cluster) =>
          Effect.map(readOne({ api, logs, query }, cluster), answerOf)
        )
        // The fan-out fails where its only cluster does.
        if (reply?.value === undefined) return yield* Effect.die(new Error("an answer without a value"))
        return yield* reply.value
      })
      return PodLogs.of({ read })
    })
  )
}

const SILENCE_MS = 30_000

/** What one cluster said: the log, or why there is none, which is an answer too. */
type Said = Effect.Effect<PodLog, ContainerUnclear | LogsUnavailable | PodNotFound>

const answerOf = (value: Said): Answer<Said> => ({ value, count: 1, ageMs: 0, isStale: false, missingKinds: [] })

interface Reading {
  readonly api: KubeApi["Service"]
  readonly logs: KubeLogs["Service"]
  readonly query: LogQuery
}

const readOne = Effect.fnUntraced(function* ({ api, logs, query }: Reading, cluster: Cluster) {
  const { cluster: name, hasTimestamps, isPrevious, name: pod, namespace, sinceSeconds, tailLines } = query
  const found = yield* api.find(cluster, { resource: Kind.resources.Pod, namespace }, pod)
  if (Option.isNone(found)) return Effect.fail(new PodNotFound({ cluster: name, namespace, name: pod }))
  const container = containerOf(found.value, query.container)
  if (container instanceof ContainerUnclear) return Effect.fail(container)
  const opened = yield* logs.open(cluster, {
    namespace,
    pod,
    container,
    isPrevious,
    hasTimestamps,
    tailLines,
    ...(sinceSeconds === undefined ? {} : { sinceSeconds })
  })
  if (opened._tag === "Refused") {
    return Effect.fail(new LogsUnavailable({ cluster: name, container, problem: opened.problem }))
  }
  const tail = new LogTail(MOST_BYTES)
  for (;;) {
    const piece = yield* opened.read(SILENCE_MS)
    if (Option.isNone(piece)) break
    tail.push(piece.value)
  }
  return Effect.succeed<PodLog>({ container, bytes: tail.bytes(), isCut: tail.isCut })
}, Effect.scoped)

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
