/**
 * Renders objects as table rows, which `kubectl get` requests.
 *
 * **Source** Kubernetes 1.36, `pkg/printers/internalversion/printers.go`.
 */
import type { Column } from "../core/Column.ts"
import { type Json, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import { column, named } from "./TableCells.ts"
import { coreColumns } from "./TableCore.ts"
import { workloadColumns } from "./TableWorkloads.ts"

/** Part of the object that a row includes. */
export type Include = "Metadata" | "Object" | "None"

export interface TableOptions {
  readonly groupVersion: string
  readonly include: Include
  readonly nowMs: number
}

const COLUMNS = new Map<string, ReadonlyArray<Column>>([...coreColumns, ...workloadColumns])

/** Columns of kinds without columns of their own. */
const OTHERS: ReadonlyArray<Column> = [
  named,
  column("Created At", (object) => textAt(object, "metadata", "creationTimestamp"), "date")
]

const columnsOf = (resource: Resource): ReadonlyArray<Column> =>
  resource.custom?.columns ?? COLUMNS.get(resource.kind) ?? OTHERS

/** Column definitions of a table. */
export const definitions = (resource: Resource): Json =>
  columnsOf(resource).map(({ description, format, name, priority, type }) => ({
    name,
    type,
    format,
    description: description?.() ?? "",
    priority
  }))

/** Renders one row. **Shape** `object` has neither `kind` nor `apiVersion`. */
export const row = (resource: Resource, apiVersion: string, object: JsonObject, options: TableOptions): JsonObject => ({
  cells: columnsOf(resource).map((column) => column.cell(object, options.nowMs)),
  ...(options.include === "None" ? {} : { object: included(resource, apiVersion, object, options) })
})

const included = (resource: Resource, apiVersion: string, object: JsonObject, options: TableOptions): JsonObject =>
  options.include === "Object"
    ? { kind: resource.kind, apiVersion, ...object }
    : { kind: "PartialObjectMetadata", apiVersion: options.groupVersion, metadata: objectAt(object, "metadata") }
