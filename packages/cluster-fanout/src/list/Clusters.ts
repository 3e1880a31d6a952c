/**
 * Lists the registered clusters with their health and size, never with their address.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterCache, type Member } from "../cache/ClusterCache.ts"
import { ClusterReader, type Question, type Reading } from "../cache/ClusterReader.ts"
import { ClusterRegistry } from "../registry/ClusterRegistry.ts"
import * as Coverage from "../kube/Coverage.ts"
import * as Cursor from "./Cursor.ts"
import { type Answer, byReading, FanOut, type Reply } from "./FanOut.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import type * as Kind from "../projection/Kind.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { CursorInvalid } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import type { ClusterRow } from "../projection/Row.ts"
import * as RowOrder from "../projection/RowOrder.ts"

/** **Shape** `namespaces` is what the key reaches; `cursorBinding` names the key. */
export interface ClusterQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly page: ListQuery.Page<"name">
  readonly cursorBinding: string
}

/** **Shape** the rows are the coverage too: each holds its own. */
export interface ClusterList {
  readonly clusters: ReadonlyArray<ClusterRow>
  readonly partial: boolean
  readonly nextCursor?: string
}

export class Clusters extends Context.Service<
  Clusters,
  {
    /**
     * Lists the clusters of the target by name.
     *
     * **Shape** a cluster that does not answer is a row that says so, also when none answers: which clusters are
     * registered, and how they are, is known without them.
     *
     * **Errors** `CursorInvalid`.
     *
     * **Limits** asks the clusters of the page alone; ends within the page's `timeoutMs`.
     */
    readonly list: (query: ClusterQuery) => Effect.Effect<ClusterList, CursorInvalid>
  }
>()("@quarterdeck/cluster-fanout/Clusters") {
  static readonly layer = Layer.effect(
    Clusters,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const cache = yield* ClusterCache
      const fanOut = yield* FanOut
      const key = yield* Cursor.CursorKey
      const reader = yield* ClusterReader
      const registry = yield* ClusterRegistry

      const list = Effect.fn("Clusters.list")(function* (query: ClusterQuery) {
        const { namespaces, page, target } = query
        const { consistency, limit, timeoutMs } = page
        const order = RowOrder.make<ClusterName.ClusterName>(
          RowOrder.text((name) => name),
          page.order,
          []
        )
        const paging = MergedList.pagingOf("clusters", query, { key, filter: null, order })
        const after = yield* MergedList.startOf(paging, page.cursor)
        const rest = target.clusters
          .toSorted(order.compare)
          .filter((name) => after === undefined || order.compareTo(name, after) > 0)
        const names = rest.slice(0, limit)

        const isScoped = namespaces._tag !== "All"
        const kinds: ReadonlyArray<Kind.Kind> = isScoped ? ["Pod"] : ["Node", "Pod"]
        const needsLabels = NamespaceFilter.needsLabels(namespaces)
        // A credential may list, and not read the version.
        const versionOf = (cluster: Cluster) =>
          Effect.catchReason(api.version(cluster), "ClusterError", "ClusterForbids", () => Effect.succeed(undefined))
        const question: Question = { kinds, consistency, timeoutMs, needsLabels }
        const answerOf = (reading: Reading, version: string | undefined): Answer<Part> => {
          const { ageMs, isStale, missingKinds, staleCause } = reading
          const value = { size: sizeOf(reading, namespaces), version }
          return { value, count: 1, ageMs, isStale, staleCause, missingKinds }
        }
        const cached = byReading(reader, question, (reading) => answerOf(reading, undefined))
        const askLive = (cluster: Cluster) =>
          Effect.map(
            Effect.all([reader.read(cluster, question), versionOf(cluster)], { concurrency: 2 }),
            ([reading, version]) => answerOf(reading, version?.gitVersion)
          )
        const options = { source: consistency, timeoutMs, askNow: cached.askNow }
        const replies = yield* fanOut.askEach(names, options, consistency === "live" ? askLive : cached.ask)

        const registered = new Map((yield* registry.snapshot).clusters.map((cluster) => [cluster.name, cluster]))
        const steady = yield* steadyClock.now
        const now = yield* Clock.currentTimeMillis
        const rows = replies.flatMap((reply) => {
          const cluster = registered.get(reply.coverage.name)
          // Dropped while it was asked: no longer a cluster to tell of.
          return cluster === undefined ? [] : toRow(cluster, cache.find(cluster), reply, { now, steady })
        })
        const last = names.at(-1)
        const result: ClusterList = {
          clusters: rows,
          partial: Coverage.isPartial(rows.map((row) => row.coverage)),
          ...(last === undefined || names.length === rest.length
            ? {}
            : { nextCursor: Cursor.seal(key, paging.binding, order.position(last)) })
        }
        return result
      })

      return Clusters.of({ list })
    })
  )
}

type Capacity = Pick<ClusterRow, "nodes" | "cpuAllocatableMillis" | "memoryAllocatableBytes">
type Requests = Pick<ClusterRow, "cpuRequestMillis" | "memoryRequestBytes">
type Size = Capacity & Requests & Pick<ClusterRow, "pods">

interface Part {
  readonly size: Size
  readonly version: string | undefined
}

const UNKNOWN_CAPACITY: Capacity = { nodes: null, cpuAllocatableMillis: null, memoryAllocatableBytes: null }
const UNKNOWN_REQUESTS: Requests = { cpuRequestMillis: null, memoryRequestBytes: null }
const UNKNOWN: Size = { ...UNKNOWN_CAPACITY, ...UNKNOWN_REQUESTS, pods: null }

/** Capacity belongs to nobody's namespace, so a scoped key is told neither of it nor of what all pods ask of it. */
const sizeOf = ({ labels, missingKinds, store }: Reading, namespaces: NamespaceFilter.NamespaceFilter): Size => {
  const pods = missingKinds.includes("Pod") ? undefined : store.podTotals
  const isScoped = namespaces._tag !== "All"
  const hasNodes = !isScoped && !missingKinds.includes("Node")
  return {
    ...(hasNodes ? store.nodeTotals.capacity() : UNKNOWN_CAPACITY),
    ...(isScoped || pods === undefined ? UNKNOWN_REQUESTS : pods.requests()),
    pods: pods === undefined ? null : pods.countIn(namespaces, labels)
  }
}

const toRow = (
  { labels, name, role }: Cluster,
  member: Member | undefined,
  { coverage, value }: Reply<Part>,
  { now, steady }: { readonly now: number; readonly steady: number }
): ClusterRow => {
  const health = member?.store.health
  const isLive = coverage.source === "live" && value !== undefined
  const isReachable = Coverage.answered(coverage)
    ? coverage.status === "ok"
    : member !== undefined && answersNow(member)
  const seenAt = isLive ? now : health?.seenAt === undefined ? undefined : now - (steady - health.seenAt)
  const errorCode = coverage.error?.code ?? (health?.error === undefined ? undefined : Coverage.codeOf(health.error))
  return {
    name,
    role,
    version: value?.version ?? health?.version ?? null,
    reachable: isReachable,
    lastSeen: seenAt === undefined ? null : instant(seenAt),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(value?.size ?? UNKNOWN),
    labels,
    coverage
  }
}

/** It has been heard of, and nothing since says that it went silent. */
const answersNow = ({ breaker, store }: Member): boolean => !breaker.isSilent() && store.health.seenAt !== undefined

/** **Units** RFC 3339 UTC with milliseconds. */
const instant = (epochMillis: number): string =>
  Option.match(DateTime.make(epochMillis), { onNone: () => "", onSome: DateTime.formatIso })
