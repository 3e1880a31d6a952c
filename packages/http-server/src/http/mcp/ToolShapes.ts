/**
 * How a route's reply is told to a model: sums first, then what is missing, then as many rows as it can read.
 */
import { Array as Arr, Predicate, Schema } from "effect"

/** A reply told to a model. **Shape** `rows` says how many came with it, where there are any. */
export interface Told {
  readonly answer: Readonly<Record<string, unknown>>
  readonly rows: number
}

/** Makes what is told of a reply; `most` rows at most, where the route itself has no pages. */
export type Shape = (reply: Readonly<Record<string, unknown>>, most: number) => Told

/** How many clusters that did not answer are named one by one. */
const MAX_NAMED = 20

/** Tells a reply as it is. */
export const asIs: Shape = (answer) => ({ answer, rows: 0 })

/** As much as fits an answer beside everything else. **Units** characters of JSON, in which some take six. */
const MOST_TEXT = 48 * 1024

/** Tells the newest lines of a log. **Shape** `truncated` where older ones that were asked for are left out. */
export const log: Shape = ({ text }) => {
  const whole = String(text)
  let told = whole
  while (JSON.stringify(told).length > MOST_TEXT) {
    const half = told.slice(Math.ceil(told.length / 2))
    told = half.slice(half.indexOf("\n") + 1)
  }
  return {
    answer: {
      lines: told.split("\n").length - (told.endsWith("\n") || told === "" ? 1 : 0),
      truncated: told !== whole,
      log: told
    },
    rows: 0
  }
}

/** Tells of the clusters themselves, whose coverage stands in their rows. */
export const clusters: Shape = ({ clusters: rows, nextCursor, partial }) => ({
  answer: { returned: lengthOf(rows), ...page(nextCursor), partial, clusters: rows },
  rows: lengthOf(rows)
})

/** Tells of the rows of a merged list. */
export const rows =
  (name: string): Shape =>
  ({ clusters: coverages, nextCursor, partial, [name]: found }) => ({
    answer: {
      matching: Arr.reduce(listOf(coverages), 0, (sum, { count = 0 }) => sum + count),
      returned: lengthOf(found),
      ...page(nextCursor),
      partial,
      coverage: summaryOf(coverages),
      [name]: found
    },
    rows: lengthOf(found)
  })

/** Tells of one workload, with as many of its pods. */
export const workload: Shape = ({ clusters: coverages, partial, podCount, pods, workload: found }, most) => {
  const told: ReadonlyArray<unknown> = Array.isArray(pods) ? pods.slice(0, most) : []
  return {
    answer: {
      workload: found,
      podCount,
      returned: told.length,
      truncated: typeof podCount === "number" && podCount > told.length,
      partial,
      coverage: summaryOf(coverages),
      pods: told
    },
    rows: told.length
  }
}

/** Tells of a report of costs. **Shape** steps are told as they come, with the groups of the page in each. */
export const costs =
  (name: string): Shape =>
  ({ buckets, clusters: coverages, currency, nextCursor, partial, totals, window, [name]: found }) => {
    const rowsOf = (bucket: unknown) => lengthOf(Predicate.hasProperty(bucket, "rows") ? bucket.rows : [])
    const count = Array.isArray(buckets) ? Math.max(0, ...buckets.map(rowsOf)) : lengthOf(found)
    return {
      answer: {
        currency,
        window,
        totals,
        returned: count,
        ...page(nextCursor),
        partial,
        coverage: summaryOf(coverages),
        ...(buckets === undefined ? { [name]: found } : { buckets })
      },
      rows: count
    }
  }

/**
 * Tells why a workload cost what it did, the newest hours first.
 *
 * **Shape** `older` is there where hours are left out: the `from` and `to` that ask for them.
 */
export const explanation: Shape = ({ clusters: coverages, hours, ...more }, most) => {
  const steps: ReadonlyArray<unknown> = Array.isArray(hours) ? hours.toReversed() : []
  const told = steps.slice(0, most)
  const from = startOf(more["window"])
  const to = startOf(told.at(-1))
  return {
    answer: {
      ...more,
      hoursInAll: steps.length,
      returned: told.length,
      truncated: steps.length > told.length,
      ...(steps.length > told.length ? { older: { from, to } } : {}),
      coverage: summaryOf(coverages),
      hours: told
    },
    rows: told.length
  }
}

const startOf = (span: unknown): unknown => (Predicate.hasProperty(span, "start") ? span.start : undefined)

const page = (nextCursor: unknown) => ({
  truncated: nextCursor !== undefined,
  ...(nextCursor === undefined ? {} : { nextCursor })
})

/**
 * Counts the clusters by status, and names those whose rows are missing or old.
 *
 * **Shape** hundreds of clusters that answer well are one number.
 */
export const summaryOf = (coverages: unknown) => {
  const list = listOf(coverages)
  const byStatus: Record<string, number> = {}
  for (const { status } of list) byStatus[status] = (byStatus[status] ?? 0) + 1
  const notWell = list.filter(({ missingKinds, status }) => status !== "ok" || missingKinds !== undefined)
  return {
    clusters: list.length,
    byStatus,
    ...(notWell.length === 0 ? {} : { notWell: notWell.slice(0, MAX_NAMED) }),
    ...(notWell.length <= MAX_NAMED ? {} : { notWellInAll: notWell.length })
  }
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

/** What is read of a cluster's coverage, in lists and in reports of costs. */
const isCovered = Schema.is(
  Schema.Array(
    Schema.Struct({
      status: Schema.String,
      count: Schema.optionalKey(Schema.Number),
      missingKinds: Schema.optionalKey(Schema.Unknown)
    })
  )
)

const listOf = (value: unknown) => (isCovered(value) ? value : [])
