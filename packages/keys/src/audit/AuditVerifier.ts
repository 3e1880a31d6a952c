/**
 * Reads the whole audit of a data directory and tells the first row that is not as it was written.
 */
import { Effect, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { HEAD_FILE, type Head, parse } from "./AuditHead.ts"
import { KEY_FILE } from "./AuditKey.ts"
import { FILE_NAME } from "./AuditStore.ts"
import { hashOf, isSigned, type Link, START } from "./Chain.ts"

/** The audit of a directory cannot be read at all. */
export class AuditUnreadable extends Schema.TaggedError<AuditUnreadable>()("AuditUnreadable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.problem}`
  }
}

/**
 * What became of the check.
 *
 * **Shape** `Whole`: every row from `first` to `last` is as it was written, up to the signed head; `unproven` rows after it
 * are whole among themselves, and so are any that may have been cut after it. `Broken`: `number` is the first row that is
 * not, or that is missing.
 */
export type Verification =
  | {
      readonly _tag: "Whole"
      readonly rows: number
      readonly first: number
      readonly last: number
      readonly unproven: number
      readonly head: Head
    }
  | { readonly _tag: "Broken"; readonly number: number; readonly problem: string }

interface Row extends Link {
  readonly atMs: number
  readonly previousHash: string
  readonly body: string
}

const broken = (number: number, problem: string): Verification => ({ _tag: "Broken", number, problem })

/**
 * Verifies the audit of a data directory, of a server that runs or is stopped.
 *
 * **Errors** `AuditUnreadable`: a file is missing, or is none.
 *
 * **Limits** reads each row once, changes nothing.
 */
export const verify = (directory: string): Effect.Effect<Verification, AuditUnreadable> =>
  Effect.gen(function* () {
    const database = join(directory, FILE_NAME)
    const keyFile = join(directory, KEY_FILE)
    const headFile = join(directory, HEAD_FILE)
    for (const path of [database, keyFile, headFile]) {
      if (!existsSync(path)) return yield* new AuditUnreadable({ path, problem: "there is no such file" })
    }
    // A Node without it would end before anything could say which one is needed.
    const sqlite = yield* Effect.promise(() => import("node:sqlite"))
    return yield* Effect.try({
      try: () => {
        const key = readFileSync(keyFile)
        // Before the rows: of a running server they are then at least as many as it says.
        const head = parse(key, readFileSync(headFile, "utf8"))
        const file = new sqlite.DatabaseSync(database, { readOnly: true })
        try {
          return head === undefined
            ? broken(0, `${headFile} was not signed with the key of this directory: nothing proves the rows`)
            : verifyRows(file, key, head)
        } finally {
          file.close()
        }
      },
      catch: (cause) =>
        new AuditUnreadable({ path: database, problem: cause instanceof Error ? cause.message : "it cannot be read" })
    })
  })

const verifyRows = (file: DatabaseSync, key: Uint8Array, head: Head): Verification => {
  const start = startOf(file, key)
  if ("problem" in start) return broken(start.number, start.problem)
  if (head.number < start.number) {
    return broken(
      head.number + 1,
      `the checkpoint tells of row ${start.number}, the signed head of ${head.number} rows`
    )
  }
  let before: Link = start
  let rows = 0
  let highMs: number | undefined
  for (const row of file
    .prepare("SELECT number, at_ms AS atMs, previous_hash AS previousHash, hash, body FROM events ORDER BY number")
    .iterate()) {
    const { atMs, body, hash, number, previousHash } = decodeRow(row)
    const expected = before.number + 1
    if (number !== expected) return broken(expected, "it is missing")
    if (hash !== hashOf(number, previousHash, body)) return broken(number, "it was changed: its hash is another")
    if (previousHash !== before.hash) return broken(number, "it does not follow the row before it")
    const bodyMs = atMsOf(body)
    highMs = Math.max(highMs ?? (start.number > 0 ? atMs : bodyMs), bodyMs)
    // A row of schema version 1 has its own instant, a later one that of the latest event before it.
    if (atMs !== bodyMs && atMs !== highMs) return broken(number, "it was changed: its instant is another")
    if (number === head.number && hash !== head.hash) {
      return broken(number, "it is not the row that the head was signed for: it, or rows before it, were rewritten")
    }
    before = { number, hash }
    rows++
  }
  if (before.number < head.number) {
    return broken(before.number + 1, `it is missing, and all after it: the signed head tells of row ${head.number}`)
  }
  if (head.number === start.number && head.number > 0 && head.hash !== start.hash) {
    return broken(head.number, "the checkpoint is not the row that the head was signed for")
  }
  const last = before.number
  return { _tag: "Whole", rows, first: start.number + 1, last, unproven: last - head.number, head }
}

/** Where the rows begin: at the first, or after those that retention has removed. */
const startOf = (file: DatabaseSync, key: Uint8Array): Link | { readonly number: number; readonly problem: string } => {
  const row = file.prepare("SELECT number, hash, at_ms, signature FROM checkpoint").get()
  if (row === undefined) return START
  const link = { number: Number(row["number"]), hash: String(row["hash"]) }
  return isSigned(key, "checkpoint", link, Number(row["at_ms"]), String(row["signature"]))
    ? link
    : { number: link.number, problem: "the checkpoint was not signed with the key of this directory" }
}

const decodeRow = Schema.decodeUnknownSync(
  Schema.Struct({
    number: Schema.Int,
    atMs: Schema.Int,
    previousHash: Schema.String,
    hash: Schema.String,
    body: Schema.String
  })
) satisfies (row: unknown) => Row

const decodeInstant = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ at: Schema.String })))
const atMsOf = (body: string): number => Date.parse(decodeInstant(body).at)
