/**
 * Table columns of APIService objects.
 */
import type { Column } from "../core/Column.ts"
import { arrayAt, objectAt, textAt } from "../core/Json.ts"
import { aged, column, named } from "./TableCells.ts"

export const apiServiceColumns: ReadonlyArray<Column> = [
  named,
  column("Service", (object) => {
    const service = objectAt(object, "spec", "service")
    return textAt(service, "name") === "" ? "Local" : `${textAt(service, "namespace")}/${textAt(service, "name")}`
  }),
  column("Available", (object) => {
    const available = arrayAt(object, "status", "conditions").find((one) => textAt(one, "type") === "Available")
    const status = textAt(available, "status") || "Unknown"
    return status === "True" ? status : `${status} (${textAt(available, "reason")})`
  }),
  aged
]
