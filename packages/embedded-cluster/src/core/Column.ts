/**
 * A column of the tables that clients such as kubectl show.
 */
import type { Json, JsonObject } from "./Json.ts"

/** One column. **Shape** clients always show priority 0, and priority 1 only in wide output. */
export interface Column {
  readonly name: string
  readonly type: "string" | "integer" | "boolean" | "date" | "number"
  readonly format: string
  readonly priority: number
  readonly description?: () => string
  readonly cell: (object: JsonObject, nowMs: number) => Json
}
