/**
 * Opens the file of the cost history and migrates its tables.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** Time that a statement waits for a lock of another process, such as a backup. */
const BUSY_TIMEOUT_MS = 5_000
/** Time that a statement waits for a lock with `isAlone`. It is short, because a server never releases the file. */
const ALONE_TIMEOUT_MS = 500

/**
 * Migrations, one per schema version. A released one is never edited.
 *
 * - `steps`: hours of days (level 0, the epoch is a day since 1970), and days of months (level 1, the epoch is a month since
 *   the year 0). `known` is the number of observed seconds since the epoch started. `mask` has a bit for each closed hour of a
 *   day, and is 0 for hours.
 * - `pruned`: clusters that lost days to pruning since unused series were last removed.
 * - `series`: blocks of keys that appeared together, with ids from `first` on, as compressed JSON. Ids ascend from 0 in each
 *   cluster and are never reused.
 * - `recommendations`: usage of each workload as a checkpoint, the recommendation, and its hours of usage.
 * - `clusters.estimated_to`: end of the last hour of a program that did not keep the request while usage was known, in
 *   milliseconds since the epoch. Reads estimate this request before that end, except for hours that were written later and
 *   have a bit in `exact_hours`.
 * - `histories`: the cluster of each name in `clusters`, as JSON. A name without a record belongs to the cluster with that
 *   name.
 */
const MIGRATIONS: ReadonlyArray<string> = [
  `CREATE TABLE clusters (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    next_series INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE series (
    cluster INTEGER NOT NULL,
    first INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    texts BLOB NOT NULL,
    PRIMARY KEY (cluster, first)
  ) STRICT;
  CREATE TABLE series_ids (
    cluster INTEGER NOT NULL,
    digest TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (cluster, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE steps (
    cluster INTEGER NOT NULL,
    level INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    step INTEGER NOT NULL,
    known INTEGER NOT NULL,
    mask INTEGER NOT NULL,
    sums_crc INTEGER NOT NULL,
    slots_crc INTEGER,
    detail_crc INTEGER,
    sums BLOB NOT NULL,
    slots BLOB,
    detail BLOB,
    PRIMARY KEY (cluster, level, epoch, step)
  ) STRICT;
  CREATE TABLE pruned (cluster INTEGER NOT NULL PRIMARY KEY) STRICT;
  CREATE TABLE recommended_clusters (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    folded_to INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE recommendations (
    cluster INTEGER NOT NULL,
    key TEXT NOT NULL,
    cpu_millis INTEGER NOT NULL,
    memory_bytes INTEGER NOT NULL,
    hours INTEGER NOT NULL,
    checkpoint BLOB NOT NULL,
    PRIMARY KEY (cluster, key)
  ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE clusters ADD COLUMN estimated_to INTEGER NOT NULL DEFAULT 0;
  UPDATE clusters SET estimated_to = 1000 * max(
    coalesce((SELECT max(epoch * 86400 + (step + 1) * 3600) FROM steps WHERE cluster = clusters.id AND level = 0), 0),
    coalesce((
      SELECT max(unixepoch(format('%04d-%02d-01', epoch / 12, epoch % 12 + 1)) + (step + 1) * 86400)
      FROM steps
      WHERE cluster = clusters.id AND level = 1
        AND NOT EXISTS (SELECT 1 FROM steps AS hours WHERE hours.cluster = clusters.id AND hours.level = 0)
    ), 0)
  );`,
  `CREATE TABLE exact_hours (
    cluster INTEGER NOT NULL,
    day INTEGER NOT NULL,
    mask INTEGER NOT NULL,
    PRIMARY KEY (cluster, day)
  ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE histories (
    key TEXT PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`
]

/** Thrown for a file that a newer program wrote. */
export class TooNew extends Error {
  constructor(found: number) {
    super(
      `the cost history has schema version ${found}, this program knows ${MIGRATIONS.length}: run the newer program, or restore a backup`
    )
  }
}

/** Thrown if the file is opened alone while another process has it open. */
class InUse extends Error {
  constructor() {
    super("another program has the file open: stop the server that keeps its history there, and try again")
  }
}

/** Result code for a locked file. **Source** SQLite, "Result and Error Codes": SQLITE_BUSY. */
const BUSY = 5
const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && error.errcode === BUSY

/**
 * Opens a database. Creates it if it is missing.
 *
 * **Shape** The file has mode 0600, and SQLite gives the files beside it the same mode. Missing directories get mode 0700. A
 * committed hour survives a power loss (`synchronous = FULL`), because its samples cannot be repeated. The sync costs little at
 * one write per cluster and hour. With `isAlone` the file stays locked: opening fails if another process has it open, and a
 * later process fails to open it. The system releases the lock when the process ends.
 */
export const open = (path: string, { isAlone }: { readonly isAlone: boolean }): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
  const database = new DatabaseSync(path, { timeout: isAlone ? ALONE_TIMEOUT_MS : BUSY_TIMEOUT_MS, defensive: true })
  try {
    // Must precede the first access to the file. SQLite then keeps its lock from that access on.
    if (isAlone) database.exec("PRAGMA locking_mode = EXCLUSIVE;")
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw isAlone && isBusy(error) ? new InUse() : error
  }
}

/** Runs statements as one transaction. */
export const transact = <A>(database: DatabaseSync, statements: () => A): A => {
  database.exec("BEGIN IMMEDIATE")
  try {
    const value = statements()
    database.exec("COMMIT")
    return value
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}

const migrate = (database: DatabaseSync): void =>
  transact(database, () => {
    database.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT")
    const found = Number(database.prepare("SELECT max(version) AS version FROM schema_version").get()?.["version"] ?? 0)
    if (found > MIGRATIONS.length) throw new TooNew(found)
    const insert = database.prepare("INSERT INTO schema_version (version) VALUES (?)")
    for (const [index, step] of MIGRATIONS.entries()) {
      if (index < found) continue
      database.exec(step)
      insert.run(index + 1)
    }
  })
