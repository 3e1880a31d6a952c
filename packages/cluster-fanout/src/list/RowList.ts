/**
 * Lists a page of cached rows of many clusters, limited to the namespaces of a key.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect, Result } from "effect"
import type { ClusterReader, Question, Reading } from "../cache/ClusterReader.ts"
import type { Tally } from "../cache/RowCounts.ts"
import type { NamedOrder, Placed, RowSet } from "../cache/RowSet.ts"
import { type Answer, byReading, type FanOut, type Reply } from "./FanOut.ts"
import { NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import { PageHead } from "./PageHead.ts"
import { mergeRuns } from "./PageMerge.ts"
import * as PageSelection from "./PageSelection.ts"
import type { Position } from "../projection/RowOrder.ts"

/**
 * A list of rows.
 *
 * **Shape** `kinds`, `naming` and `counting` have the same meaning as in `ClusterReader.Question`. `rowsOf` returns a
 * cluster's rows. `wantedOf` returns the criteria that the rows must match; its `isInScope` is absent for a key with
 * access to every namespace.
 */
export interface Listing<Row extends Placed> {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  /** Namespaces that the caller named. */
  readonly requestedNamespaces: ReadonlyArray<string>
  readonly page: ListQuery.Page<string>
  readonly paging: MergedList.Paging<Row>
  /**
   * Canonical text of the filter's criteria other than row groups. Absent if the filter depends on more than the row
   * itself.
   */
  readonly filterText?: string | undefined
  readonly ascending: NamedOrder<Row>
  readonly kinds: Pick<Question, "kinds" | "naming" | "counting">
  /** True if first pages need the number of rows in each group. */
  readonly isTallied?: boolean
  readonly rowsOf: (reading: Reading) => RowSet<Row>
  readonly wantedOf: (
    isInScope: ((namespace: string) => boolean) | undefined,
    reading: Reading
  ) => PageSelection.Wanted<Row>
}

/**
 * A page of rows.
 *
 * **Shape** `tally` is the number of matching rows in each group, whatever groups the filter selects. Only on the first
 * page of a list that is tallied.
 */
export interface ListedRows<Row> extends MergedList.MergedList<Row> {
  readonly tally?: Tally
}

/**
 * Lists one page.
 *
 * **Errors** `NamespaceForbidden` if a requested namespace is out of scope in every addressed cluster, `CursorInvalid`,
 * and `FanOutFailed` if no addressed cluster answered.
 */
export const list = Effect.fnUntraced(function* <Row extends Placed>(
  fanOut: FanOut["Service"],
  reader: ClusterReader["Service"],
  listing: Listing<Row>
) {
  const { requestedNamespaces, namespaces, page, paging, target } = listing
  const after = yield* MergedList.startOf(paging, page.cursor)
  const needsLabels = NamespaceFilter.needsLabels(namespaces)
  if (!needsLabels)
    yield* refuseOutside(requestedNamespaces, (name) => NamespaceFilter.matches(namespaces, name, undefined))

  const { consistency, timeoutMs } = page
  const size = page.limit + 1
  const head = new PageHead(paging.order, size)
  const answerOf = answering(listing, head, after)
  const question: Question = { ...listing.kinds, consistency, timeoutMs, needsLabels }
  // A cluster that must be asked may miss the deadline, and the page must then have none of its rows. Its rows
  // therefore stay in its own answer.
  const { ask } = byReading(
    reader,
    question,
    answerOf((run) => mergeRuns([run], paging.order, size).items)
  )
  const { askNow } = byReading(
    reader,
    question,
    answerOf((run) => {
      head.add(run)
      return []
    })
  )
  const options = { source: consistency, timeoutMs, askNow, beforeOthers: () => head.settle() }
  const replies = yield* fanOut.ask(target.clusters, options, ask)
  if (needsLabels && replies.length > 0) {
    yield* refuseOutside(requestedNamespaces, (name) => replies.some(({ value }) => value?.reached.has(name) === true))
  }
  return listed(listing, replies, MergedList.assemble(replies.map(firstRows), paging, head.rows()))
})

/** Makes the function that turns a cluster's reading into its answer. `take` receives the rows. */
const answering = <Row extends Placed>(listing: Listing<Row>, head: PageHead<Row>, after: Position | undefined) => {
  const { requestedNamespaces, ascending, filterText, namespaces, page, paging, rowsOf, wantedOf } = listing
  const criteria = filterText === undefined ? undefined : JSON.stringify([filterText, namespaces])
  const needsLabels = NamespaceFilter.needsLabels(namespaces)
  const part: PageSelection.Part<Row> = {
    order: paging.order,
    ascending,
    after,
    size: page.limit + 1,
    last: () => head.last()
  }
  return (take: (run: PageSelection.Run<Row>) => ReadonlyArray<Row>) =>
    (reading: Reading): Answer<Part<Row>> => {
      const isInScope = memoised((name) => NamespaceFilter.matches(namespaces, name, reading.labels(name)))
      const name = needsLabels ? labelledName(criteria, reading) : criteria
      const wanted = { ...wantedOf(namespaces._tag === "All" ? undefined : isInScope, reading), name }
      const reached = new Set(requestedNamespaces.filter(isInScope))
      const rows = rowsOf(reading)
      const { count, run } = PageSelection.select(rows, wanted, part)
      const tally = isFirstTallied(listing) ? PageSelection.tally(rows, wanted) : NO_ROWS
      return {
        value: { first: take(run), reached, tally },
        count,
        ageMs: reading.ageMs,
        isStale: reading.isStale,
        staleCause: reading.staleCause,
        missingKinds: reading.missingKinds
      }
    }
}

/** Names criteria that depend on namespace labels by the version of the labels too. Unproven labels yield no name. */
const labelledName = (criteria: string | undefined, { missingKinds, store }: Reading): string | undefined =>
  criteria === undefined || missingKinds.includes("Namespace")
    ? undefined
    : `${criteria} ${store.table("Namespace").version}`

/**
 * Rows that `listNow` may read over all clusters if the page is filtered or the rows are not sorted in its order yet: a
 * millisecond's work.
 */
const MAX_ROWS_READ = 20_000

/**
 * Lists from the cache in one synchronous step, if `list` would not wait and few rows have to be read.
 *
 * **Shape** `undefined` where `list` would wait, fail or yield, or if needed namespace labels are not proven. Callers then
 * use `list`.
 */
export const listNow = <Row extends Placed>(
  fanOut: FanOut["Service"],
  reader: ClusterReader["Service"],
  listing: Listing<Row>
): ListedRows<Row> | undefined => {
  const { requestedNamespaces, namespaces, page, paging, rowsOf, target, wantedOf } = listing
  if (page.consistency !== "cache") return undefined
  const needsLabels = NamespaceFilter.needsLabels(namespaces)
  const isOutside = (name: string) => !NamespaceFilter.matches(namespaces, name, undefined)
  if (!needsLabels && requestedNamespaces.some(isOutside)) return undefined
  const start = MergedList.placeOf(paging, page.cursor)
  if (Result.isFailure(start)) return undefined

  const head = new PageHead(paging.order, page.limit + 1)
  const answerOf = answering(
    listing,
    head,
    start.success
  )((run) => {
    head.add(run)
    return []
  })
  const question: Question = { ...listing.kinds, consistency: "cache", timeoutMs: page.timeoutMs, needsLabels }
  let rowsRead = 0
  const replies = fanOut.askNow(target.clusters, (cluster, now) => {
    const reading = reader.readNow(cluster, question, now)
    if (reading === undefined) return undefined
    const rows = rowsOf(reading)
    const { groups, matches, reaches } = wantedOf(namespaces._tag === "All" ? undefined : () => true, reading)
    const isWhole = groups === undefined && matches === undefined && reaches === undefined
    rowsRead += isWhole && rows.inOrder(listing.ascending) !== undefined ? 0 : rows.counts().all
    return rowsRead > MAX_ROWS_READ ? undefined : () => answerOf(reading)
  })
  if (replies === undefined) return undefined
  const isReached = (name: string) => replies.some(({ value }) => value?.reached.has(name) === true)
  if (needsLabels && replies.length > 0 && !requestedNamespaces.every(isReached)) return undefined
  return listed(listing, replies, MergedList.assemble(replies.map(withoutRows), paging, head.rows()))
}

const NO_ROWS: Tally = new Map()

const isFirstTallied = <Row extends Placed>({ isTallied, page }: Listing<Row>): boolean =>
  isTallied === true && page.cursor === undefined

/** Adds the counts of all clusters that answered to a first page. */
const listed = <Row extends Placed>(
  listing: Listing<Row>,
  replies: ReadonlyArray<Reply<Part<Row>>>,
  merged: MergedList.MergedList<Row>
): ListedRows<Row> => {
  if (!isFirstTallied(listing)) return merged
  const tally = new Map<string, number>()
  for (const { value } of replies) {
    for (const [group, count] of value?.tally ?? NO_ROWS) tally.set(group, (tally.get(group) ?? 0) + count)
  }
  return { ...merged, tally }
}

const withoutRows = <Row>({ coverage }: Reply<Part<Row>>): Reply<ReadonlyArray<Row>> => ({ coverage, value: undefined })

/** A cluster's rows for the page, the requested namespaces that are in scope there, and its counts for a first page. */
interface Part<Row> {
  readonly first: ReadonlyArray<Row>
  readonly reached: ReadonlySet<string>
  readonly tally: Tally
}

const firstRows = <Row>({ coverage, value }: Reply<Part<Row>>): Reply<ReadonlyArray<Row>> => ({
  coverage,
  value: value?.first
})

const refuseOutside = (
  requestedNamespaces: ReadonlyArray<string>,
  isReached: (name: string) => boolean
): Effect.Effect<void, NamespaceForbidden> => {
  const outside = requestedNamespaces.find((name) => !isReached(name))
  return outside === undefined ? Effect.void : Effect.fail(new NamespaceForbidden({ namespace: outside }))
}

/** Caches the decision for each namespace, since many rows share one. */
const memoised = (decide: (name: string) => boolean): ((name: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const decided = decide(name)
    known.set(name, decided)
    return decided
  }
}
