/**
 * Opens the file of the cost history and brings its tables up to date.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** How long a statement waits for another process, such as a backup, that holds the file. */
const BUSY_TIMEOUT_MS = 5_000
/** The same of who wants the file alone: a server that has it keeps it. */
const ALONE_TIMEOUT_MS = 500

/**
 * Each step brings the tables one version forward; what was released is never edited, only added to.
 *
 * `steps` has the hours of days (level 0, an epoch is a day since 1970) and the days of months (level 1, an epoch is
 * a month since the year 0). `known` are the seconds seen since the epoch began; `mask` has a bit for each closed hour
 * of a day, and is 0 for hours. `pruned` has the clusters of which days were forgotten since the series that no step
 * names were last looked for. `series` keeps together the keys of those that appeared together, from the id `first` on,
 * as compressed JSON: names and labels are much alike. Ids of series rise from 0 in each cluster and are never given again.
 * `recommendations` has the usage of each workload as bytes, and what is recommended from it, with the hours it rests on.
 * `estimated_to` of a cluster is where its last hour ended when a program came that keeps what was requested while usage was
 * known (milliseconds since the epoch): before that it is estimated, but in hours that were written since, of which
 * `exact_hours` has a bit each. `histories` says which cluster each name of `clusters` is of, as JSON; one without a record is
 * that of the cluster with its name.
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

/** Thrown where a file is wanted alone, and another program has it. */
class InUse extends Error {
  constructor() {
    super("another program has the file open: stop the server that keeps its history there, and try again")
  }
}

/** The result code of a file that is locked. **Source** SQLite, "Result and Error Codes": SQLITE_BUSY. */
const BUSY = 5
const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && error.errcode === BUSY

/**
 * Opens a database, and makes it where there is none.
 *
 * **Shape** the file is readable by its owner alone, and so are the log and index beside it, which SQLite makes alike;
 * missing directories are made with mode 0700. An hour that was answered survives a power cut: its samples cannot be
 * taken again, and one write a cluster and hour is cheap to wait for. With `isAlone` no other program has the file while it
 * is open: one that has it makes this fail, one that comes later fails itself. The system lets go of it when a program
 * ends, however it ends.
 */
export const open = (path: string, { isAlone }: { readonly isAlone: boolean }): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
  const database = new DatabaseSync(path, { timeout: isAlone ? ALONE_TIMEOUT_MS : BUSY_TIMEOUT_MS, defensive: true })
  try {
    // Before the first look at the file: from then on its lock is kept.
    if (isAlone) database.exec("PRAGMA locking_mode = EXCLUSIVE;")
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw isAlone && isBusy(error) ? new InUse() : error
  }
}

/** Runs several statements as one: all or none. */
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
