/**
 * Lists the registered clusters with their health and size, never with their address.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import type * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { ClusterScope, Target } from "@quarterdeck/targeting/Target"
import { Clock, Context, Effect, Layer } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterCache } from "../cache/ClusterCache.ts"
import { ClusterReader, type Reading } from "../cache/ClusterReader.ts"
import { ClusterRegistry } from "../registry/ClusterRegistry.ts"
import * as Coverage from "../kube/Coverage.ts"
import * as ClusterSummary from "./ClusterSummary.ts"
import * as Cursor from "./Cursor.ts"
import type { Turn } from "../cache/FairLanes.ts"
import { byReading, FanOut } from "./FanOut.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { CursorInvalid } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import type { ClusterRow } from "../projection/Row.ts"
import * as RowOrder from "../projection/RowOrder.ts"

/** Asks for a page of clusters. `scope` and `namespaces` limit the key's access; `cursorBinding` identifies the key. */
export interface ClusterQuery {
  readonly target: Target
  readonly scope: ClusterScope
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly page: ListQuery.Page<"name">
  readonly cursorBinding: string
}

/** A page of clusters. Each row contains its own coverage. */
export interface ClusterList {
  readonly clusters: ReadonlyArray<ClusterRow>
  readonly partial: boolean
  readonly nextCursor?: string
  /** Returns the cursor for the page if only its first `count` rows are kept. `count` is at least 1. */
  readonly cursorAfter: (count: number) => string | undefined
}

export class Clusters extends Context.Service<
  Clusters,
  {
    /**
     * Lists the clusters of the target by name.
     *
     * **Shape** a cluster that does not answer still has a row, with its error. The list succeeds even if no cluster
     * answers.
     *
     * **Errors** `CursorInvalid`.
     *
     * **Limits** asks only the clusters of the page; ends within the page's `timeoutMs`.
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

        const question = ClusterSummary.questionOf(namespaces, { consistency, timeoutMs })
        // A credential may be allowed to list, but not to read the version.
        const versionOf = (cluster: Cluster) =>
          Effect.catchReason(api.version(cluster), "ClusterError", "ClusterForbids", () => Effect.succeed(undefined))
        const answerOf = (reading: Reading, version: string | undefined) =>
          ClusterSummary.answerOf(reading, { size: ClusterSummary.sizeOf(reading, namespaces), version })
        const cached = byReading(reader, question, (reading) => answerOf(reading, undefined))
        const askLive = (cluster: Cluster, turn: Turn) =>
          Effect.map(
            Effect.all([reader.read(cluster, question, turn), versionOf(cluster)], { concurrency: 2 }),
            ([reading, version]) => answerOf(reading, version?.gitVersion)
          )
        const options = { source: consistency, timeoutMs, askNow: cached.askNow }
        const replies = yield* fanOut.askEach(names, options, consistency === "live" ? askLive : cached.ask)

        const registered = new Map((yield* registry.snapshot).clusters.map((cluster) => [cluster.name, cluster]))
        const steady = yield* steadyClock.now
        const now = yield* Clock.currentTimeMillis
        const rows = replies.flatMap((reply) => {
          const cluster = registered.get(reply.coverage.name)
          // The cluster was removed from the registry while the request ran.
          if (cluster === undefined) return []
          const sameCluster = cache.sameCluster(cluster.name)
          const row = ClusterSummary.toRow(cluster, cache.find(cluster), reply, { now, steady, sameCluster })
          return ClusterSummary.withinScope(row, query.scope)
        })
        const cursorOf = (last: ClusterName.ClusterName | undefined) =>
          last === undefined ? undefined : Cursor.seal(key, paging.binding, order.position(last))
        const nextCursor = names.length === rest.length ? undefined : cursorOf(names.at(-1))
        const result: ClusterList = {
          clusters: rows,
          partial: Coverage.isPartial(rows.map((row) => row.coverage)),
          ...(nextCursor === undefined ? {} : { nextCursor }),
          cursorAfter: (count) => cursorOf(rows[count - 1]?.name)
        }
        return result
      })

      return Clusters.of({ list })
    })
  )
}
