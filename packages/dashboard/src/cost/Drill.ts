/**
 * Steps from all costs to the costs of one workload. Each step sets a filter in the page's address.
 */
import type * as ClusterTarget from "../api/ClusterTarget.ts"
import type { CostGroup } from "../api/CostQueries.ts"
import { besideOf } from "../chart/CostLabels.ts"
import { type CostView, type Grouping, groupByOf, LABEL } from "./CostView.ts"

/** A change of the view. **Shape** `cluster` is the only cluster to show; absent if the shown clusters stay. */
export interface Step {
  readonly view: Partial<CostView>
  readonly cluster?: string
}

/** Grouping of the costs inside a group. */
const INNER: Readonly<Record<"cluster" | "namespace" | "kind" | "workload" | "label", Grouping>> = {
  cluster: "namespace",
  namespace: "workload",
  kind: "workload",
  workload: "workload",
  label: "workload"
}

const selectorOf = (key: string, value: string | undefined): string => {
  const label = key.slice(LABEL.length)
  return value === undefined || value === "" ? `!${label}` : `${label}=${value}`
}

/** Returns the id of a workload's row. **Shape** `undefined` for a group that is no workload. */
export const idOf = ({ group }: Pick<CostGroup, "group">): string | undefined => {
  const { cluster, kind, namespace, workload } = group
  if (cluster === undefined || namespace === undefined || kind === undefined || workload === undefined) return undefined
  return [cluster, namespace, kind, workload].join("/")
}

/**
 * Returns the step from a group to the costs inside the group. **Shape** `undefined` for costs without a workload, and
 * for groups that a filter cannot name.
 */
export const into = (row: CostGroup, view: CostView): Step | undefined => {
  if (besideOf(row) !== undefined) return undefined
  const id = idOf(row)
  if (id !== undefined) return { view: { workload: id } }
  const { cluster, kind, namespace } = row.group
  const groupBy = groupByOf(view)
  if (groupBy.includes("namespace") && namespace === undefined) return undefined
  const labels = groupBy.filter((key) => key.startsWith(LABEL)).map((key) => selectorOf(key, row.group[key]))
  return {
    view: {
      by: groupBy.every((key) => key === "cluster") ? INNER.cluster : INNER.namespace,
      thenBy: undefined,
      sort: "cost",
      order: "desc",
      labels: [...new Set([...view.labels, ...labels])],
      ...(namespace === undefined ? {} : { namespaces: [namespace] }),
      ...(kind === undefined ? {} : { kinds: [kind] })
    },
    ...(cluster === undefined ? {} : { cluster })
  }
}

/**
 * A filter of the page. **Shape** `without` is the view after its removal; with `isCluster`, the clusters are removed
 * instead.
 */
export interface Filter {
  readonly name: string
  readonly value: string
  readonly without: Partial<CostView>
  readonly isCluster?: true
}

const lacking = (values: ReadonlyArray<string>, value: string) => values.filter((other) => other !== value)

/** Returns the filters of a page: clusters, labels, namespaces, kinds. */
export const filtersOf = (view: CostView, target: ClusterTarget.ClusterTarget): ReadonlyArray<Filter> => [
  ...(target._tag === "Named"
    ? [{ name: "Cluster", value: target.names.join(", "), without: {}, isCluster: true } as const]
    : []),
  ...view.labels.map((value) => ({ name: "Label", value, without: { labels: lacking(view.labels, value) } })),
  ...view.namespaces.map((value) => ({
    name: "Namespace",
    value,
    without: { namespaces: lacking(view.namespaces, value) }
  })),
  ...view.kinds.map((value) => ({ name: "Kind", value, without: { kinds: lacking(view.kinds, value) } }))
]

/** A link to an earlier step. **Shape** `keepsCluster` is false for the first crumb, which shows all clusters. */
export interface Crumb {
  readonly text: string
  readonly view: Partial<CostView>
  readonly keepsCluster: boolean
}

/** Returns the crumbs of the page: all costs, then one crumb for each kind of filter, and the workload. */
export const crumbsOf = (view: CostView, target: ClusterTarget.ClusterTarget): ReadonlyArray<Crumb> => {
  const all = { labels: [], namespaces: [], kinds: [], workload: undefined }
  const afterLabels = { ...all, labels: view.labels }
  const afterNamespaces = { ...afterLabels, namespaces: view.namespaces }
  const afterKinds = { ...afterNamespaces, kinds: view.kinds }
  const workload = view.workload?.split("/").at(-1)
  return [
    { text: "All costs", view: { ...all, by: "namespace", thenBy: undefined }, keepsCluster: false },
    ...(target._tag === "Named"
      ? [{ text: target.names.join(", "), view: { ...all, by: INNER.cluster }, keepsCluster: true }]
      : []),
    ...(view.labels.length > 0
      ? [{ text: view.labels.join(", "), view: { ...afterLabels, by: INNER.label }, keepsCluster: true }]
      : []),
    ...(view.namespaces.length > 0
      ? [{ text: view.namespaces.join(", "), view: { ...afterNamespaces, by: INNER.namespace }, keepsCluster: true }]
      : []),
    ...(view.kinds.length > 0
      ? [{ text: view.kinds.join(", "), view: { ...afterKinds, by: INNER.kind }, keepsCluster: true }]
      : []),
    ...(workload === undefined ? [] : [{ text: workload, view: {}, keepsCluster: true }])
  ]
}
