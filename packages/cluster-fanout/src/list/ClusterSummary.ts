/**
 * A cluster's row in the list of clusters: health, size and coverage, never its address.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { DateTime, Option } from "effect"
import type { ClusterStore } from "../cache/ClusterStore.ts"
import type { Member } from "../cache/ClusterCache.ts"
import type { Question, Reading } from "../cache/ClusterReader.ts"
import * as Coverage from "../kube/Coverage.ts"
import * as Kind from "../projection/Kind.ts"
import type { ClusterRow } from "../projection/Row.ts"
import * as RowLimit from "../projection/RowLimit.ts"
import type { Cluster } from "../registry/Cluster.ts"
import type { Answer, Reply } from "./FanOut.ts"
import * as StatusCounts from "./StatusCounts.ts"

type Capacity = Pick<ClusterRow, "nodes" | "cpuAllocatableMillis" | "memoryAllocatableBytes">
type Requests = Pick<ClusterRow, "cpuRequestMillis" | "memoryRequestBytes">
export type Size = Capacity & Requests & Pick<ClusterRow, "pods" | "unhealthyWorkloads">

/** Data read from a cluster. **Shape** `version` is set only if the API server was asked for it. */
export interface Summary {
  readonly size: Size
  readonly version: string | undefined
}

const UNKNOWN_CAPACITY: Capacity = { nodes: null, cpuAllocatableMillis: null, memoryAllocatableBytes: null }
const UNKNOWN_REQUESTS: Requests = { cpuRequestMillis: null, memoryRequestBytes: null }
const UNKNOWN: Size = { ...UNKNOWN_CAPACITY, ...UNKNOWN_REQUESTS, pods: null, unhealthyWorkloads: null }

/** Returns the read request that is sent to each cluster for a key with access to `namespaces`. */
export const questionOf = (
  namespaces: NamespaceFilter.NamespaceFilter,
  { consistency, timeoutMs }: Pick<Question, "consistency" | "timeoutMs">
): Question => ({
  kinds: namespaces._tag === "All" ? ["Node", "Pod"] : ["Pod"],
  consistency,
  timeoutMs,
  needsLabels: NamespaceFilter.needsLabels(namespaces)
})

export const answerOf = ({ ageMs, isStale, missingKinds, staleCause }: Reading, value: Summary): Answer<Summary> => ({
  value,
  count: 1,
  ageMs,
  isStale,
  staleCause,
  missingKinds
})

/**
 * Counts nodes, pods, unhealthy workloads and requested resources.
 *
 * **Shape** a key limited to some namespaces gets neither capacity nor total requests: both describe the whole cluster.
 * While the labels that its rule needs are not confirmed, the counts in its namespaces are null.
 */
export const sizeOf = ({ labels, missingKinds, store }: Reading, namespaces: NamespaceFilter.NamespaceFilter): Size => {
  const pods = missingKinds.includes("Pod") ? undefined : store.podTotals
  const isScoped = namespaces._tag !== "All"
  const hasNodes = !isScoped && !missingKinds.includes("Node")
  const isCounted = !missingKinds.includes("Namespace")
  const isInScope = (name: string) => NamespaceFilter.matches(namespaces, name, labels(name))
  return {
    ...(hasNodes ? store.nodeTotals.capacity() : UNKNOWN_CAPACITY),
    ...(isScoped || pods === undefined ? UNKNOWN_REQUESTS : pods.requests()),
    pods: isCounted && pods !== undefined ? pods.countIn(namespaces, labels) : null,
    unhealthyWorkloads: isCounted ? unhealthyIn(store, isScoped ? isInScope : undefined) : null
  }
}

/**
 * Counts the unhealthy workloads in scope.
 *
 * **Shape** null if a kind of workload has not been read, as in live reads of the cluster list.
 */
const unhealthyIn = (store: ClusterStore, isInScope: ((namespace: string) => boolean) | undefined): number | null =>
  Kind.workloadKinds.every((kind) => store.table(kind).sync._tag === "Synced")
    ? StatusCounts.unhealthy(StatusCounts.fromTally(store.rows.counts().tally(isInScope), undefined))
    : null

/**
 * Time of the reading, and other registered names of the same cluster.
 *
 * **Units** `now` epoch milliseconds, `steady` milliseconds by `steadyClock`.
 */
interface Context {
  readonly now: number
  readonly steady: number
  readonly sameCluster: ReadonlyArray<ClusterName>
}

export const toRow = (
  { labels, name, role }: Cluster,
  member: Member | undefined,
  { coverage, value }: Reply<Summary>,
  { now, sameCluster, steady }: Context
): ClusterRow => {
  const health = member?.store.health
  const isLive = coverage.source === "live" && value !== undefined
  const isReachable = Coverage.answered(coverage)
    ? coverage.status === "ok"
    : member !== undefined && answersNow(member)
  const seenAt = isLive ? now : health?.seenAt === undefined ? undefined : now - (steady - health.seenAt)
  const version = value?.version ?? health?.version
  const errorCode = coverage.error?.code ?? (health?.error === undefined ? undefined : Coverage.codeOf(health.error))
  return {
    name,
    role,
    version: version === undefined ? null : RowLimit.word(version),
    reachable: isReachable,
    lastSeen: seenAt === undefined ? null : instant(seenAt),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(value?.size ?? UNKNOWN),
    labels,
    ...(sameCluster.length === 0 ? {} : { sameCluster }),
    coverage
  }
}

/** Removes names of the same cluster that are outside the key's scope. */
export const withinScope = (row: ClusterRow, scope: Target.ClusterScope): ClusterRow => {
  const { sameCluster, ...rest } = row
  if (sameCluster === undefined || scope._tag === "All") return row
  const reached = sameCluster.filter((name) => Target.reaches(scope, name))
  return reached.length === 0 ? rest : { ...rest, sameCluster: reached }
}

/** Returns whether the cluster has answered before and its breaker does not consider it silent. */
const answersNow = ({ breaker, store }: Member): boolean => !breaker.isSilent() && store.health.seenAt !== undefined

/** Prints an instant in RFC 3339, in UTC with milliseconds. */
const instant = (epochMillis: number): string =>
  Option.match(DateTime.make(epochMillis), { onNone: () => "", onSome: DateTime.formatIso })
