/**
 * Marks of keys that deserve a review, and the order of the list.
 */
import { DateTime } from "effect"
import type { ApiKey } from "../api/Shapes.ts"

/** Marks, in the order of their chips. */
export const MARKS = ["unused", "neverExpires", "ending", "makerGone"] as const
export type Mark = (typeof MARKS)[number]

export const LABELS: Readonly<Record<Mark, string>> = {
  unused: "Unused 30 days",
  neverExpires: "Never expires",
  ending: "Ends within 7 days",
  makerGone: "Creator gone"
}

const DAY_MS = 86_400_000
const UNUSED_MS = 30 * DAY_MS
const ENDING_MS = 7 * DAY_MS

const msOf = (at: DateTime.Utc): number => DateTime.toEpochMillis(at)

const isValid = ({ status }: ApiKey): boolean => status === "active" || status === "expiring"

/** Tests of the marks. The server does not record the last use of configured keys, so they never count as unused. */
const TESTS: Readonly<Record<Mark, (key: ApiKey, nowMs: number) => boolean>> = {
  unused: ({ createdAt, lastUsedAt = createdAt, source }, nowMs) =>
    source === "created" && nowMs - msOf(lastUsedAt) >= UNUSED_MS,
  neverExpires: ({ expiresAt }) => expiresAt === undefined,
  ending: ({ expiresAt }, nowMs) => expiresAt !== undefined && msOf(expiresAt) - nowMs <= ENDING_MS,
  makerGone: ({ isMakerGone = false }) => isMakerGone
}

/** Returns the marks of a key. **Shape** expired and revoked keys have none. */
export const marksOf = (key: ApiKey, nowMs: number): ReadonlyArray<Mark> =>
  isValid(key) ? MARKS.filter((mark) => TESTS[mark](key, nowMs)) : []

/** Returns the keys that have every chosen mark. */
export const marked = (
  keys: ReadonlyArray<ApiKey>,
  chosen: ReadonlyArray<Mark>,
  nowMs: number
): ReadonlyArray<ApiKey> =>
  chosen.length === 0
    ? keys
    : keys.filter((key) => {
        const marks = marksOf(key, nowMs)
        return chosen.every((mark) => marks.includes(mark))
      })

/** Counts the keys of each mark. */
export const countsOf = (keys: ReadonlyArray<ApiKey>, nowMs: number): Readonly<Record<Mark, number>> => {
  const counts: Record<Mark, number> = { unused: 0, neverExpires: 0, ending: 0, makerGone: 0 }
  for (const key of keys) for (const mark of marksOf(key, nowMs)) counts[mark]++
  return counts
}

export const SORTS = ["name", "created", "expires", "lastUsed"] as const
export type Sort = (typeof SORTS)[number]
export type Order = "asc" | "desc"

/** Order of the list. **Shape** without `sort` the order of the server: configured keys, then created ones by age. */
export interface Sorting {
  readonly sort: Sort | undefined
  readonly order: Order
}

/** Instants of a sort. A key without an end sorts after all ends, a key that was never used before all uses. */
const INSTANTS: Readonly<Record<Exclude<Sort, "name">, (key: ApiKey) => number>> = {
  created: ({ createdAt }) => msOf(createdAt),
  expires: ({ expiresAt }) => (expiresAt === undefined ? Number.POSITIVE_INFINITY : msOf(expiresAt)),
  lastUsed: ({ lastUsedAt }) => (lastUsedAt === undefined ? Number.NEGATIVE_INFINITY : msOf(lastUsedAt))
}

const compare = (sort: Sort): ((a: ApiKey, b: ApiKey) => number) => {
  if (sort === "name") return (a, b) => a.name.localeCompare(b.name)
  const instantOf = INSTANTS[sort]
  return (a, b) => {
    const [one, other] = [instantOf(a), instantOf(b)]
    return one === other ? 0 : one < other ? -1 : 1
  }
}

/** Sorts keys. Equal keys keep their order in both directions. */
export const sorted = (keys: ReadonlyArray<ApiKey>, { order, sort }: Sorting): ReadonlyArray<ApiKey> => {
  if (sort === undefined) return keys
  const ascending = compare(sort)
  return keys.toSorted(order === "asc" ? ascending : (a, b) => ascending(b, a))
}

/** Returns the sorting after a click on a column: the other direction if the list is sorted by it already. */
export const clicked = ({ order, sort }: Sorting, column: Sort): Sorting => ({
  sort: column,
  order: sort === column && order === "asc" ? "desc" : "asc"
})
