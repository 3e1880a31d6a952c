/**
 * The `--watch` flag, and the flags that it excludes.
 */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"
import type { ListFormat } from "../print/Output.ts"
import type { WatchFormat } from "./WatchPrinter.ts"

export const watchFlag = Flag.Boolean("watch").pipe(
  Flag.withAlias("w"),
  Flag.withDescription("Print the rows, then each change, until Ctrl-C; output table, wide or json"),
  Flag.withDefault(false)
)

const isWatchFormat = (format: ListFormat): format is WatchFormat =>
  format === "table" || format === "wide" || format === "json"

/**
 * Returns the output format of a watch.
 *
 * **Errors** `CommandFailure` with exit code 2 for a format that a watch does not have, and if a flag of `ofPages` is given:
 * those flags apply only to paged lists.
 */
export const formatOf = (output: ListFormat, ofPages: Readonly<Record<string, Option.Option<unknown>>>) => {
  const given = Object.keys(ofPages).filter((flag) => Option.isSome(ofPages[flag] ?? Option.none()))
  if (given.length > 0) {
    const flags = given.map((flag) => `--${flag}`).join(", ")
    return Effect.fail(misused(`--watch cannot be used with ${flags}`))
  }
  return isWatchFormat(output)
    ? Effect.succeed(output)
    : Effect.fail(misused(`--output must be table, wide or json with --watch`))
}
