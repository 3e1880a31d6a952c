/**
 * Bounded reads of the audit's database file. This module imports no package, because worker threads load it.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import type { AuditQuery, AuditScope, DenialsCall, ListAnswer, ListCall, RangeCall } from "./AuditProtocol.ts"

/** Columns of a row. */
export const COLUMNS = "number, at_ms AS atMs, previous_hash AS previousHash, hash, body"

/** Number of rows that {@link firstSince} compares. Rows of schema version 1 may be out of order by a minute in the index. */
const DISORDER = 10_000

/** Returns the number of the chain's first row that is not older than an instant. **Limits** one index lookup. */
export const firstSince = (database: DatabaseSync, sinceMs: number): number | undefined => {
  const row = database
    .prepare(
      `SELECT min(number) AS number
       FROM (SELECT number FROM events WHERE at_ms >= ? ORDER BY at_ms, number LIMIT ${DISORDER})`
    )
    .get(sinceMs)
  const number = row?.["number"]
  return typeof number === "number" ? number : undefined
}

/** A condition on a row, and the values of its parameters. */
interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<SQLInputValue>
}

/** Selects the clusters that a row names: the resolved clusters, and the clusters that the caller named. */
const NAMED = `(SELECT value FROM json_each(body, '$.target.clusters')
  UNION ALL SELECT value FROM json_each('["' || replace(body ->> '$.target.asked', '|', '","') || '"]')
    WHERE value NOT IN ('', '*'))`

/** The texts by which the caller of a row is found, one a line. */
const ACTOR = "concat_ws(char(10), body ->> '$.actor.name', body ->> '$.actor.keyId')"

/** The texts by which the object of a row is found, one a line. A workload is also found by `namespace/name`. */
const OBJECT = `concat_ws(char(10), body ->> '$.target.object', body ->> '$.before.name', body ->> '$.after.name',
  (SELECT group_concat(value || '/' || substr(body ->> '$.target.object', instr(body ->> '$.target.object', '/') + 1),
    char(10)) FROM json_each(body, '$.target.namespaces')))`

const conditionsOf = ({
  actor,
  cluster,
  decision,
  keyId,
  object,
  resource,
  verb,
  within
}: AuditQuery): ReadonlyArray<Condition> => [
  ...equal("$.actor.keyId", keyId),
  ...equal("$.decision", decision),
  ...equal("$.resource", resource),
  ...equal("$.verb", verb),
  ...(cluster === undefined ? [] : [{ sql: `? IN ${NAMED}`, values: [cluster] }]),
  ...contains(ACTOR, actor),
  ...(within === undefined ? contains(OBJECT, object) : orKey(contains(OBJECT, object))),
  ...(within === undefined ? [] : [scopeOf(within)])
]

/** Matches a part of a text. ASCII letters match in either case. */
const contains = (sql: string, part: string | undefined): ReadonlyArray<Condition> =>
  part === undefined ? [] : [{ sql: `instr(lower(${sql}), lower(?)) > 0`, values: [part] }]

/** Matches events on API keys in addition: a scoped reader may not be allowed to see the names by which they are found. */
const orKey = (conditions: ReadonlyArray<Condition>): ReadonlyArray<Condition> =>
  conditions.map(({ sql, values }) => ({ sql: `(body ->> '$.resource' = 'apiKeys' OR ${sql})`, values }))

const equal = (path: string, value: string | undefined): ReadonlyArray<Condition> =>
  value === undefined ? [] : [{ sql: `body ->> '${path}' = ?`, values: [value] }]

/** Matches events on API keys that name a key, and other events if all their clusters and namespaces lie within the scope. */
const scopeOf = ({ clusters, namespaces }: AuditScope): Condition => {
  const others = [
    `EXISTS ${NAMED}`,
    ...(clusters === undefined
      ? []
      : [`NOT EXISTS (SELECT 1 FROM ${NAMED} WHERE value NOT IN (SELECT value FROM json_each(?)))`]),
    ...(namespaces === undefined
      ? []
      : [
          "json_array_length(body, '$.target.namespaces') > 0",
          `NOT EXISTS (SELECT 1 FROM json_each(body, '$.target.namespaces')
             WHERE value NOT IN (SELECT value FROM json_each(?)))`
        ])
  ]
  return {
    sql: `iif(body ->> '$.resource' = 'apiKeys', body ->> '$.target.object' IS NOT NULL, ${others.join(" AND ")})`,
    values: [clusters, namespaces].flatMap((names) => (names === undefined ? [] : [JSON.stringify(names)]))
  }
}

/** Lists rows in reverse order of the chain. */
export const list = (database: DatabaseSync, { before, limit, query, scan }: ListCall): ListAnswer => {
  const { sinceMs, untilMs } = query
  const end = Math.min(
    before ?? Number.MAX_SAFE_INTEGER,
    (untilMs === undefined ? undefined : firstSince(database, untilMs)) ?? Number.MAX_SAFE_INTEGER
  )
  const bounds = database
    .prepare(
      "SELECT (SELECT min(number) FROM events) AS first, (SELECT max(number) FROM events WHERE number < ?) AS top"
    )
    .get(end)
  const since = sinceMs === undefined ? 1 : firstSince(database, sinceMs)
  const [first, top] = [bounds?.["first"], bounds?.["top"]]
  if (since === undefined || typeof first !== "number" || typeof top !== "number") return { rows: [] }
  const lowest = Math.max(first, since)
  const floor = Math.max(lowest, top - scan + 1)
  const conditions = conditionsOf(query)
  const where = ["number BETWEEN ? AND ?", ...conditions.map(({ sql }) => sql)].join(" AND ")
  const rows = database
    .prepare(`SELECT ${COLUMNS} FROM events WHERE ${where} ORDER BY number DESC LIMIT ?`)
    .all(floor, top, ...conditions.flatMap(({ values }) => values), limit)
  const stop = rows.length === limit ? Number(rows.at(-1)?.["number"] ?? floor) : floor
  return stop > lowest ? { rows, before: stop } : { rows }
}

/** Counts the denials since an instant. A folded event counts as many times as the events that it represents. */
export const denials = (database: DatabaseSync, { scan, sinceMs }: DenialsCall): { readonly denials: number } => {
  const first = firstSince(database, sinceMs)
  if (first === undefined) return { denials: 0 }
  const row = database
    .prepare(
      `SELECT coalesce(sum(coalesce(body ->> '$.count', 1)), 0) AS denials FROM events
       WHERE number >= max(?, (SELECT max(number) FROM events) - ? + 1) AND body ->> '$.decision' = 'deny'`
    )
    .get(first, scan)
  return { denials: Number(row?.["denials"]) }
}

/** Reads the rows after a number, in the order of the chain. */
export const range = (database: DatabaseSync, { after, limit, maxBytes }: RangeCall): ReadonlyArray<unknown> => {
  const rows: Array<unknown> = []
  let bytes = 0
  for (const row of database
    .prepare(`SELECT ${COLUMNS} FROM events WHERE number > ? ORDER BY number LIMIT ?`)
    .iterate(after, limit)) {
    rows.push(row)
    bytes += Buffer.byteLength(String(row["body"]))
    if (bytes >= maxBytes) break
  }
  return rows
}
