/**
 * Statements for the rows of recommendations in the file of the cost history.
 */
import type { DatabaseSync } from "node:sqlite"
import type { ReadRecommendations, SavedRecommendations } from "./CostProtocol.ts"
import { Damaged, number, text } from "./SqlValue.ts"

export type RecommendationRows = ReturnType<typeof make>

export const make = (database: DatabaseSync) => {
  const statements = {
    cluster: database.prepare("SELECT id, folded_to FROM recommended_clusters WHERE name = ?"),
    putCluster: database.prepare(
      `INSERT INTO recommended_clusters (name, folded_to) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET folded_to = excluded.folded_to RETURNING id`
    ),
    put: database.prepare(
      `INSERT INTO recommendations (cluster, key, cpu_millis, memory_bytes, hours, checkpoint) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (cluster, key) DO UPDATE SET cpu_millis = excluded.cpu_millis,
         memory_bytes = excluded.memory_bytes, hours = excluded.hours, checkpoint = excluded.checkpoint`
    ),
    all: database.prepare(
      `SELECT key, cpu_millis, memory_bytes, hours, iif(?, checkpoint, x'') AS checkpoint FROM recommendations
       WHERE cluster = ? ORDER BY key`
    ),
    remove: database.prepare("DELETE FROM recommendations WHERE cluster = ? AND key = ?"),
    removeAll: database.prepare("DELETE FROM recommendations WHERE cluster = ?"),
    removeCluster: database.prepare("DELETE FROM recommended_clusters WHERE id = ?")
  }

  return {
    /** Writes the changes of an hour. Call it within a transaction. */
    save: (saved: SavedRecommendations): void => {
      const { checkpoints, ends, figures, keys } = saved
      const id = number(statements.putCluster.get(saved.cluster, saved.foldedToMs)?.["id"])
      for (const key of saved.ended) statements.remove.run(id, key)
      for (const [place, key] of keys.entries()) {
        const checkpoint = checkpoints.subarray(ends[place - 1] ?? 0, ends[place])
        const [cpuMillis = 0, memoryBytes = 0, hours = 0] = figures.subarray(place * 3, place * 3 + 3)
        statements.put.run(id, key, cpuMillis, memoryBytes, hours, checkpoint)
      }
    },

    /**
     * Reads the recommendations of a cluster.
     *
     * **Limits** Checkpoints are by far the larger part of the data, so reports read without them.
     */
    load: (cluster: string, { withCheckpoints }: { readonly withCheckpoints: boolean }): ReadRecommendations => {
      const found = statements.cluster.get(cluster)
      const keys: Array<string> = []
      const figures: Array<number> = []
      const blobs: Array<Uint8Array> = []
      const ends: Array<number> = []
      let end = 0
      const rows = found === undefined ? [] : statements.all.iterate(withCheckpoints ? 1 : 0, number(found["id"]))
      for (const row of rows) {
        const blob = bytes(row["checkpoint"])
        keys.push(text(row["key"]))
        figures.push(number(row["cpu_millis"]), number(row["memory_bytes"]), number(row["hours"]))
        ends.push((end += blob.length))
        if (blob.length > 0) blobs.push(blob)
      }
      const checkpoints = new Uint8Array(end)
      let start = 0
      for (const blob of blobs) {
        checkpoints.set(blob, start)
        start += blob.length
      }
      return {
        foldedToMs: found === undefined ? 0 : number(found["folded_to"]),
        keys,
        checkpoints,
        figures: Float64Array.from(figures),
        ends: Uint32Array.from(ends)
      }
    },

    forget: (cluster: string): void => {
      const found = statements.cluster.get(cluster)
      if (found === undefined) return
      statements.removeAll.run(number(found["id"]))
      statements.removeCluster.run(number(found["id"]))
    }
  }
}

const bytes = (value: unknown): Uint8Array => {
  if (!(value instanceof Uint8Array)) throw new Damaged("a row has no bytes in a blob column")
  return value
}
