/**
 * The database file of the keys: opens it and migrates its tables.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { transact } from "../../SqliteTransaction.ts"

/** Time for which a statement waits for another process that has locked the file, such as a backup. */
const BUSY_TIMEOUT_MS = 5_000

/** Migrations, one per schema version. A released migration is never edited; changes are appended as new ones. */
const MIGRATIONS: ReadonlyArray<string> = [
  `CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    start TEXT NOT NULL,
    rule TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    created_by TEXT,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER,
    last_used_at_ms INTEGER
  ) STRICT;
  CREATE INDEX keys_by_age ON keys (created_at_ms, id);`,
  "ALTER TABLE keys ADD COLUMN revoked_by TEXT;",
  `CREATE TABLE sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    key_hash TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_key ON sessions (key_hash, created_at_ms);`,
  "ALTER TABLE keys ADD COLUMN rotated_from TEXT; ALTER TABLE keys ADD COLUMN rotated_at_ms INTEGER;",
  `ALTER TABLE sessions RENAME COLUMN key_hash TO owner;
  ALTER TABLE sessions ADD COLUMN person TEXT;`,
  `CREATE TABLE idempotent_calls (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    begun_at_ms INTEGER NOT NULL,
    answer TEXT,
    PRIMARY KEY (owner, key)
  ) STRICT;
  CREATE INDEX idempotent_calls_by_age ON idempotent_calls (begun_at_ms);`,
  `CREATE TABLE registered_clusters (
    name TEXT NOT NULL PRIMARY KEY,
    sealed TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    created_by TEXT NOT NULL
  ) STRICT;`,
  // A successor belongs to the line of the key that it replaces, and counts against the maker of that line.
  `ALTER TABLE keys ADD COLUMN description TEXT;
  ALTER TABLE keys ADD COLUMN allow_from TEXT;
  ALTER TABLE keys ADD COLUMN line TEXT;
  ALTER TABLE keys ADD COLUMN maker TEXT;
  CREATE INDEX keys_by_predecessor ON keys (rotated_from) WHERE rotated_from IS NOT NULL;
  WITH RECURSIVE chain (id, line) AS (
    SELECT id, id FROM keys WHERE rotated_from IS NULL OR rotated_from NOT IN (SELECT id FROM keys)
    UNION
    SELECT keys.id, chain.line FROM chain JOIN keys ON keys.rotated_from = chain.id
  )
  UPDATE keys SET line = chain.line FROM chain WHERE chain.id = keys.id AND chain.line <> keys.id;
  DROP INDEX keys_by_predecessor;
  UPDATE keys SET maker = coalesce(
    (SELECT coalesce(parent.line, first.created_by) FROM keys AS first LEFT JOIN keys AS parent ON parent.id = first.created_by
      WHERE first.id = coalesce(keys.line, keys.id)),
    line
  );
  CREATE INDEX keys_by_line ON keys (coalesce(line, id)) WHERE revoked_at_ms IS NULL;
  CREATE INDEX keys_by_maker ON keys (maker) WHERE revoked_at_ms IS NULL;`
]

/** Thrown for a file that a newer version wrote. */
export class TooNew extends Error {
  readonly found: number
  readonly supported = MIGRATIONS.length

  constructor(found: number) {
    super(`schema version ${found} is newer than ${MIGRATIONS.length}`)
    this.found = found
  }
}

/**
 * Opens a database, and creates it if it is missing.
 *
 * **Shape** the file has mode 0600. SQLite gives the same mode to the log and index files beside it. Missing directories are
 * created with mode 0700. An acknowledged revocation survives a power cut.
 */
export const open = (path: string): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, defensive: true })
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const migrate = (database: DatabaseSync): void =>
  transact(database, () => {
    database.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT")
    const versions = database.prepare("SELECT version FROM schema_version").all()
    const done = new Set(versions.map(({ version }) => Number(version)))
    const found = Math.max(0, ...done)
    if (found > MIGRATIONS.length) throw new TooNew(found)
    const insert = database.prepare("INSERT INTO schema_version (version) VALUES (?)")
    for (const [index, step] of MIGRATIONS.entries()) {
      if (done.has(index + 1)) continue
      database.exec(step)
      insert.run(index + 1)
    }
  })
