/**
 * Verifies the whole audit of a data directory and finds the first row that was changed.
 */
import { Effect, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { HEAD_FILE, type Head, parse } from "./AuditHead.ts"
import { KEY_FILE } from "./AuditKey.ts"
import { FILE_NAME } from "./AuditStore.ts"
import { hashOf, isSigned, type Link, START } from "./Chain.ts"

/** The audit of a directory cannot be read. */
export class AuditUnreadable extends Schema.TaggedError<AuditUnreadable>()("AuditUnreadable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.problem}`
  }
}

/**
 * Result of a verification.
 *
 * **Shape** `Whole`: the rows from `first` up to the signed head are unchanged. The `unproven` rows after the head are
 * consistent with each other, but the head does not prove that none was cut. `Broken`: `number` is the first row that was
 * changed or is missing.
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
 * Verifies the audit of a data directory. The server may be running or stopped.
 *
 * **Errors** `AuditUnreadable`: a file is missing or cannot be read.
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
    // Imported here, so that a Node without `node:sqlite` can still print which version is needed.
    const sqlite = yield* Effect.promise(() => import("node:sqlite"))
    return yield* Effect.try({
      try: () => {
        const key = readFileSync(keyFile)
        // Reads the head before the rows. If a running server appends rows meanwhile, the row of this head is still read.
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
      `the checkpoint is at row ${start.number}, but the signed head is at row ${head.number}`
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
    if (hash !== hashOf(number, previousHash, body)) return broken(number, "it was changed: its hash does not match")
    if (previousHash !== before.hash) return broken(number, "it does not follow the row before it")
    const bodyMs = atMsOf(body)
    highMs = Math.max(highMs ?? (start.number > 0 ? atMs : bodyMs), bodyMs)
    // `at_ms` is the instant of the row's own event in schema version 1, and the latest instant up to the row since version 2.
    if (atMs !== bodyMs && atMs !== highMs) return broken(number, "it was changed: its instant does not match")
    if (number === head.number && hash !== head.hash) {
      return broken(number, "it does not match the signed head: it, or rows before it, were rewritten")
    }
    before = { number, hash }
    rows++
  }
  if (before.number < head.number) {
    return broken(before.number + 1, `it and all rows after it are missing: the signed head is at row ${head.number}`)
  }
  if (head.number === start.number && head.number > 0 && head.hash !== start.hash) {
    return broken(head.number, "the checkpoint does not match the signed head")
  }
  const last = before.number
  return { _tag: "Whole", rows, first: start.number + 1, last, unproven: last - head.number, head }
}

/**
 * Returns the number and hash that precede the first row: the start of the chain, or the checkpoint that retention
 * left.
 */
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
