/**
 * Writes the cost history: closes and rewrites hours, seals days into their months, removes old hours and days.
 *
 * Every function but `sweep` runs within one transaction of its caller.
 */
import * as Calendar from "./Calendar.ts"
import * as CostHistory from "./CostHistory.ts"
import type { Cluster, History, Open } from "./CostHistory.ts"
import type { Closing } from "./CostProtocol.ts"
import * as CostReads from "./CostReads.ts"
import { DAYS, HOURS } from "./CostRows.ts"
import { combine, type Combined, type Term } from "./CostSums.ts"
import * as Epoch from "./Epoch.ts"
import * as EstimatedReads from "./EstimatedReads.ts"
import * as ExactHours from "./ExactHours.ts"
import * as HourDetail from "./HourDetail.ts"
import * as TransferColumns from "./TransferColumns.ts"
import type { Block, SeriesRows } from "./SeriesRows.ts"

/** Thrown for an hour that is already closed. */
export class Closed extends Error {
  readonly cluster: string
  readonly startMs: number
  constructor({ cluster, startMs }: Pick<Closing, "cluster" | "startMs">) {
    super("the hour is closed already")
    this.cluster = cluster
    this.startMs = startMs
  }
}

/** Thrown for an hour of a day that is kept only as a daily total. */
export class Forgotten extends Error {
  readonly cluster: string
  readonly startMs: number
  constructor({ cluster, startMs }: Pick<Closing, "cluster" | "startMs">) {
    super("the hour is no longer kept")
    this.cluster = cluster
    this.startMs = startMs
  }
}

/** Closes one hour. Returns the ids of its fresh series. */
export const close = (history: History, closing: Closing): Int32Array => {
  const cluster = history.findOrAdd(closing.cluster)
  const day = Calendar.dayAt(closing.startMs)
  const step = Calendar.hourAt(closing.startMs)
  if (CostHistory.isClosed(cluster, day, step)) throw new Closed(closing)
  const isNext =
    day > cluster.newest
    || (day === cluster.newest && !CostHistory.isSealed(cluster, day) && step > lastHour(cluster, day))
  if (!isNext) return rewrite(history, [closing])[0] ?? new Int32Array(0)

  const { given, hour } = keptHour(history, cluster, closing)
  const { newest } = cluster
  if (newest >= 0 && newest < day && !CostHistory.isSealed(cluster, newest)) {
    amend(history, cluster, new Map([[newest, { after: totalOf(history, cluster, newest) }]]))
  }
  if (cluster.open?.day !== day) {
    history.forget(cluster, HOURS, day)
    cluster.open = { day, ...history.writerOf(cluster, HOURS, day) }
  }
  addHour(history, cluster, day, cluster.open, hour)
  return given
}

/** Replaces or closes hours. Returns the ids of the fresh series of each. */
export const rewrite = (history: History, closings: ReadonlyArray<Closing>): ReadonlyArray<Int32Array> => {
  const byCluster = new Map<Cluster, Map<number, Map<number, CostReads.KeptHour>>>()
  const ids: Array<Int32Array> = []
  for (const closing of closings) {
    const cluster = history.findOrAdd(closing.cluster)
    const day = Calendar.dayAt(closing.startMs)
    if (CostHistory.isForgotten(cluster, day)) throw new Forgotten(closing)
    const days = byCluster.get(cluster) ?? new Map<number, Map<number, CostReads.KeptHour>>()
    byCluster.set(cluster, days)
    const hours = days.get(day) ?? new Map<number, CostReads.KeptHour>()
    days.set(day, hours)
    const { given, hour } = keptHour(history, cluster, closing)
    hours.set(hour.step, hour)
    ids.push(given)
  }
  for (const [cluster, days] of byCluster) rewriteDays(history, cluster, days)
  return ids
}

/** Assigns ids to fresh series, and converts the message to a stored hour. */
const keptHour = (history: History, cluster: Cluster, closing: Closing) => {
  const { fresh, ids, knownSeconds, rateOf, charges, shares, startMs } = closing
  const given = history.series.idsOf(cluster.id, fresh)
  for (const [index, place] of fresh.places.entries()) ids[place] = given[index] ?? 0
  const hour: CostReads.KeptHour = {
    ids,
    charges,
    rateOf,
    shares,
    known: knownSeconds,
    step: Calendar.hourAt(startMs),
    columns: TransferColumns.spread(closing, ids.length)
  }
  return { given, hour }
}

const addHour = (history: History, cluster: Cluster, day: number, open: Open, hour: CostReads.KeptHour): void => {
  const { corrections, slots, sums } = Epoch.append(open.writer, hour.step, hour.ids, hour.columns)
  open.known += hour.known
  const detail = HourDetail.pack({ ...hour, corrections })
  const key = { cluster: cluster.id, level: HOURS, epoch: day, step: hour.step }
  history.rows.put({ ...key, known: open.known, mask: 0, sums, slots, detail })
  CostHistory.note(cluster, HOURS, day, hour.step, 0)
}

const lastHour = (cluster: Cluster, day: number): number =>
  Calendar.lastBelow(cluster.hours.get(day) ?? 0, Calendar.STEPS)

/** Returns a copy of the sums of a day's stored hours. */
const totalOf = (history: History, cluster: Cluster, day: number): Combined => {
  const step = lastHour(cluster, day)
  if (step < 0) return combine([])
  const key = { cluster: cluster.id, level: HOURS, epoch: day, step }
  return combine([{ sums: history.sumsOf(key, cluster), sign: 1 }])
}

/**
 * Change of a day's total: the sums of its stored hours before and after a write.
 *
 * **Shape** `before` is present only for a sealed day whose hours are not all stored. Its new total is the old one minus
 * `before` plus `after`. Any other day gets the total `after`, so that no rounding of large sums remains.
 */
interface Amendment {
  readonly before?: Combined
  readonly after: Combined
}

const rewriteDays = (
  history: History,
  cluster: Cluster,
  days: ReadonlyMap<number, ReadonlyMap<number, CostReads.KeptHour>>
): void => {
  const amendments = new Map<number, Amendment>()
  const { newest } = cluster
  for (const [day, hours] of days) {
    const hasLost = CostHistory.isSealed(cluster, day) && !CostHistory.isComplete(cluster, day)
    const before = hasLost ? totalOf(history, cluster, day) : undefined
    const anew = [...hours.values()].filter((hour) => !EstimatedReads.isAsRead(history, cluster, day, hour))
    rewriteDay(history, cluster, day, hours)
    const steps = anew.map(({ step }) => step)
    ExactHours.note(history, cluster, day, steps)
    const after = totalOf(history, cluster, day)
    amendments.set(day, before === undefined ? { after } : { before, after })
  }
  if (newest >= 0 && !days.has(newest)) amendments.set(newest, { after: totalOf(history, cluster, newest) })
  for (const day of [...amendments.keys()]) {
    const isNewlySealed = day < cluster.newest && !CostHistory.isSealed(cluster, day)
    const isChanged = CostHistory.isSealed(cluster, day) && days.has(day)
    if (!isNewlySealed && !isChanged) amendments.delete(day)
  }
  amend(history, cluster, amendments)
}

/** Rewrites the stored hours of a day from the first changed hour on. */
const rewriteDay = (
  history: History,
  cluster: Cluster,
  day: number,
  hours: ReadonlyMap<number, CostReads.KeptHour>
): void => {
  const from = Math.min(...hours.keys())
  const mask = cluster.hours.get(day) ?? 0
  const kept = Calendar.stepsOf(mask)
    .filter((step) => step >= from && !hours.has(step))
    .map((step) => CostReads.hour(history, cluster, day, step))
  const open = history.writerOf(cluster, HOURS, day, from)
  remove(history, cluster, HOURS, day, from)
  for (const hour of [...kept, ...hours.values()].toSorted((a, b) => a.step - b.step)) {
    addHour(history, cluster, day, open, hour)
  }
}

const remove = (history: History, cluster: Cluster, level: number, epoch: number, from = 0): void => {
  history.rows.removeFrom(cluster.id, level, epoch, from)
  CostHistory.noteRemoved(cluster, level, epoch, from)
  history.forget(cluster, level, epoch)
}

/** Updates the totals of days in their months. Seals a day that has no total yet. */
const amend = (history: History, cluster: Cluster, amendments: ReadonlyMap<number, Amendment>): void => {
  for (const month of new Set([...amendments.keys()].map(Calendar.monthOf))) {
    const ofMonth = new Map([...amendments].filter(([day]) => Calendar.monthOf(day) === month))
    const from = Math.min(...[...ofMonth.keys()].map(Calendar.placeInMonth))
    rewriteMonth(history, cluster, month, from, from, ofMonth)
  }
}

/** Rewrites the days of a month from step `from` on, and drops the days below `keepFrom`. */
const rewriteMonth = (
  history: History,
  cluster: Cluster,
  month: number,
  from: number,
  keepFrom: number,
  amendments: ReadonlyMap<number, Amendment>
): void => {
  const start = Calendar.firstDayOf(month)
  const sealed = cluster.days.get(month) ?? 0
  const sumsOf = (step: number) => history.sumsOf({ cluster: cluster.id, level: DAYS, epoch: month, step }, cluster)
  const steps = new Set([...Calendar.stepsOf(sealed), ...[...amendments.keys()].map(Calendar.placeInMonth)])
  const days = [...steps]
    .filter((step) => step >= keepFrom)
    .toSorted((a, b) => a - b)
    .map((step) => {
      const amendment = amendments.get(start + step)
      const terms: Array<Term> = []
      const isAnew = amendment !== undefined && amendment.before === undefined
      if (((sealed >>> step) & 1) === 1 && !isAnew) {
        const last = Calendar.lastBelow(sealed, step)
        terms.push({ sums: sumsOf(step), sign: 1 })
        if (last >= 0) terms.push({ sums: sumsOf(last), sign: -1 })
      }
      if (amendment?.before !== undefined) terms.push({ sums: amendment.before, sign: -1 })
      if (amendment !== undefined) terms.push({ sums: amendment.after, sign: 1 })
      const mask = (cluster.closed.get(start + step) ?? 0) | (cluster.hours.get(start + step) ?? 0)
      return { step, mask, sums: combine(terms) }
    })
  const open = history.writerOf(cluster, DAYS, month, from)
  remove(history, cluster, DAYS, month, from)
  for (const { mask, step, sums } of days) {
    const packed = Epoch.append(open.writer, step, sums.ids, sums.columns)
    open.known += sums.known
    history.rows.put({
      cluster: cluster.id,
      level: DAYS,
      epoch: month,
      step,
      known: open.known,
      mask,
      detail: undefined,
      sums: packed.sums,
      slots: packed.slots
    })
    CostHistory.note(cluster, DAYS, month, step, mask)
  }
}

/** Removes hours of days before `hoursBefore`, and days before `daysBefore`. **Units** days since 1970. */
export const prune = (history: History, hoursBefore: number, daysBefore: number): void => {
  for (const name of history.names()) {
    const cluster = history.find(name)
    if (cluster !== undefined) pruneCluster(history, cluster, Math.max(hoursBefore, daysBefore), daysBefore)
  }
}

const pruneCluster = (history: History, cluster: Cluster, hoursBefore: number, daysBefore: number): void => {
  const { newest } = cluster
  if (newest >= 0 && newest < hoursBefore && !CostHistory.isSealed(cluster, newest)) {
    amend(history, cluster, new Map([[newest, { after: totalOf(history, cluster, newest) }]]))
  }
  for (const day of [...cluster.hours.keys()]) if (day < hoursBefore) remove(history, cluster, HOURS, day)
  for (const [month, mask] of [...cluster.days]) {
    const start = Calendar.firstDayOf(month)
    const oldest = start + Calendar.first(mask)
    if (oldest >= daysBefore) continue
    rewriteMonth(history, cluster, month, 0, daysBefore - start, new Map())
    history.rows.markPruned(cluster.id)
  }
  ExactHours.forgetBefore(history, cluster, daysBefore)
}

/** Number of series in one transaction of {@link sweep}, which then takes a second or less. */
const SWEPT_AT_ONCE = 25_000

/**
 * Removes series that no stored hour or day names.
 *
 * **Shape** Runs several transactions. If the process ends in between, the next start continues.
 *
 * **Limits** Linear in the series. Call it before any id is sent to the other thread.
 */
export const sweep = (history: History, transact: (statements: () => void) => void): void => {
  const { rows, series } = history
  const pruned = new Set(rows.pruned())
  for (const name of history.names()) {
    const cluster = history.find(name)
    if (cluster === undefined || !pruned.has(cluster.id)) continue
    const named = new Set<number>()
    for (const [level, epochs] of [
      [HOURS, cluster.hours],
      [DAYS, cluster.days]
    ] as const) {
      for (const epoch of epochs.keys()) {
        const model = Epoch.modelOf(rows.slotsOf(cluster.id, level, epoch))
        for (const id of model.ids) named.add(id)
      }
    }
    let blocks: Array<Block> = []
    let size = 0
    const sweepBlocks = () => {
      for (const block of blocks) sweepBlock(series, cluster.id, block, named)
      blocks = []
      size = 0
    }
    for (const { block } of series.blocks(cluster.id)) {
      if (block === undefined) continue
      blocks.push(block)
      size += block.texts.length
      if (size >= SWEPT_AT_ONCE) transact(sweepBlocks)
    }
    transact(() => {
      sweepBlocks()
      rows.unmarkPruned(cluster.id)
    })
  }
}

const sweepBlock = (series: SeriesRows, cluster: number, { first, texts }: Block, named: ReadonlySet<number>): void => {
  const left = texts.map((text, place) => (named.has(first + place) ? text : ""))
  for (const [place, text] of texts.entries()) {
    if (text !== "" && left[place] === "") series.removeId(cluster, text, first + place)
  }
  if (left.every((text) => text === "")) series.removeBlock(cluster, first)
  else if (left.some((text, place) => text !== texts[place])) series.put(cluster, { first, texts: left })
}
