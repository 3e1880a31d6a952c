/**
 * Checks the cost history for damage, and repairs it.
 */
import * as Calendar from "./Calendar.ts"
import { type Cluster, type History, isComplete, note, noteRemoved } from "./CostHistory.ts"
import type { Checked, Finding } from "./CostProtocol.ts"
import { DAYS, HOURS, type StepKey } from "./CostRows.ts"
import { combine, type Combined, type Term } from "./CostSums.ts"
import * as Epoch from "./Epoch.ts"
import * as ExactHours from "./ExactHours.ts"
import * as HourDetail from "./HourDetail.ts"
import * as LostSeries from "./LostSeries.ts"
import * as LostSpans from "./LostSpans.ts"

/**
 * Sums of the readable steps (hours or days) of an epoch (a day or a month), and the problems of the unreadable steps.
 */
interface Inspected {
  readonly sums: ReadonlyMap<number, Term["sums"]>
  readonly problems: ReadonlyMap<number, string>
  readonly ids: ReadonlySet<number>
}

/** Reads every blob and compares hours with the totals of their days. */
export const check = (history: History): Checked => {
  const findings: Array<Finding> = fileFindings(history)
  let hours = 0
  let days = 0
  for (const name of history.names()) {
    const cluster = history.find(name)
    if (cluster === undefined) continue
    const ids = new Set<number>()
    for (const day of rising(cluster.hours)) {
      const inspected = inspect(history, cluster, HOURS, day)
      hours += inspected.sums.size + inspected.problems.size
      findings.push(...hourFindings(name, day, inspected))
      for (const id of inspected.ids) ids.add(id)
    }
    for (const month of rising(cluster.days)) {
      const inspected = inspect(history, cluster, DAYS, month)
      days += inspected.sums.size + inspected.problems.size
      findings.push(...dayFindings(name, month, inspected))
      for (const id of inspected.ids) ids.add(id)
      for (const step of contradictions(history, cluster, month, inspected)) {
        findings.push(dayFinding(name, month, step, "the hours do not add up to the day"))
      }
    }
    findings.push(...LostSeries.among(history.series, cluster.id, ids).map((id) => seriesFinding(name, id)))
  }
  return { hours, days, findings }
}

/**
 * Removes unreadable parts and keeps the rest intact. Returns what was lost, and where its amounts count now.
 *
 * The amounts of a lost hour count in the next stored hour of its day. Those of a lost day count in the next day, unless the
 * day can be rebuilt from its hours. A sealed day keeps its total, so the amounts of a lost last hour count only in that total.
 */
export const repair = (history: History): Checked => {
  const checked = check(history)
  for (const name of history.names()) {
    const cluster = history.find(name)
    if (cluster === undefined) continue
    const ids = new Set<number>()
    for (const day of rising(cluster.hours)) {
      const inspected = inspect(history, cluster, HOURS, day)
      for (const id of inspected.ids) ids.add(id)
      if (inspected.problems.size > 0) mendHours(history, cluster, day, inspected)
    }
    for (const month of rising(cluster.days)) {
      const inspected = inspect(history, cluster, DAYS, month)
      for (const id of inspected.ids) ids.add(id)
      const wrong = contradictions(history, cluster, month, inspected)
      if (inspected.problems.size > 0 || wrong.length > 0) mendDays(history, cluster, month, inspected, wrong)
    }
    LostSeries.mend(history.series, cluster.id, ids)
  }
  history.reset()
  return { ...checked, findings: LostSpans.place(history, checked.findings) }
}

const rising = (epochs: ReadonlyMap<number, number>): ReadonlyArray<number> =>
  [...epochs.keys()].toSorted((a, b) => a - b)

const fileFindings = ({ database }: History): Array<Finding> =>
  database
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row["integrity_check"]))
    .filter((problem) => problem !== "ok")
    .map((problem) => ({ cluster: "", what: "file", startMs: 0, problem }))

const hourFindings = (cluster: string, day: number, { problems }: Inspected): ReadonlyArray<Finding> =>
  [...problems].map(([step, problem]) => ({ cluster, what: "hour", startMs: Calendar.startOf(day, step), problem }))

const dayFinding = (cluster: string, month: number, step: number, problem: string): Finding => ({
  cluster,
  what: "day",
  startMs: Calendar.startOf(Calendar.firstDayOf(month) + step),
  problem
})

const dayFindings = (cluster: string, month: number, { problems }: Inspected): ReadonlyArray<Finding> =>
  [...problems].map(([step, problem]) => dayFinding(cluster, month, step, problem))

const seriesFinding = (cluster: string, id: number): Finding => ({
  cluster,
  what: "series",
  startMs: 0,
  problem: `the series ${id} cannot be read`
})

/** Runs a function. Returns the message of the error that it throws, if any. */
const problemOf = (body: () => void): string | undefined => {
  try {
    body()
    return undefined
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}

const inspect = (history: History, cluster: Cluster, level: number, epoch: number): Inspected => {
  const { rows } = history
  const masks = level === HOURS ? cluster.hours : cluster.days
  const steps = Calendar.stepsOf(masks.get(epoch) ?? 0)
  const keyOf = (step: number): StepKey => ({ cluster: cluster.id, level, epoch, step })
  const problems = new Map<number, string>()
  const sums = new Map<number, Term["sums"]>()

  const slots: Array<{ readonly step: number; readonly slots: Uint8Array | undefined }> = []
  let broken: string | undefined
  for (const step of steps) {
    broken ??= problemOf(() => {
      const row = { step, slots: rows.slotsAt(keyOf(step)) }
      Epoch.modelOf([row])
      slots.push(row)
    })
    // Without the slots of one step, the steps after it cannot be decoded.
    if (broken !== undefined) problems.set(step, broken)
  }
  const model = Epoch.modelOf(slots)
  for (const [ordinal, { step }] of slots.entries()) {
    const problem = problemOf(() => {
      const row = rows.sumsOf(keyOf(step))
      if (level === HOURS) HourDetail.unpack(rows.detailOf(keyOf(step)))
      sums.set(step, { ...Epoch.tableAt(model, ordinal, row.sums), known: row.known })
    })
    if (problem !== undefined) problems.set(step, problem)
  }
  return { sums, problems, ids: new Set(model.ids) }
}

/** Returns the amounts that each readable step adds to the previous readable step. */
const differences = ({ sums }: Inspected): ReadonlyMap<number, Combined> => {
  const found = new Map<number, Combined>()
  let last: Term["sums"] | undefined
  for (const [step, after] of sums) {
    const before: ReadonlyArray<Term> = last === undefined ? [] : [{ sums: last, sign: -1 }]
    found.set(step, combine([{ sums: after, sign: 1 }, ...before]))
    last = after
  }
  return found
}

const hoursTotal = (history: History, cluster: Cluster, day: number): Combined | undefined => {
  const last = [...inspect(history, cluster, HOURS, day).sums.values()].at(-1)
  return last === undefined ? undefined : combine([{ sums: last, sign: 1 }])
}

/** Finds days of a month whose hours are all stored but do not add up to the stored total of the day. */
const contradictions = (
  history: History,
  cluster: Cluster,
  month: number,
  inspected: Inspected
): ReadonlyArray<number> => {
  if (inspected.problems.size > 0) return []
  const start = Calendar.firstDayOf(month)
  return [...differences(inspected)]
    .filter(([step, total]) => {
      if (!isComplete(cluster, start + step)) return false
      if (inspect(history, cluster, HOURS, start + step).problems.size > 0) return false
      const hours = hoursTotal(history, cluster, start + step)
      if (hours === undefined) return false
      const rest = combine([
        { sums: total, sign: 1 },
        { sums: hours, sign: -1 }
      ])
      return rest.known !== 0 || !isRounding(rest, inspected.sums.get(step))
    })
    .map(([step]) => step)
}

/** Relative rounding error of a running sum beyond 2^53: up to 2^-53 for each of a few thousand additions. */
const ROUNDING = 2 ** -41

/** Returns true if a difference is at most the rounding error of sums beyond 2^53. Smaller sums are exact. */
const isRounding = ({ columns, ids }: Combined, sums: Term["sums"] | undefined): boolean => {
  if (ids.length === 0) return true
  if (sums === undefined) return false
  const slots = Epoch.slotsOf(sums, sums.size)
  return columns.every((column, index) =>
    ids.every((id, place) => {
      const sum = Math.abs(sums.columns[index]?.[slots[id] ?? -1] ?? 0)
      const most = sum > Number.MAX_SAFE_INTEGER ? sum * ROUNDING : 0
      return Math.abs(column?.[place] ?? 0) <= most
    })
  )
}

const mendHours = (history: History, cluster: Cluster, day: number, inspected: Inspected): void => {
  const { rows } = history
  const mask = cluster.hours.get(day) ?? 0
  const kept = [...differences(inspected)].map(([step, sums]) => {
    const detail = HourDetail.unpack(rows.detailOf({ cluster: cluster.id, level: HOURS, epoch: day, step }))
    const isMerged = inspected.problems.has(Calendar.lastBelow(mask, step))
    return { step, sums, detail: isMerged ? { ...widened(detail, sums.ids), corrections: [] } : detail }
  })
  for (const lost of inspected.problems.keys()) {
    const taker = kept.find(({ step }) => step > lost)
    // The next hour now includes amounts of an estimated hour, so it is no longer exact.
    if (taker !== undefined && !ExactHours.has(cluster, day, lost)) {
      ExactHours.unnote(history, cluster, day, taker.step)
    }
  }
  rows.removeFrom(cluster.id, HOURS, day, 0)
  noteRemoved(cluster, HOURS, day)
  history.forget(cluster, HOURS, day)
  const writer = Epoch.empty()
  let known = 0
  for (const { detail, step, sums } of kept) {
    const packed = Epoch.append(writer, step, sums.ids, sums.columns)
    known += sums.known
    const key = { cluster: cluster.id, level: HOURS, epoch: day, step, known, mask: 0 }
    rows.put({ ...key, sums: packed.sums, slots: packed.slots, detail: HourDetail.pack(detail) })
    note(cluster, HOURS, day, step, 0)
  }
}

/** Adds the series of a lost hour to the hour that takes its amounts. */
const widened = (detail: HourDetail.Detail, ids: Int32Array): HourDetail.Detail => {
  const named = new Set(detail.ids)
  const others = [...ids].filter((id) => !named.has(id))
  const rateOf = new Int32Array(detail.ids.length + others.length).fill(-1)
  rateOf.set(detail.rateOf)
  return { ...detail, ids: Int32Array.of(...detail.ids, ...others), rateOf }
}

const mendDays = (
  history: History,
  cluster: Cluster,
  month: number,
  inspected: Inspected,
  wrong: ReadonlyArray<number>
): void => {
  const start = Calendar.firstDayOf(month)
  const rebuilt = new Map<number, Combined>()
  for (const step of [...inspected.problems.keys(), ...wrong]) {
    const total = hoursTotal(history, cluster, start + step)
    if (total !== undefined) rebuilt.set(step, total)
  }
  const readable = differences(inspected)
  const steps = [...new Set([...readable.keys(), ...rebuilt.keys()])].toSorted((a, b) => a - b)
  const days = steps.map((step) => {
    // If a lost day is rebuilt from its hours, its amounts no longer count in the next day.
    const again = [...rebuilt].filter(
      ([lost]) =>
        inspected.problems.has(lost) && lost < step && ![...readable.keys()].some((kept) => kept > lost && kept < step)
    )
    const amounts = readable.get(step)
    const sums =
      rebuilt.get(step)
      ?? combine([
        ...(amounts === undefined ? [] : [{ sums: amounts, sign: 1 as const }]),
        ...again.map(([, total]) => ({ sums: total, sign: -1 as const }))
      ])
    return { step, sums, mask: cluster.closed.get(start + step) ?? 0 }
  })
  history.rows.removeFrom(cluster.id, DAYS, month, 0)
  noteRemoved(cluster, DAYS, month)
  history.forget(cluster, DAYS, month)
  const writer = Epoch.empty()
  let known = 0
  for (const { mask, step, sums } of days) {
    const packed = Epoch.append(writer, step, sums.ids, sums.columns)
    known += sums.known
    const key = { cluster: cluster.id, level: DAYS, epoch: month, step }
    history.rows.put({ ...key, known, mask, sums: packed.sums, slots: packed.slots, detail: undefined })
    note(cluster, DAYS, month, step, mask)
  }
}
