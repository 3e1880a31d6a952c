/**
 * The flags that the reports of costs share, and what they become in a request.
 */
import * as Instant from "@quarterdeck/cost/Instant"
import { DEFAULT_LIMIT, MAX_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import * as Range from "@quarterdeck/cost/Range"
import { Clock, Effect, Option, Result } from "effect"
import { type Command, Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"
import * as ListFlags from "../list/ListFlags.ts"
import * as NamedRange from "./NamedRange.ts"

const INSTANT = "2026-03-01|RFC 3339|ms"
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** A date alone is the start of that day in UTC. */
const asInstant = (text: string): string => (DATE.test(text) ? `${text}T00:00:00Z` : text)

const instant = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar(INSTANT),
    Flag.withDescription(description),
    Flag.map(asInstant),
    Flag.filter(
      (text) => Instant.parse(text) !== undefined,
      () => "a date such as 2026-03-01, RFC 3339 such as 2026-03-01T12:00:00Z, or milliseconds since 1970"
    ),
    Flag.optional
  )

/** The flags of a window. **Shape** `otherwise` says what it is without them; {@link queryOf} makes the parameters of it. */
export const windowOf = (otherwise: string) => ({
  range: Flag.String("range").pipe(
    Flag.withMetavar("7d|today|month|lastmonth"),
    Flag.withDescription(
      `The time up to now, from the start of an hour of UTC: a number and h, d or w, such as 24h; or a day or month of UTC: today, month, lastmonth; ${otherwise}`
    ),
    Flag.optional
  ),
  from: instant("from", "Instead of --range, where the window begins; a date is the start of that day in UTC"),
  to: instant("to", "Where it ends, itself not in it; now when left out")
})

/** The window of a report. */
export const window = windowOf("7d unless --from is given")

export type Window = { readonly [Name in keyof typeof window]: Option.Option<string> }

/** The flags that fields of a request for costs come from. */
export const flagOf = {
  range: "--range",
  from: "--from",
  to: "--to",
  limit: "--limit",
  namespaces: "--namespace",
  workloadTypes: "--type",
  stepSize: "--step",
  idle: "--idle",
  groupBy: "groups"
}

/**
 * Makes the query parameters of a window.
 *
 * **Shape** a named range becomes `from` and `to`. **Errors** `CommandFailure` with exit code 2 for one beside `--from` or
 * `--to`, and for a range that is neither a name nor a length; what else is wrong the server says.
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
    return yield* misused(`--range ${range.value} may not stand beside --from or --to`)
  return Object.entries(NamedRange.resolve(range.value, nowMs))
})

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

/** The flags that say how much of a report is printed. **Shape** `files` are the forms that have every row otherwise. */
export const lengthOf = (files: string) => ({
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(`How many rows to print at most; default ${DEFAULT_LIMIT}, but every row with ${files}`),
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

/** Reads how many rows are wanted. **Errors** `CommandFailure` with exit code 2 for both flags at once. */
export const rowsOf = Effect.fnUntraced(function* ({ all, limit }: Length) {
  if (!all) return Option.getOrElse(limit, () => DEFAULT_LIMIT)
  return Option.isNone(limit) ? Number.POSITIVE_INFINITY : yield* bothGiven()
})

/** Makes the parameter that cuts a file. **Errors** `CommandFailure` with exit code 2, also for more than one page. */
export const fileQueryOf = Effect.fnUntraced(function* ({ all, limit }: Length) {
  if (Option.isNone(limit)) return []
  if (all) return yield* bothGiven()
  if (limit.value <= MAX_LIMIT) return [["limit", String(limit.value)] as const]
  return yield* misused(`--limit of a file is ${MAX_LIMIT} at most; leave it out for every row`)
})

const bothGiven = () => misused("--all prints every row: leave out --limit")
