/**
 * The flag that chooses the form of a list.
 */
import { Flag } from "effect/cli"
import type * as Output from "./Output.ts"

const FORMATS = ["table", "json", "csv"] as const satisfies ReadonlyArray<Output.Format>

export const outputFlag = Flag.Literals("output", FORMATS).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("Form of the rows: table, json, csv"),
  Flag.withDefault("table")
)
