/**
 * A column of the tables in which clients show objects.
 */
import type { Json, JsonObject } from "./Json.ts"

/** One column. **Shape** `priority` 0 is always shown, 1 only in the wide form. */
export interface Column {
  readonly name: string
  readonly type: "string" | "integer" | "boolean" | "date" | "number"
  readonly format: string
  readonly priority: number
  readonly description?: () => string
  readonly cell: (object: JsonObject, nowMs: number) => Json
}
