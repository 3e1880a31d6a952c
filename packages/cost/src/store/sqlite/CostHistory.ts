/**
 * Index of the stored steps of each cluster, with a cache of their sums. It lives in the worker thread.
 *
 * Every day of a cluster except the newest is sealed: the total of the day is stored in its month. The sum from the start of a
 * month to an instant is thus one step of the month plus one step of the day.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Calendar from "./Calendar.ts"
import { DAYS, HOURS, Rows, type StepKey } from "./CostRows.ts"
import { combine } from "./CostSums.ts"
import * as Epoch from "./Epoch.ts"
import { type LeastRecent, make as makeLeastRecent } from "./LeastRecent.ts"
import { SeriesRows } from "./SeriesRows.ts"

/**
 * Size of the cache of decoded sums. It holds the sums at the starts and ends of a few report windows of a large fleet.
 */
const TABLE_BYTES = 96 * 1_024 ** 2
/**
 * Size of the cache of {@link Epoch.Model}s, which decode stored steps. A model is reused only while several steps of
 * its day or month are read.
 */
const MODEL_BYTES = 4 * 1_024 ** 2

interface Sums extends Epoch.Table {
  readonly known: number
}

/** Index of the stored steps of a cluster: the hours of days, and the days of months. */
export interface Cluster {
  readonly id: number
  /** Bit mask of the stored hours, by day. */
  readonly hours: Map<number, number>
  /** Bit mask of the sealed days, by month. */
  readonly days: Map<number, number>
  /** Bit mask of the closed hours, by sealed day. Includes hours that are no longer stored. */
  readonly closed: Map<number, number>
  /**
   * End of the hours in which it is estimated how much was requested while usage was known. **Units** milliseconds
   * since the epoch.
   */
  readonly estimatedToMs: number
  /** Bit mask of the exact hours before `estimatedToMs`, by day. They were written later and need no estimate. */
  readonly exact: Map<number, number>
  /** Newest day with closed hours, or -1. */
  newest: number
  /** Writer of the newest day. Absent until an hour is added to that day. */
  open: (Open & { readonly day: number }) | undefined
}

/**
 * The writer of an epoch (a day or a month), which steps can be added to. **Units** `known` is the observed time since
 * the start of the epoch, in seconds.
 */
export interface Open {
  readonly writer: Epoch.Writer
  known: number
}

/** Reads the steps of clusters, and caches their sums. */
export class History {
  readonly database: DatabaseSync
  readonly rows: Rows
  readonly series: SeriesRows
  readonly #ids = new Map<string, Named>()
  readonly #clusters = new Map<string, Cluster>()
  readonly #models: LeastRecent<Epoch.Model> = makeLeastRecent(MODEL_BYTES)
  readonly #tables: LeastRecent<Sums> = makeLeastRecent(TABLE_BYTES)

  constructor(database: DatabaseSync) {
    this.database = database
    this.rows = new Rows(database)
    this.series = new SeriesRows(database)
    this.#loadNames()
  }

  find(name: string): Cluster | undefined {
    const named = this.#ids.get(name)
    if (named === undefined) return undefined
    const found = this.#clusters.get(name)
    if (found !== undefined) return found
    const cluster = loaded(this.rows, named)
    this.#clusters.set(name, cluster)
    return cluster
  }

  findOrAdd(name: string): Cluster {
    if (!this.#ids.has(name)) this.#ids.set(name, { id: this.rows.addCluster(name), estimatedToMs: 0 })
    const cluster = this.find(name)
    if (cluster === undefined) throw new Error("a cluster that was just added is missing")
    return cluster
  }

  names(): ReadonlyArray<string> {
    return [...this.#ids.keys()]
  }

  modelOf({ id, open }: Cluster, level: number, epoch: number): Epoch.Model {
    if (level === HOURS && open?.day === epoch) return open.writer.model
    const key = `${id}/${level}/${epoch}/`
    const found = this.#models.get(key)
    if (found !== undefined) return found
    const model = Epoch.modelOf(this.rows.slotsOf(id, level, epoch))
    this.#models.set(key, model, Epoch.bytesOf(model.slopes, model.ids))
    return model
  }

  sumsOf(key: StepKey, cluster: Cluster): Sums {
    const found = this.#atHand(key, cluster)
    if (found !== undefined) return found
    const sums = this.#readSums(key, cluster)
    this.#tables.set(`${key.cluster}/${placeOf(key)}`, sums, Epoch.bytesOf(sums.columns, sums.ids))
    return sums
  }

  /** Returns the sum of the steps that cover one month up to an instant. */
  runningOf(keys: ReadonlyArray<StepKey>, cluster: Cluster): Sums {
    const [only, another] = keys
    if (only !== undefined && another === undefined) return this.sumsOf(only, cluster)
    const place = `${cluster.id}/${RUNNING}/${keys.map(placeOf).join("+")}`
    const found = this.#tables.get(place)
    if (found !== undefined) return found
    const parts = keys.map((key) => this.#atHand(key, cluster) ?? this.#readSums(key, cluster))
    const sums = combine(parts.map((part) => ({ sums: part, sign: 1 })))
    this.#tables.set(place, sums, sums.values.byteLength + sums.ids.byteLength)
    return sums
  }

  /** Opens a day or month for writing. Stored steps before step `below` stay, and the next step follows them. */
  writerOf(cluster: Cluster, level: number, epoch: number, below = Calendar.STEPS): Open {
    const slots = this.rows.slotsOf(cluster.id, level, epoch).filter(({ step }) => step < below)
    const last = slots.at(-1)
    if (last === undefined) return { writer: Epoch.empty(), known: 0 }
    const { known, sums } = this.rows.sumsOf({ cluster: cluster.id, level, epoch, step: last.step })
    return { writer: Epoch.writerOf(Epoch.modelOf(slots), sums), known }
  }

  /** Clears the cache of one day or month (epoch), or of all days or all months (level) of a cluster. */
  forget({ id }: Cluster, level: number, epoch?: number): void {
    const prefix = `${id}/${level}/${epoch === undefined ? "" : `${epoch}/`}`
    this.#models.forget(prefix)
    this.#tables.forget(prefix)
    this.#tables.forget(`${id}/${RUNNING}/`)
  }

  /** Clears all caches and the index, after a failed transaction. */
  reset(): void {
    this.#ids.clear()
    this.#clusters.clear()
    this.#models.forget("")
    this.#tables.forget("")
    this.#loadNames()
  }

  #loadNames(): void {
    for (const { name, ...named } of this.rows.clusters()) this.#ids.set(name, named)
  }

  #readSums(key: StepKey, cluster: Cluster): Sums {
    const model = this.modelOf(cluster, key.level, key.epoch)
    const { known, sums } = this.rows.sumsOf(key)
    return { ...Epoch.tableAt(model, model.steps.indexOf(key.step), sums), known }
  }

  /** Returns the sums of a step if the open writer or the cache has them. */
  #atHand(key: StepKey, { open }: Cluster): Sums | undefined {
    return key.level === HOURS && open?.day === key.epoch && open.writer.model.steps.at(-1) === key.step
      ? { ...Epoch.totalOf(open.writer), known: open.known }
      : this.#tables.get(`${key.cluster}/${placeOf(key)}`)
  }
}

/** Part of a cache key. It takes the place of the level in the keys of sums over several steps. */
const RUNNING = "running"

const placeOf = ({ epoch, level, step }: StepKey): string => `${level}/${epoch}/${step}`

type Named = Pick<Cluster, "id" | "estimatedToMs">

const loaded = (rows: Rows, { estimatedToMs, id }: Named): Cluster => {
  const months = { hours: new Map(), days: new Map(), closed: new Map() }
  const exact = rows.exactHours(id)
  const cluster: Cluster = { id, estimatedToMs, exact, ...months, newest: -1, open: undefined }
  for (const { epoch, level, mask, step } of rows.places(id)) {
    if (level === HOURS) setBit(cluster.hours, epoch, step)
    else {
      setBit(cluster.days, epoch, step)
      cluster.closed.set(Calendar.firstDayOf(epoch) + step, mask)
    }
  }
  cluster.newest = newestOf(cluster)
  return cluster
}

const setBit = (masks: Map<number, number>, epoch: number, step: number): void => {
  masks.set(epoch, (masks.get(epoch) ?? 0) | (1 << step))
}

const newestOf = ({ closed, hours }: Cluster): number => {
  let newest = -1
  for (const day of hours.keys()) newest = Math.max(newest, day)
  for (const day of closed.keys()) newest = Math.max(newest, day)
  return newest
}

/** Adds a written step to the index. */
export const note = (cluster: Cluster, level: number, epoch: number, step: number, mask: number): void => {
  if (level === HOURS) {
    setBit(cluster.hours, epoch, step)
    cluster.newest = Math.max(cluster.newest, epoch)
    return
  }
  setBit(cluster.days, epoch, step)
  cluster.closed.set(Calendar.firstDayOf(epoch) + step, mask)
}

/** Removes from the index all steps of a day or month (epoch) that are not before step `from`. */
export const noteRemoved = (cluster: Cluster, level: number, epoch: number, from = 0): void => {
  const masks = level === HOURS ? cluster.hours : cluster.days
  const mask = masks.get(epoch) ?? 0
  const left = mask & (2 ** from - 1)
  if (left === 0) masks.delete(epoch)
  else masks.set(epoch, left)
  if (level === HOURS) {
    if (cluster.open?.day === epoch) cluster.open = undefined
  } else {
    const start = Calendar.firstDayOf(epoch)
    for (const step of Calendar.stepsOf(mask & ~left)) cluster.closed.delete(start + step)
  }
  cluster.newest = newestOf(cluster)
}

/** Returns true if the total of a day is stored in its month. */
export const isSealed = ({ closed }: Cluster, day: number): boolean => closed.has(day)

/** Returns true if an hour is closed, even if it is no longer stored. */
export const isClosed = ({ closed, hours }: Cluster, day: number, hour: number): boolean =>
  ((((closed.get(day) ?? 0) | (hours.get(day) ?? 0)) >>> hour) & 1) === 1

/** Returns true if every closed hour of a sealed day is stored. */
export const isComplete = ({ closed, hours }: Cluster, day: number): boolean =>
  hours.has(day) && hours.get(day) === closed.get(day)

/** Returns true if a day is kept only as a daily total. */
export const isForgotten = ({ closed, hours }: Cluster, day: number): boolean => closed.has(day) && !hours.has(day)

/** Returns the steps whose sum covers a month from its start to an instant: none, one or two. */
export const before = (cluster: Cluster, ms: number): ReadonlyArray<StepKey> => {
  const day = Calendar.dayAt(ms)
  const month = Calendar.monthOf(day)
  const keys: Array<StepKey> = []
  const sealed = Calendar.lastBelow(cluster.days.get(month) ?? 0, Calendar.placeInMonth(day))
  if (sealed >= 0) keys.push({ cluster: cluster.id, level: DAYS, epoch: month, step: sealed })
  const { newest } = cluster
  // The newest day has no total yet. For an instant on a later day, the sum of its hours up to the last one is that total.
  const isBefore = newest >= 0 && newest < day && Calendar.monthOf(newest) === month && !isSealed(cluster, newest)
  const dayOfHour = isBefore ? newest : day
  const hour = Calendar.lastBelow(cluster.hours.get(dayOfHour) ?? 0, isBefore ? Calendar.STEPS : Calendar.hourAt(ms))
  if (hour >= 0) keys.push({ cluster: cluster.id, level: HOURS, epoch: dayOfHour, step: hour })
  return keys
}

/** Returns the steps whose sum covers a whole month. */
export const ofMonth = (cluster: Cluster, month: number): ReadonlyArray<StepKey> => {
  const keys: Array<StepKey> = []
  const sealed = Calendar.lastBelow(cluster.days.get(month) ?? 0, Calendar.STEPS)
  if (sealed >= 0) keys.push({ cluster: cluster.id, level: DAYS, epoch: month, step: sealed })
  const { newest } = cluster
  if (newest >= 0 && Calendar.monthOf(newest) === month && !isSealed(cluster, newest)) {
    const hour = Calendar.lastBelow(cluster.hours.get(newest) ?? 0, Calendar.STEPS)
    if (hour >= 0) keys.push({ cluster: cluster.id, level: HOURS, epoch: newest, step: hour })
  }
  return keys
}
