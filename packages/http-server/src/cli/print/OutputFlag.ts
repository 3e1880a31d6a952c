/**
 * The `--output` flags.
 */
import { Flag } from "effect/cli"
import type * as Output from "./Output.ts"

const flagOf = <const Formats extends ReadonlyArray<Output.ListFormat>>(formats: Formats, description: string) =>
  Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withDescription(description),
    Flag.withDefault("table" as const)
  )

/** The formats of lists whose rows have names. */
export const listFlag = flagOf(
  ["table", "wide", "name", "json", "yaml", "csv"],
  "Output format: table, wide (a table with more columns), name (one name per line), json, yaml or csv"
)

/** The formats of other rows. */
export const outputFlag = flagOf(["table", "json", "yaml", "csv"], "Output format: table, json, yaml or csv")
