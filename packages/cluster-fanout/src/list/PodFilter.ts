/**
 * Filters a list of pods.
 */
import * as Owner from "../projection/Owner.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import * as RowFilter from "./RowFilter.ts"
import type { Wanted } from "./PageSelection.ts"

/**
 * Selects pods. Several nodes, or several statuses, mean any of them. `workload` is the pod's outermost owner; a bare
 * pod is its own workload, of kind Pod.
 */
export interface PodFilter extends RowFilter.RowFilter {
  readonly workload?: Owner.NamedOwner
  readonly node?: ReadonlyArray<string>
  readonly status?: ReadonlyArray<string>
}

/** Returns a canonical form of the filter, independent of the order of its values. */
export const canonical = ({ node, status, workload, ...filter }: PodFilter) => {
  const { labels, name, namespace } = RowFilter.canonical(filter)
  const owner = workload === undefined ? null : [workload.kind, workload.name]
  return [namespace, labels, name, owner, node?.toSorted() ?? null, status?.toSorted() ?? null]
}

/** Returns the canonical form of the criteria other than the status. */
export const canonicalRest = ({ status: _status, ...filter }: PodFilter) => canonical(filter)

/** Combines a filter with a key's scope. **Shape** without `isInScope`, every namespace matches. */
export const wanted = (
  { node, status, workload, ...filter }: PodFilter,
  isInScope: ((namespace: string) => boolean) | undefined,
  chain: Owner.Chain
): Wanted<PodRecord> => {
  const narrowed = RowFilter.wanted<PodRecord>(filter, isInScope)
  const nodes = node === undefined ? undefined : new Set(node)
  const tests: ReadonlyArray<((pod: PodRecord) => boolean) | undefined> = [
    nodes === undefined ? undefined : (pod) => nodes.has(pod.node),
    narrowed.matches,
    workload === undefined ? undefined : (pod) => isOf(workload, pod, chain)
  ]
  const all = tests.filter((test) => test !== undefined)
  return {
    ...narrowed,
    groups: status === undefined ? undefined : new Set(status),
    matches: all.length === 0 ? undefined : (pod) => all.every((test) => test(pod))
  }
}

const isOf = ({ kind, name }: Owner.NamedOwner, pod: PodRecord, chain: Owner.Chain): boolean => {
  const owner = Owner.outermost(pod, chain)?.workload
  return owner === undefined ? kind === "Pod" && pod.name === name : owner.name === name && owner.kind === kind
}
