/**
 * Splits windows into billing months, which are calendar months in UTC.
 *
 * **Source** FOCUS 1.2, "Billing Period Start" and "Billing Period End".
 */
import type { BilledRow, ReportWindow, SeenHours } from "./CostRow.ts"
import type { Window } from "../hour/Window.ts"

/**
 * The part of a report's window that falls into one month.
 *
 * **Shape** `clusters` states for how much of that part each cluster was observed.
 */
export interface BillingMonth {
  readonly window: ReportWindow
  readonly clusters: ReadonlyArray<SeenHours>
}

/** A workload's row of one month. */
export interface MonthlyRow {
  readonly month: BillingMonth
  readonly row: BilledRow
}

/** Returns the start of the UTC month that contains `ms`. **Units** milliseconds since the epoch. */
export const startOf = (ms: number): number => shifted(ms, 0)

/** Returns the start of the next UTC month after `ms`. **Units** milliseconds since the epoch. */
export const endOf = (ms: number): number => shifted(ms, 1)

const shifted = (ms: number, months: number): number => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** Splits a window at the starts of months. The parts are adjacent and cover the window. */
export const cut = ({ endMs, startMs }: Window): ReadonlyArray<Window> => {
  const parts: Array<Window> = []
  for (let fromMs = startMs; fromMs < endMs; fromMs = endOf(fromMs)) {
    parts.push({ startMs: fromMs, endMs: Math.min(endMs, endOf(fromMs)) })
  }
  return parts
}
