/**
 * Statements of the worker thread for registered clusters. Like the thread's entry, this module imports no package.
 */
import type { DatabaseSync } from "node:sqlite"
import { transact } from "../../SqliteTransaction.ts"
import type { Call } from "./KeyProtocol.ts"

/** The worker's calls that read or write registered clusters. */
export type ClusterCall = Extract<Call, { readonly operation: "listClusters" | "insertCluster" | "removeCluster" }>

/** Prepares the statements. **Shape** `insertCluster` and `removeCluster` return one row with the resulting `state`. */
export const prepare = (database: DatabaseSync): ((call: ClusterCall) => ReadonlyArray<unknown>) => {
  const list = database.prepare(
    "SELECT name, sealed, created_at_ms AS createdAtMs, created_by AS createdBy FROM registered_clusters ORDER BY name"
  )
  const find = database.prepare("SELECT 1 FROM registered_clusters WHERE name = ?")
  const count = database.prepare("SELECT count(*) AS count FROM registered_clusters")
  const insert = database.prepare(
    "INSERT INTO registered_clusters (name, sealed, created_at_ms, created_by) VALUES (?, ?, ?, ?)"
  )
  const remove = database.prepare("DELETE FROM registered_clusters WHERE name = ?")

  return (call) => {
    switch (call.operation) {
      case "listClusters":
        return list.all()
      case "insertCluster":
        return transact(database, () => {
          const { createdAtMs, createdBy, name, sealed } = call.row
          if (find.get(name) !== undefined) return [{ state: "taken" }]
          if (Number(count.get()?.["count"]) >= call.most) return [{ state: "full" }]
          insert.run(name, sealed, createdAtMs, createdBy)
          return [{ state: "inserted" }]
        })
      case "removeCluster":
        return [{ state: Number(remove.run(call.name).changes) > 0 ? "removed" : "unknown" }]
    }
  }
}
