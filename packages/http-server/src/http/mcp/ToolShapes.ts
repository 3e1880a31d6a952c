/**
 * Shapes the reply of a route for a model: totals first, then coverage, then rows within the length limit.
 */
import { Array as Arr, Predicate, Schema } from "effect"

/** A shaped reply. **Shape** `rows` is the number of rows in the answer, 0 for an answer without rows. */
export interface Told {
  readonly answer: Readonly<Record<string, unknown>>
  readonly rows: number
}

/** Shapes a reply. **Shape** `most` limits the rows of a reply without pages. */
export type Shape = (reply: Readonly<Record<string, unknown>>, most: number) => Told

/** Maximum number of clusters with missing or stale rows that are listed by name. */
const MAX_NAMED = 20

/** Leaves a reply unchanged. */
export const asIs: Shape = (answer) => ({ answer, rows: 0 })

/** Longest log text of an answer. **Units** characters of JSON; an escaped character takes up to six. */
const MOST_TEXT = 48 * 1024

/** Keeps the newest lines of a log. **Shape** `truncated` is true if older requested lines are left out. */
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

/** Shapes the list of clusters, whose rows contain their own coverage. */
export const clusters: Shape = ({ clusters: rows, nextCursor, partial }) => ({
  answer: { returned: lengthOf(rows), ...page(nextCursor), partial, clusters: rows },
  rows: lengthOf(rows)
})

/** Shapes a merged list. */
export const rows =
  (name: string): Shape =>
  ({ clusters: coverages, nextCursor, partial, statusCounts, [name]: found }) => ({
    answer: {
      matching: Arr.reduce(listOf(coverages), 0, (sum, { count = 0 }) => sum + count),
      returned: lengthOf(found),
      ...page(nextCursor),
      partial,
      ...(statusCounts === undefined ? {} : { statusCounts }),
      coverage: summaryOf(coverages),
      [name]: found
    },
    rows: lengthOf(found)
  })

/** Shapes an overview, with at most `most` workloads. */
export const overview: Shape = ({ attention: found, clusters: coverages, ...parts }, most) => {
  const attention: ReadonlyArray<unknown> = Array.isArray(found) ? found.slice(0, most) : []
  return { answer: { ...parts, coverage: summaryOf(coverages), attention }, rows: attention.length }
}

/** Shapes one workload, with at most `most` of its pods. */
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

/** Shapes a cost report. **Shape** `buckets` are unchanged: one for each step, each with the groups of the page. */
export const costs =
  (name: string): Shape =>
  ({ buckets, clusters: coverages, currency, nextCursor, partial, previous, totals, window, [name]: found }) => {
    const rowsOf = (bucket: unknown) => lengthOf(Predicate.hasProperty(bucket, "rows") ? bucket.rows : [])
    const count = Array.isArray(buckets) ? Math.max(0, ...buckets.map(rowsOf)) : lengthOf(found)
    return {
      answer: {
        currency,
        window,
        totals,
        ...(previous === undefined ? {} : { previous }),
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
 * Shapes the explanation of a cost, newest hours first.
 *
 * **Shape** `older` is present if hours are left out: the `from` and `to` of a call that returns them.
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
 * Counts the clusters by status, and lists the clusters whose rows are missing or stale.
 *
 * **Shape** clusters with the status `ok` are only counted, to keep the answer short.
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

/** Checks the members that are read from a cluster's coverage, in lists and in cost reports. */
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
