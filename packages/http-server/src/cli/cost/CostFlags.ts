/**
 * The flags that cost reports share, and the request fields that they set.
 */
import { DEFAULT_LIMIT, MAX_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import * as Range from "@quarterdeck/cost/Range"
import { Clock, Effect, Option, Result } from "effect"
import { type Command, Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"
import * as ListFlags from "../list/ListFlags.ts"
import * as NamedRange from "./NamedRange.ts"

const INSTANT = "2026-03-01|RFC 3339|ms"
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Turns a date into the start of that day in UTC. */
const asInstant = (text: string): string => (DATE.test(text) ? `${text}T00:00:00Z` : text)

const instant = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar(INSTANT),
    Flag.withDescription(description),
    Flag.map(asInstant),
    Flag.filter(
      (text) => Range.parseInstant(text) !== undefined,
      () => "a date such as 2026-03-01, RFC 3339 such as 2026-03-01T12:00:00Z, or milliseconds since 1970"
    ),
    Flag.optional
  )

/** Makes the flags of a window, which {@link queryOf} reads. **Shape** `fallback` describes the window without flags. */
export const windowOf = (fallback: string) => ({
  range: Flag.String("range").pipe(
    Flag.withMetavar("7d|today|month|lastmonth"),
    Flag.withDescription(
      `Length of the window up to now, from a full hour: a number and h, d or w, such as 24h; or today, month or lastmonth in UTC; ${fallback}`
    ),
    Flag.optional
  ),
  from: instant("from", "Start of the window, instead of --range; a date is the start of that day in UTC"),
  to: instant("to", "End of the window, exclusive; default: now")
})

/** The window of a report. */
export const window = windowOf("default: 7d unless --from is given")

export type Window = { readonly [Name in keyof typeof window]: Option.Option<string> }

/** The flag or argument of each request field. */
export const flagOf = {
  range: "--range",
  from: "--from",
  to: "--to",
  limit: "--limit",
  namespaces: "--namespace",
  workloadTypes: "--type",
  stepSize: "--step",
  compare: "--compare",
  idle: "--idle",
  groupBy: "groups"
}

/**
 * Makes the query parameters of a window.
 *
 * **Shape** a named range becomes `from` and `to`. The server checks everything except the errors below.
 *
 * **Errors** `CommandFailure` with exit code 2 for a named range together with `--from` or `--to`, and for a range that
 * is neither a name nor a length.
 */
export const queryOf = Effect.fnUntraced(function* ({ from, range, to }: Window) {
  if (Option.isNone(range)) return ListFlags.queryOf({ from, to })
  const nowMs = yield* Clock.currentTimeMillis
  if (!NamedRange.is(range.value)) {
    const read = Range.parse({ range: range.value }, { nowMs, retentionDays: Range.DEFAULT_RETENTION_DAYS })
    if (Result.isFailure(read) && read.failure.problem === "syntax")
      return yield* misused(`--${read.failure.message}; or one of ${NamedRange.NAMES.join(", ")}`)
    return ListFlags.queryOf({ range, from, to })
  }
  if (Option.isSome(from) || Option.isSome(to))
    return yield* misused(`--range ${range.value} cannot be used with --from or --to`)
  return Object.entries(NamedRange.resolve(range.value, nowMs))
})

/** The flag that compares a report with the window before. */
export const compare = Flag.Boolean("compare").pipe(
  Flag.withDescription("Compare with the window before, of the same length"),
  Flag.withDefault(false)
)

/** The flags that narrow a report. */
export const filter = {
  ...ListFlags.namespaces,
  type: ListFlags.kinds("type")
}

type Filter = Command.Command.Config.Infer<typeof filter>

/** Makes the fields of a body that narrow a report. **Errors** those of `ListFlags.namespacesOf`. */
export const bodyOf = Effect.fnUntraced(function* ({ type, ...flags }: Filter) {
  const namespace = yield* ListFlags.namespacesOf(flags)
  return {
    ...Option.match(namespace, { onNone: () => ({}), onSome: (namespaces) => ({ namespaces }) }),
    ...Option.match(type, { onNone: () => ({}), onSome: (workloadTypes) => ({ workloadTypes }) })
  }
})

/** Makes the flags that limit the rows of a report. **Shape** `files` names the formats with all rows by default. */
export const lengthOf = (files: string) => ({
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(`Maximum number of rows; default ${DEFAULT_LIMIT}, but all rows for ${files}`),
    Flag.filter(
      (count) => count >= 1,
      () => "a whole number from 1"
    ),
    Flag.optional
  ),
  all: Flag.Boolean("all").pipe(Flag.withDescription("Print every row"), Flag.withDefault(false))
})

interface Length {
  readonly limit: Option.Option<number>
  readonly all: boolean
}

/** Returns the number of rows to print. **Errors** `CommandFailure` with exit code 2 if both flags are given. */
export const rowsOf = Effect.fnUntraced(function* ({ all, limit }: Length) {
  if (!all) return Option.getOrElse(limit, () => DEFAULT_LIMIT)
  return Option.isNone(limit) ? Number.POSITIVE_INFINITY : yield* bothGiven()
})

/**
 * Makes the query parameter that limits the rows of a file.
 *
 * **Errors** `CommandFailure` with exit code 2 if both flags are given or the limit exceeds a page.
 */
export const fileQueryOf = Effect.fnUntraced(function* ({ all, limit }: Length) {
  if (Option.isNone(limit)) return []
  if (all) return yield* bothGiven()
  if (limit.value <= MAX_LIMIT) return [["limit", String(limit.value)] as const]
  return yield* misused(`--limit of a file is at most ${MAX_LIMIT}; omit it for every row`)
})

const bothGiven = () => misused("--all cannot be used with --limit")
