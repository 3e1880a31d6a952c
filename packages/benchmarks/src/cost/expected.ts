/**
 * The expected answers: pages, totals and groups in the form of a reply, computed from sums by workload.
 */
import * as Figures from "./figures.ts"
import { costNanos, grouped, perFact, type Sums } from "./samples.ts"

/** The compared parts of a reply: its rows or groups in order, and the totals if there are any. */
export interface Answer {
  readonly rows: ReadonlyArray<unknown>
  readonly totals?: unknown
}

/** Sums by workload: `closed` covers the closed hours, `all` also the open hour. */
export interface WindowSums {
  readonly closed: Sums
  readonly all: Sums
}

/** Adds the open hour to the sums of closed hours. */
export const withOpen = (closed: Sums, open: Sums): WindowSums => ({
  closed,
  all: perFact((fact) => closed[fact].map((value, place) => value + (open[fact][place] ?? 0)))
})

/** The selection of workloads. **Shape** the `limit` most expensive rows, by default all. */
export interface Choice {
  readonly limit?: number
  readonly isChosen?: (workload: Figures.Named) => boolean
}

/** Sorts workload numbers by descending cost, then by name. */
const byCost =
  (nanos: Float64Array, workloads: ReadonlyArray<Figures.Named>) =>
  (a: number, b: number): number =>
    (nanos[b] ?? 0) - (nanos[a] ?? 0) || ((workloads[a]?.id ?? "") < (workloads[b]?.id ?? "") ? -1 : 1)

/**
 * Computes an answer of workloads.
 *
 * **Shape** a page selects the workloads with the highest costs in closed hours, and sorts them by cost including the open
 * hour. Thus the open hour moves no row to another page.
 */
export const workloads = (
  { all, closed }: WindowSums,
  known: ReadonlyArray<Figures.Named>,
  { isChosen = () => true, limit }: Choice = {}
): Answer => {
  const chosen = known.flatMap((workload, place) => (isChosen(workload) ? [place] : []))
  const advised = Figures.advised(all, known)
  const dearest = byCost(costNanos(all), known)
  const page =
    limit === undefined || chosen.length <= limit
      ? chosen
      : chosen.toSorted(byCost(costNanos(closed), known)).slice(0, limit)
  const { row } = Figures.writer(all, advised)
  const rows = page.toSorted(dearest).flatMap((place) => {
    const workload = known[place]
    return workload === undefined ? [] : [row(place, workload)]
  })
  const groupOf = new Int32Array(known.length).fill(1)
  for (const place of chosen) groupOf[place] = 0
  return { rows, totals: totalsOf(all, advised, groupOf, 2) }
}

const totalsOf = (sums: Sums, advised: Figures.Advised, groupOf: Int32Array, groups: number) =>
  Figures.writer(grouped(sums, groupOf, groups), advisedBy(advised, groupOf, groups)).totals(0)

const advisedBy = ({ increases, savings }: Figures.Advised, groupOf: Int32Array, groups: number): Figures.Advised => ({
  savings: summedBy(savings, groupOf, groups),
  increases: summedBy(increases, groupOf, groups)
})

const summedBy = (amounts: Float64Array, groupOf: Int32Array, groups: number): Float64Array => {
  const into = new Float64Array(groups)
  for (const [place, nanos] of amounts.entries()) {
    const group = groupOf[place] ?? 0
    into[group] = (into[group] ?? 0) + nanos
  }
  return into
}

/** A grouping dimension: its name, and the value of a workload. */
export type By = Readonly<Record<string, (workload: Figures.Named) => string>>

/** The groups, and the group of each workload. */
export interface Grouping {
  readonly groups: ReadonlyArray<Readonly<Record<string, string>>>
  readonly groupOf: Int32Array
}

export const grouping = (known: ReadonlyArray<Figures.Named>, by: By): Grouping => {
  const places = new Map<string, number>()
  const groups: Array<Readonly<Record<string, string>>> = []
  const groupOf = Int32Array.from(known, (workload) => {
    const group = Object.fromEntries(Object.entries(by).map(([name, valueOf]) => [name, valueOf(workload)]))
    const key = JSON.stringify(group)
    const place = places.get(key) ?? groups.push(group) - 1
    places.set(key, place)
    return place
  })
  return { groups, groupOf }
}

/** Computes an answer of groups by descending cost, selected like {@link workloads}. */
export const groups = (
  { all, closed }: WindowSums,
  known: ReadonlyArray<Figures.Named>,
  { groupOf, groups: made, limit }: Grouping & { readonly limit: number }
): Answer => {
  const advised = Figures.advised(all, known)
  const sums = grouped(all, groupOf, made.length)
  const { totals } = Figures.writer(sums, advisedBy(advised, groupOf, made.length))
  const places = Array.from(made.keys())
  const page =
    places.length <= limit
      ? places
      : places.toSorted(descending(costNanos(grouped(closed, groupOf, made.length)))).slice(0, limit)
  return {
    rows: page.toSorted(descending(costNanos(sums))).map((place) => ({ group: made[place], ...totals(place) })),
    totals: totalsOf(all, advised, new Int32Array(known.length), 1)
  }
}

const descending =
  (nanos: Float64Array) =>
  (a: number, b: number): number =>
    (nanos[b] ?? 0) - (nanos[a] ?? 0)
