/**
 * Makes the store of real k3s forget the past.
 *
 * k3s keeps the revisions of its objects in a table of SQLite, through kine, which forgets them by itself after minutes
 * and never the last thousand. So the file is taken out of the stopped container, made to forget, and put back.
 *
 * **Source** kine v0.17, `pkg/drivers/sqlite` (the table) and `pkg/logstructured/sqllog` (what compaction means).
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
/** What SQLite keeps beside it; empty files are as good as none, and none cannot be put into a container. */
const COMPANIONS = [`${FILE}-wal`, `${FILE}-shm`]

/**
 * Forgets every revision before the newest in the store of a container that does not run.
 *
 * **Errors** `NotSupported` when its store is not the usual one. **Limits** needs room for the store in the temporary
 * directory.
 */
export const compact = (id: string): Effect.Effect<void, MachineRefused | NotSupported> =>
  Effect.scoped(
    Effect.gen(function* () {
      const files = yield* filesIn(id, DIRECTORY)
      if (!files.some(({ path }) => basename(path) === FILE)) {
        return yield* new NotSupported({ driver: "k3s", what: "forgetting history in another store than SQLite" })
      }
      const place = yield* Effect.acquireRelease(
        attempt("create a directory for the cluster's store", () => mkdtemp(join(tmpdir(), "quarterdeck-kine-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
      )
      yield* attempt("compact the cluster's history", async () => {
        const kept = [FILE, ...COMPANIONS]
        for (const { content, path } of files) {
          if (kept.includes(basename(path))) await writeFile(join(place, basename(path)), content, { mode: 0o600 })
        }
        await compactFile(join(place, FILE))
        for (const name of COMPANIONS) await writeFile(join(place, name), "", { mode: 0o600 })
        const { container } = await Packages.engine()
        const archive = Readable.from(create({ cwd: place, portable: true }, kept))
        await container.putArchive(container.getById(id), archive, DIRECTORY)
      })
    })
  )

/** Forgets every revision before the newest in a store that nobody has open. */
export const compactFile = async (path: string): Promise<void> => {
  // Loaded when it is needed: Node says on loading that it may still change.
  const { DatabaseSync } = await import("node:sqlite")
  const store = new DatabaseSync(path)
  try {
    store.exec("BEGIN IMMEDIATE")
    const until = Number(store.prepare("SELECT max(id) AS id FROM kine").get()?.["id"] ?? 0)
    // A server begins to watch at the newest revision, which must be later than what is forgotten. This is the row that
    // kine itself writes for a revision that holds nothing.
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
