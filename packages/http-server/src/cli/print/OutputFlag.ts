/**
 * The flags that choose the form of what a command prints.
 */
import { Flag } from "effect/cli"
import type * as Output from "./Output.ts"

const flagOf = <const Formats extends ReadonlyArray<Output.ListFormat>>(formats: Formats, description: string) =>
  Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withDescription(description),
    Flag.withDefault("table" as const)
  )

/** The form of a list of things that have a name. */
export const listFlag = flagOf(
  ["table", "wide", "name", "json", "yaml", "csv"],
  "Form of the rows: table, wide (a table with more columns), name (one a line), json, yaml, csv"
)

/** The form of other rows. */
export const outputFlag = flagOf(["table", "json", "yaml", "csv"], "Form of the rows: table, json, yaml, csv")
