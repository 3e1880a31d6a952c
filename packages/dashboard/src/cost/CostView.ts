/**
 * The settings of the cost page: period, grouping, filters, order. The page's address holds them.
 */
import type { CostParameters } from "../api/CostQueries.ts"
import { CUSTOM } from "../form/TimeRange.ts"

export const RANGES = [
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"]
] as const

export const FIELDS = [
  ["cluster", "Cluster"],
  ["namespace", "Namespace"],
  ["kind", "Kind"],
  ["workload", "Workload"]
] as const

export const LABEL = "label:"

export const IDLES = [
  ["hide", "Hide"],
  ["show", "Show on top"],
  ["share", "Share among groups"]
] as const

export const STEPS = [
  ["auto", "Automatic"],
  ["hour", "Hour"],
  ["day", "Day"],
  ["week", "Week"]
] as const

export const SORTS = ["name", "cost", "before", "change", "cpu", "memory", "savings"] as const

export type Idle = (typeof IDLES)[number][0]
export type Step = (typeof STEPS)[number][0]
export type Sort = (typeof SORTS)[number]
export type Grouping = (typeof FIELDS)[number][0] | `label:${string}`

/**
 * Settings of the cost page.
 *
 * **Shape** `by` and `thenBy` are one of {@link FIELDS}, or `label:` and a key. `from` and `to` are days in the user's time zone,
 * both inclusive. `labels` are label selectors. `workload` is the id of a cost row, if the page shows one workload. The
 * cluster filter is the target of the page.
 */
export interface CostView {
  readonly range: string
  readonly from: string
  readonly to: string
  readonly by: Grouping
  readonly thenBy: Grouping | undefined
  readonly idle: Idle
  readonly step: Step
  readonly compare: boolean
  readonly namespaces: ReadonlyArray<string>
  readonly kinds: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  readonly workload: string | undefined
  readonly sort: Sort
  readonly order: "asc" | "desc"
}

const groupingOf = (text: string | null): Grouping | undefined => {
  if (text?.startsWith(LABEL) === true) return `label:${text.slice(LABEL.length)}`
  return FIELDS.find(([field]) => field === text)?.[0]
}

const DAY = /^\d{4}-\d\d-\d\d$/

const dayOf = (text: string | null): string => (text !== null && DAY.test(text) ? text : "")

/** Maximum number of values of one filter. */
const MAX_VALUES = 20

const valuesOf = (search: URLSearchParams, name: string): ReadonlyArray<string> =>
  [...new Set(search.getAll(name).filter((value) => value !== ""))].slice(0, MAX_VALUES)

/** Reads the settings of an address. **Shape** `idle` is `hide` if the caller may not see idle costs. */
export const parse = (search: URLSearchParams, mayIdle: boolean): CostView => {
  const range = search.get("range")
  const by = groupingOf(search.get("by")) ?? "namespace"
  const thenBy = groupingOf(search.get("then"))
  return {
    range: range === CUSTOM ? CUSTOM : (RANGES.find(([name]) => name === range)?.[0] ?? "7d"),
    from: dayOf(search.get("from")),
    to: dayOf(search.get("to")),
    by,
    thenBy: thenBy === by ? undefined : thenBy,
    idle: mayIdle ? (IDLES.find(([name]) => name === search.get("idle"))?.[0] ?? "show") : "hide",
    step: STEPS.find(([name]) => name === search.get("step"))?.[0] ?? "auto",
    compare: search.get("compare") !== "off",
    namespaces: valuesOf(search, "namespace"),
    kinds: valuesOf(search, "kind"),
    labels: valuesOf(search, "label"),
    workload: valuesOf(search, "workload")[0],
    sort: SORTS.find((name) => name === search.get("sort")) ?? "cost",
    order: search.get("order") === "asc" ? "asc" : "desc"
  }
}

/** Writes settings into an address. Other parameters stay. Standard values of filters, step and order are left out. */
export const write = (search: URLSearchParams, view: CostView): URLSearchParams => {
  const next = new URLSearchParams(search)
  const put = (name: string, value: string, standard = "") => {
    if (value === standard) next.delete(name)
    else next.set(name, value)
  }
  next.set("range", view.range)
  next.set("by", view.by)
  next.set("idle", view.idle)
  put("then", view.thenBy ?? "")
  put("step", view.step, "auto")
  put("compare", view.compare ? "" : "off")
  put("workload", view.workload ?? "")
  put("sort", view.sort, "cost")
  put("order", view.order, "desc")
  for (const name of ["from", "to"] as const) put(name, view.range === CUSTOM ? view[name] : "")
  const lists = [
    ["namespace", view.namespaces],
    ["kind", view.kinds],
    ["label", view.labels]
  ] as const
  for (const [name, values] of lists) {
    next.delete(name)
    for (const value of values) next.append(name, value)
  }
  return next
}

const WORKLOAD = ["cluster", "namespace", "kind", "workload"]

/** Returns the `groupBy` of a view. A workload is identified by cluster, namespace, kind and name. */
export const groupByOf = ({ by, thenBy }: Pick<CostView, "by" | "thenBy">): ReadonlyArray<string> => {
  const chosen = thenBy === undefined ? [by] : [by, thenBy]
  return chosen.includes("workload") ? [...WORKLOAD, ...chosen.filter((key) => key.startsWith(LABEL))] : chosen
}

/** Returns the filters of a view, as fields of a request. */
export const filtersOf = ({
  kinds,
  labels,
  namespaces
}: Pick<CostView, "kinds" | "labels" | "namespaces">): Pick<
  CostParameters,
  "namespaces" | "workloadTypes" | "labelSelector"
> => ({
  ...(namespaces.length === 0 ? {} : { namespaces }),
  ...(kinds.length === 0 ? {} : { workloadTypes: kinds }),
  ...(labels.length === 0 ? {} : { labelSelector: labels.join(",") })
})
