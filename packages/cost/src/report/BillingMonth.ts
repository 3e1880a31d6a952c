/**
 * The calendar months that bills are cut into.
 *
 * **Source** FOCUS 1.2, "Billing Period Start" and "Billing Period End".
 */
import type { BilledRow, ReportWindow, SeenHours } from "./CostRow.ts"
import type { Window } from "../hour/Window.ts"

/**
 * The part of a report's window that lies in one month.
 *
 * **Shape** `window` is that part, `clusters` the hours of that part for which each cluster was seen.
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

/** Returns the start of the UTC month that holds an instant. **Units** milliseconds since the epoch. */
export const startOf = (ms: number): number => shifted(ms, 0)

/** Returns the start of the UTC month after the one that holds an instant. **Units** milliseconds since the epoch. */
export const endOf = (ms: number): number => shifted(ms, 1)

const shifted = (ms: number, months: number): number => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** Cuts a window at the starts of months. The parts follow each other and add up to the window. */
export const cut = ({ endMs, startMs }: Window): ReadonlyArray<Window> => {
  const parts: Array<Window> = []
  for (let fromMs = startMs; fromMs < endMs; fromMs = endOf(fromMs)) {
    parts.push({ startMs: fromMs, endMs: Math.min(endMs, endOf(fromMs)) })
  }
  return parts
}
