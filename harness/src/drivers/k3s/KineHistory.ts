/**
 * Drops old revisions from the store of real k3s.
 *
 * k3s stores revisions in a SQLite table, through kine. kine compacts only after minutes, and always keeps the last
 * thousand. So the file is copied out of the stopped container, compacted, and copied back.
 *
 * **Source** kine v0.17, `pkg/drivers/sqlite` (the table) and `pkg/logstructured/sqllog` (the meaning of a compaction).
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Readable } from "node:stream"
import { Effect } from "effect"
import { create } from "tar"
import { type MachineRefused, NotSupported } from "../../machine/HarnessError.ts"
import { attempt } from "../../machine/Machine.ts"
import { filesIn } from "./ContainerFiles.ts"
import * as Packages from "./Packages.ts"

const DIRECTORY = "/var/lib/rancher/k3s/server/db"
const FILE = "state.db"
/**
 * Files that SQLite keeps beside the database. They are replaced by empty ones, because files cannot be deleted from a
 * stopped container.
 */
const COMPANIONS = [`${FILE}-wal`, `${FILE}-shm`]

/**
 * Drops all revisions before the newest one from the store of a stopped container.
 *
 * **Errors** `NotSupported` if the store is not SQLite. **Limits** needs space for the store in the temporary
 * directory.
 */
export const compact = (id: string): Effect.Effect<void, MachineRefused | NotSupported> =>
  Effect.scoped(
    Effect.gen(function* () {
      const files = yield* filesIn(id, DIRECTORY)
      if (!files.some(({ path }) => basename(path) === FILE)) {
        return yield* new NotSupported({ driver: "k3s", what: "expiring the history of a store other than SQLite" })
      }
      const place = yield* Effect.acquireRelease(
        attempt("create a directory for the cluster's store", () => mkdtemp(join(tmpdir(), "quarterdeck-kine-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
      )
      yield* attempt("compact the cluster's history", async () => {
        const names = [FILE, ...COMPANIONS]
        for (const { content, path } of files) {
          if (names.includes(basename(path))) await writeFile(join(place, basename(path)), content, { mode: 0o600 })
        }
        await compactFile(join(place, FILE))
        for (const name of COMPANIONS) await writeFile(join(place, name), "", { mode: 0o600 })
        const { container } = await Packages.engine()
        const archive = Readable.from(create({ cwd: place, portable: true }, names))
        await container.putArchive(container.getById(id), archive, DIRECTORY)
      })
    })
  )

/** Drops all revisions before the newest one from a store that no process has open. */
export const compactFile = async (path: string): Promise<void> => {
  // Imported on use, because Node prints a warning that the module is experimental.
  const { DatabaseSync } = await import("node:sqlite")
  const store = new DatabaseSync(path)
  try {
    store.exec("BEGIN IMMEDIATE")
    const until = Number(store.prepare("SELECT max(id) AS id FROM kine").get()?.["id"] ?? 0)
    // A server starts its watch at the newest revision, which must be newer than the dropped ones. kine writes such
    // rows itself for revisions without an object.
    store
      .prepare(
        `INSERT INTO kine (id, name, created, deleted, create_revision, prev_revision, lease)
         VALUES (:gap, :name, 0, 1, 0, 0, 0)`
      )
      .run({ gap: until + 1, name: `gap-${until + 1}` })
    store
      .prepare(
        `DELETE FROM kine WHERE id <= :until AND deleted <> 0 OR id IN (
           SELECT prev_revision FROM kine WHERE name <> 'compact_rev_key' AND id <= :until
         )`
      )
      .run({ until })
    store.prepare("UPDATE kine SET prev_revision = :until WHERE name = 'compact_rev_key'").run({ until })
    store.exec("COMMIT")
    store.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    store.close()
  }
}
