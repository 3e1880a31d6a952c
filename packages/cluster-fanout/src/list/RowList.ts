/**
 * Takes a page of kept rows, scoped by namespaces, out of many clusters.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect, Result } from "effect"
import type { ClusterReader, Question, Reading } from "../cache/ClusterReader.ts"
import type { NamedOrder, Placed, RowSet } from "../cache/RowSet.ts"
import { type Answer, byReading, type FanOut, type Reply } from "./FanOut.ts"
import { NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import { PageHead } from "./PageHead.ts"
import { mergeRuns } from "./PageMerge.ts"
import * as RowPick from "./RowPick.ts"
import type { Position } from "../projection/RowOrder.ts"

/**
 * What is listed.
 *
 * **Shape** `kinds` are read, `naming` and `counting` too, as `ClusterReader` says; `rowsOf` gives the rows of a cluster as it was read, and
 * `wantedOf` which of them are wanted, where `isInScope` is absent for a caller that reaches every namespace.
 */
export interface Listing<Row extends Placed> {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  /** Namespaces that were asked for by name. */
  readonly asked: ReadonlyArray<string>
  readonly page: ListQuery.Page<string>
  readonly paging: MergedList.Paging<Row>
  /** Spells what the filter reads of a row itself in one way; absent where the filter reads more than the row. */
  readonly filterText?: string | undefined
  readonly ascending: NamedOrder<Row>
  readonly kinds: Pick<Question, "kinds" | "naming" | "counting">
  readonly rowsOf: (reading: Reading) => RowSet<Row>
  readonly wantedOf: (isInScope: ((namespace: string) => boolean) | undefined, reading: Reading) => RowPick.Wanted<Row>
}

/**
 * Lists.
 *
 * **Errors** `NamespaceForbidden` when a namespace asked for by name is out of scope in every addressed cluster,
 * `CursorInvalid`, and `FanOutFailed` when no addressed cluster answered.
 */
export const list = Effect.fnUntraced(function* <Row extends Placed>(
  fanOut: FanOut["Service"],
  reader: ClusterReader["Service"],
  listing: Listing<Row>
) {
  const { asked, namespaces, page, paging, target } = listing
  const after = yield* MergedList.startOf(paging, page.cursor)
  const needsLabels = NamespaceFilter.needsLabels(namespaces)
  if (!needsLabels) yield* refuseOutside(asked, (name) => NamespaceFilter.matches(namespaces, name, undefined))

  const { consistency, timeoutMs } = page
  const size = page.limit + 1
  const head = new PageHead(paging.order, size)
  const answerOf = answering(listing, head, after)
  const question: Question = { ...listing.kinds, consistency, timeoutMs, needsLabels }
  // Of a cluster that is waited for, the deadline may still take the answer away: its rows stay its own.
  const { ask } = byReading(
    reader,
    question,
    answerOf((run) => mergeRuns([run], paging.order, size).items)
  )
  const { askNow } = byReading(
    reader,
    question,
    answerOf((run) => {
      head.take(run)
      return []
    })
  )
  const options = { source: consistency, timeoutMs, askNow, beforeOthers: () => head.settle() }
  const replies = yield* fanOut.ask(target.clusters, options, ask)
  if (needsLabels && replies.length > 0) {
    yield* refuseOutside(asked, (name) => replies.some(({ value }) => value?.reached.has(name) === true))
  }
  return MergedList.assemble(replies.map(firstRows), paging, head.rows())
})

/** Makes what a cluster that was read answers, of which `taken` says what becomes of its rows. */
const answering = <Row extends Placed>(
  { asked, ascending, filterText, namespaces, page, paging, rowsOf, wantedOf }: Listing<Row>,
  head: PageHead<Row>,
  after: Position | undefined
) => {
  const isNamed = filterText !== undefined && !NamespaceFilter.needsLabels(namespaces)
  const name = isNamed ? JSON.stringify([filterText, namespaces]) : undefined
  const part: RowPick.Part<Row> = {
    order: paging.order,
    ascending,
    after,
    size: page.limit + 1,
    last: () => head.last()
  }
  return (taken: (run: RowPick.Run<Row>) => ReadonlyArray<Row>) =>
    (reading: Reading): Answer<Part<Row>> => {
      const isInScope = memoised((name) => NamespaceFilter.matches(namespaces, name, reading.labels(name)))
      const wanted = { ...wantedOf(namespaces._tag === "All" ? undefined : isInScope, reading), name }
      const reached = new Set(asked.filter(isInScope))
      const { count, run } = RowPick.pick(rowsOf(reading), wanted, part)
      return {
        value: { first: taken(run), reached },
        count,
        ageMs: reading.ageMs,
        isStale: reading.isStale,
        staleCause: reading.staleCause,
        missingKinds: reading.missingKinds
      }
    }
}

/** Rows of all clusters that `listNow` may have to look at, if a page is narrowed or its order not sorted yet: a millisecond's work. */
const MOST_LOOKED_AT = 20_000

/**
 * Lists at once what `list` would, where nothing has to be waited for and little is to be looked at.
 *
 * Gives `undefined` where `list` would wait, refuse, or give others their turn: who asks takes that way then.
 */
export const listNow = <Row extends Placed>(
  fanOut: FanOut["Service"],
  reader: ClusterReader["Service"],
  listing: Listing<Row>
): MergedList.MergedList<Row> | undefined => {
  const { asked, namespaces, page, paging, rowsOf, target, wantedOf } = listing
  if (page.consistency !== "cache" || NamespaceFilter.needsLabels(namespaces)) return undefined
  if (!asked.every((name) => NamespaceFilter.matches(namespaces, name, undefined))) return undefined
  const start = MergedList.placeOf(paging, page.cursor)
  if (Result.isFailure(start)) return undefined

  const head = new PageHead(paging.order, page.limit + 1)
  const answerOf = answering(
    listing,
    head,
    start.success
  )((run) => {
    head.take(run)
    return []
  })
  const question: Question = { ...listing.kinds, consistency: "cache", timeoutMs: page.timeoutMs, needsLabels: false }
  let looked = 0
  const replies = fanOut.askNow(target.clusters, (cluster, now) => {
    const reading = reader.readNow(cluster, question, now)
    if (reading === undefined) return undefined
    const rows = rowsOf(reading)
    const { groups, matches, reaches } = wantedOf(namespaces._tag === "All" ? undefined : () => true, reading)
    const isWhole = groups === undefined && matches === undefined && reaches === undefined
    looked += isWhole && rows.inOrder(listing.ascending) !== undefined ? 0 : rows.counts().all
    return looked > MOST_LOOKED_AT ? undefined : () => answerOf(reading)
  })
  return replies === undefined ? undefined : MergedList.assemble(replies.map(withoutRows), paging, head.rows())
}

const withoutRows = <Row>({ coverage }: Reply<Part<Row>>): Reply<ReadonlyArray<Row>> => ({ coverage, value: undefined })

/** What a cluster that was waited for has for the page, and which of the namespaces asked for are in scope there. */
interface Part<Row> {
  readonly first: ReadonlyArray<Row>
  readonly reached: ReadonlySet<string>
}

const firstRows = <Row>({ coverage, value }: Reply<Part<Row>>): Reply<ReadonlyArray<Row>> => ({
  coverage,
  value: value?.first
})

const refuseOutside = (
  asked: ReadonlyArray<string>,
  isReached: (name: string) => boolean
): Effect.Effect<void, NamespaceForbidden> => {
  const outside = asked.find((name) => !isReached(name))
  return outside === undefined ? Effect.void : Effect.fail(new NamespaceForbidden({ namespace: outside }))
}

/** A namespace holds many rows; its scope is decided once. */
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
