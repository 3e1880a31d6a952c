/**
 * The cost history in the thread that owns the file: which steps there are, and their sums.
 *
 * Every day but a cluster's newest is sealed: its sums stand in its month. What lies before an instant in its month is
 * thus one step of the month and one of the day.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Calendar from "./Calendar.ts"
import { DAYS, HOURS, Rows, type StepKey } from "./CostRows.ts"
import { combine } from "./CostSums.ts"
import * as Epoch from "./Epoch.ts"
import { type LeastRecent, make as makeLeastRecent } from "./LeastRecent.ts"
import { SeriesRows } from "./SeriesRows.ts"

/** What of older steps stays decoded, beside each cluster's newest day: the edges of a few windows of a large fleet. */
const TABLE_BYTES = 96 * 1_024 ** 2
/** What they are read by; of use only while several steps of an epoch are read. */
const MODEL_BYTES = 4 * 1_024 ** 2

/** Sums of a step. */
interface Sums extends Epoch.Table {
  readonly known: number
}

/** A cluster, as far as its steps are known without reading them. */
export interface Cluster {
  readonly id: number
  /** For each day the hours that are kept, one bit each. */
  readonly hours: Map<number, number>
  /** For each month its sealed days. */
  readonly days: Map<number, number>
  /** For each sealed day the hours that were closed, kept or not. */
  readonly closed: Map<number, number>
  /** Where hours begin that keep what was requested while usage was known. **Units** milliseconds since the epoch. */
  readonly estimatedToMs: number
  /** For each day the hours before that which were written since, one bit each: they keep it too. */
  readonly exact: Map<number, number>
  /** The newest day with hours, -1 where there is none. */
  newest: number
  /** The newest day, once it was written to. */
  open: (Open & { readonly day: number }) | undefined
}

/** An epoch that can be added to. **Units** `known` in seconds since it began. */
export interface Open {
  readonly writer: Epoch.Writer
  known: number
}

/** Reads, sums and opens the steps of clusters, and remembers what it decoded of them. */
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

  /** Adds up steps that together are the sums of one month up to an instant. */
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

  /** Opens an epoch to add to, as it was before a step. */
  writerOf(cluster: Cluster, level: number, epoch: number, below = Calendar.STEPS): Open {
    const slots = this.rows.slotsOf(cluster.id, level, epoch).filter(({ step }) => step < below)
    const last = slots.at(-1)
    if (last === undefined) return { writer: Epoch.empty(), known: 0 }
    const { known, sums } = this.rows.sumsOf({ cluster: cluster.id, level, epoch, step: last.step })
    return { writer: Epoch.writerOf(Epoch.modelOf(slots), sums), known }
  }

  /** Forgets what was decoded of a cluster's epoch, or of all of it. */
  forget({ id }: Cluster, level: number, epoch?: number): void {
    const prefix = `${id}/${level}/${epoch === undefined ? "" : `${epoch}/`}`
    this.#models.forget(prefix)
    this.#tables.forget(prefix)
    this.#tables.forget(`${id}/${RUNNING}/`)
  }

  /** Forgets all but the file, after a transaction that failed. */
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

  /** Finds sums that need no reading. */
  #atHand(key: StepKey, { open }: Cluster): Sums | undefined {
    return key.level === HOURS && open?.day === key.epoch && open.writer.model.steps.at(-1) === key.step
      ? { ...Epoch.totalOf(open.writer), known: open.known }
      : this.#tables.get(`${key.cluster}/${placeOf(key)}`)
  }
}

/** What sums of several steps are kept under, in place of a level. */
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

/** Notes a step that was written. */
export const note = (cluster: Cluster, level: number, epoch: number, step: number, mask: number): void => {
  if (level === HOURS) {
    setBit(cluster.hours, epoch, step)
    cluster.newest = Math.max(cluster.newest, epoch)
    return
  }
  setBit(cluster.days, epoch, step)
  cluster.closed.set(Calendar.firstDayOf(epoch) + step, mask)
}

/** Notes that an epoch's steps were removed, from one on. */
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

/** Tells whether a day's sums stand in its month. */
export const isSealed = ({ closed }: Cluster, day: number): boolean => closed.has(day)

/** Tells whether an hour is closed, whether it is kept or not. */
export const isClosed = ({ closed, hours }: Cluster, day: number, hour: number): boolean =>
  ((((closed.get(day) ?? 0) | (hours.get(day) ?? 0)) >>> hour) & 1) === 1

/** Tells whether every closed hour of a sealed day is kept. */
export const isComplete = ({ closed, hours }: Cluster, day: number): boolean =>
  hours.has(day) && hours.get(day) === closed.get(day)

/** Tells whether a day is kept as a whole only. */
export const isForgotten = ({ closed, hours }: Cluster, day: number): boolean => closed.has(day) && !hours.has(day)

/** The steps whose sums together are those of all before an instant, in its month. None, one or two. */
export const before = (cluster: Cluster, ms: number): ReadonlyArray<StepKey> => {
  const day = Calendar.dayAt(ms)
  const month = Calendar.monthOf(day)
  const keys: Array<StepKey> = []
  const sealed = Calendar.lastBelow(cluster.days.get(month) ?? 0, Calendar.placeInMonth(day))
  if (sealed >= 0) keys.push({ cluster: cluster.id, level: DAYS, epoch: month, step: sealed })
  const { newest } = cluster
  // The newest day is not in its month yet; it counts with its last hour to those who ask from a later day.
  const isBefore = newest >= 0 && newest < day && Calendar.monthOf(newest) === month && !isSealed(cluster, newest)
  const held = isBefore ? newest : day
  const hour = Calendar.lastBelow(cluster.hours.get(held) ?? 0, isBefore ? Calendar.STEPS : Calendar.hourAt(ms))
  if (hour >= 0) keys.push({ cluster: cluster.id, level: HOURS, epoch: held, step: hour })
  return keys
}

/** The steps whose sums together are those of a whole month. */
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
