/**
 * The flag that has a list followed, and what cannot stand beside it.
 */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"
import type { ListFormat } from "../print/Output.ts"
import type { WatchFormat } from "./WatchPrinter.ts"

export const watchFlag = Flag.Boolean("watch").pipe(
  Flag.withAlias("w"),
  Flag.withDescription("Print each change below the rows that are there, until Ctrl-C; as table, wide or json"),
  Flag.withDefault(false)
)

const isWatchFormat = (format: ListFormat): format is WatchFormat =>
  format === "table" || format === "wide" || format === "json"

/**
 * Gives the form in which changes are printed.
 *
 * **Shape** `ofPages` are the flags of a list that is read page by page. **Errors** `CommandFailure` with exit code 2 for one
 * of them, and for another form.
 */
export const formatOf = (output: ListFormat, ofPages: Readonly<Record<string, Option.Option<unknown>>>) => {
  const given = Object.keys(ofPages).filter((flag) => Option.isSome(ofPages[flag] ?? Option.none()))
  if (given.length > 0) {
    const flags = given.map((flag) => `--${flag}`).join(", ")
    return Effect.fail(misused(`--watch prints rows as they change: leave out ${flags}`))
  }
  return isWatchFormat(output)
    ? Effect.succeed(output)
    : Effect.fail(misused(`--output: with --watch it must be table, wide or json`))
}
