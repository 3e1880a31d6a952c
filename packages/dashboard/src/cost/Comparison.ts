/**
 * Changes of costs from the period before, which the server has found comparable.
 */
import type { CostGroup, CostGroups } from "../api/CostQueries.ts"
import * as Quantity from "../format/Quantity.ts"

/** Coverage of a cluster in a period. **Units** hours. */
interface Seen {
  readonly hoursCovered: number
}

/** Returns true if the server saw any part of a period. */
export const isSeen = (clusters: ReadonlyArray<Seen>): boolean => clusters.some(({ hoursCovered }) => hoursCovered > 0)

/** Costs of two periods. **Shape** `before` is null if it is not comparable, undefined while it is not known. */
export interface Compared {
  readonly now: number
  readonly before: number | null | undefined
}

/** A change as text. **Shape** `part` is the percentage or `new`; absent if a percentage would be meaningless. */
export interface ChangeText {
  readonly money: string
  readonly part?: string
}

/** Maximum relative change that is shown. A larger one is meaningless, because the earlier cost was close to 0. */
const MAX_CHANGE = 10

/** Relative changes up to this size are shown as 0: they may come from rounding. */
const ROUNDING = 0.0005

const signed = (amount: number, currency: string): string => {
  return `${amount > 0 ? "+" : "-"}${Quantity.money(Math.abs(amount), currency)}`
}

/** Prints a change in money and in percent. **Shape** `undefined` if the periods are not comparable. */
export const changeOf = ({ before, now }: Compared, currency: string): ChangeText | undefined => {
  if (before === null || before === undefined) return undefined
  const difference = now - before
  if (Math.abs(difference) <= Math.abs(before) * ROUNDING) return { money: Quantity.money(0, currency) }
  const money = signed(difference, currency)
  if (before === 0) return { money, part: "new" }
  return Math.abs(now / before - 1) > MAX_CHANGE ? { money } : { money, part: Quantity.change(now, before) }
}

/** Prints a change in one line. **Example** `+$1.20 (+12%)` */
export const lineOf = ({ money, part }: ChangeText): string => (part === undefined ? money : `${money} (${part})`)

/** A group whose cost has changed. */
export interface Mover {
  readonly row: CostGroup
  readonly before: number
  readonly difference: number
}

/** Smaller changes are rounding. **Units** the currency of the report. */
const NOTICED = 0.005

/** Returns the groups with the largest changes, up or down, the largest first. Groups that are not comparable are left out. */
export const moversOf = ({ rows }: Pick<CostGroups, "rows">, most: number): ReadonlyArray<Mover> =>
  rows
    .flatMap((row): ReadonlyArray<Mover> => {
      const before = row.previous?.totalCost
      return before === undefined ? [] : [{ row, before, difference: row.totalCost - before }]
    })
    .filter(({ difference }) => Math.abs(difference) >= NOTICED)
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, most)

/** Explains why costs are not compared. **Shape** `undefined` if all of them are. */
export const reasonOf = ({ clusters, previous }: Pick<CostGroups, "clusters" | "previous">): string | undefined => {
  if (previous === undefined) return undefined
  if (!isSeen(previous.clusters)) return "Not compared: the server saw nothing of the period before."
  const unlike = previous.clusters.filter(({ comparable }) => !comparable)
  if (unlike.length === 0) return undefined
  const parts = unlike.slice(0, 3).map(({ hoursCovered, name }) => {
    const now = clusters.find((cluster) => cluster.name === name)?.hoursCovered
    return `${name} (${Quantity.hours(now)} now, ${Quantity.hours(hoursCovered)} before)`
  })
  const more = unlike.length > parts.length ? ` and ${unlike.length - parts.length} more` : ""
  return `Not compared, because the server saw different parts of both periods: ${parts.join(", ")}${more}.`
}
