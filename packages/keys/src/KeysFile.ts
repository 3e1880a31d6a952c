/**
 * Parser of keys files: lists of deploy-time keys, from the Helm values or from a Secret.
 */
import { type DateTime, Redacted, Result, Schema } from "effect"
import { hash as digest } from "node:crypto"
import { isNode, isSeq, LineCounter, parseDocument } from "yaml"
import { KeyName } from "./ApiKey.ts"
import * as Expiry from "./Expiry.ts"
import { ownProperties } from "./OwnProperties.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { fromRawKey, KeyHash, OF_NOTHING } from "./KeyHash.ts"
import { Rule } from "./Rule.ts"

/** Maximum size of a keys file: the maximum size of a Kubernetes Secret. */
export const MAX_BYTES = 1_048_576
/** Maximum number of aliases per file: enough for shared rules, too few for a small text to expand to a large value. */
const MAX_ALIASES = 100
/**
 * Maximum number of faults that are reported for one entry, and of entries that a message about a shared hash names. A
 * file of 1 MiB may have far more of both.
 */
const MAX_TOLD = 32

/** Position of an entry. */
interface Place {
  /** Index of the entry's file in the list of files, from 0. */
  readonly file: number
  /** Index of the entry in its file, from 0. */
  readonly index: number
  /** Line at which the entry begins, from 1. */
  readonly line: number
  /** Name of the entry in messages, such as `entry "ci" (line 4)`. An invalid or secret name is replaced by the index. */
  readonly label: string
}

/**
 * A deploy-time key.
 *
 * **Shape** `id` is derived from the name, so it stays the same when the secret is replaced. If several keys have one name,
 * the ids of the second and later keys also contain their position among these keys.
 */
export interface ConfiguredKey extends Place {
  readonly id: string
  readonly name: string
  readonly hash: KeyHash
  readonly rule: Rule
  readonly expiresAt?: DateTime.Utc
}

/** A fault of an entry. **Shape** `field`: a path such as `rule.targetClusters[1]`; empty for the entry as a whole. */
export interface EntryFault {
  readonly field: string
  readonly problem: string
}

/** An entry that was not loaded. **Shape** `faults`: 1 to 32, the first faults of the entry. */
export interface RefusedEntry extends Place {
  readonly faults: ReadonlyArray<EntryFault>
  /** Number of further faults. */
  readonly moreFaults: number
}

/** An entry of a file, not validated yet. **Shape** `line`: the line at which it begins, from 1. */
export interface ListedEntry {
  readonly line: number
  readonly value: unknown
}

/** The entries of one file. **Shape** `path` is used in messages only. */
export interface EntryList {
  readonly path: string
  readonly entries: ReadonlyArray<ListedEntry>
}

export interface KeysFile {
  readonly keys: ReadonlyArray<ConfiguredKey>
  readonly refused: ReadonlyArray<RefusedEntry>
}

/** The text as a whole cannot be used. The message does not contain the text. */
export class InvalidKeysFile extends Schema.TaggedError<InvalidKeysFile>()("InvalidKeysFile", {
  problem: Schema.String,
  line: Schema.optionalKey(Schema.Natural)
}) {
  override get message(): string {
    return this.line === undefined ? this.problem : `line ${this.line}: ${this.problem}`
  }
}

/**
 * Parses a list of deploy-time keys.
 *
 * **Shape** a YAML 1.2 (core schema) list of `{ name, hash, expire?, rule }`; a plain timestamp is text. An invalid entry is
 * refused and the others are loaded. If several entries have the same hash, all of them are refused.
 *
 * **Errors** `InvalidKeysFile` if the text is not such a list, or has duplicate map keys, tags, several documents or more
 * than 100 aliases. An empty text is refused too, since the file may be half written.
 */
export const parse = (text: string): Result.Result<KeysFile, InvalidKeysFile> =>
  Result.map(parseList(text), (entries) => fromLists([{ path: "", entries }]))

/** Parses the entries of a list without validating them. **Errors** those of {@link parse}. */
export const parseList = (text: string): Result.Result<ReadonlyArray<ListedEntry>, InvalidKeysFile> => {
  const lineCounter = new LineCounter()
  const document = Result.try({
    try: () =>
      parseDocument(text, {
        lineCounter,
        logLevel: "error",
        prettyErrors: false,
        resolveKnownTags: false,
        stringKeys: true
      }),
    catch: () => new InvalidKeysFile({ problem: "is nested too deeply" })
  })
  if (Result.isFailure(document)) return Result.fail(document.failure)
  const { contents, directives, errors, warnings } = document.success
  const [fault] = [...errors, ...warnings]
  if (fault !== undefined) {
    const problem = EXPLANATION[fault.code] ?? `is not YAML (${fault.code})`
    return Result.fail(new InvalidKeysFile({ problem, line: lineCounter.linePos(fault.pos[0]).line }))
  }
  if (directives?.yaml.explicit === true && directives.yaml.version !== "1.2") {
    return Result.fail(new InvalidKeysFile({ problem: "must be YAML 1.2" }))
  }
  const value = Result.try({
    try: (): unknown => document.success.toJS({ maxAliasCount: MAX_ALIASES }),
    catch: () =>
      new InvalidKeysFile({
        problem: `has an alias without an anchor, or more than ${MAX_ALIASES} aliases`
      })
  })
  return Result.flatMap(value, (list) => {
    if (!Array.isArray(list) || !isSeq(contents)) {
      return Result.fail(new InvalidKeysFile({ problem: "must be a list of keys; write [] for an empty list" }))
    }
    const values: ReadonlyArray<unknown> = list
    const entries = contents.items.map((item, index) => {
      const start = (isNode(item) ? item.range : contents.range)?.[0] ?? 0
      return { line: lineCounter.linePos(start).line, value: values[index] }
    })
    return Result.succeed(entries)
  })
}

const EXPLANATION: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "a map has the same key twice",
  TAG_RESOLVE_FAILED: "tags are not allowed",
  MULTIPLE_DOCS: "must be one document"
}

const Entry = Schema.Struct({
  name: KeyName,
  hash: KeyHash,
  expire: Schema.optionalKey(Schema.String),
  rule: Rule
})

const decodeEntry = Schema.decodeUnknownResult(Entry, { errors: "all", onExcessProperty: "error" })

/** An entry to validate. */
interface FoundEntry {
  readonly place: Place
  readonly entry: unknown
  /** The hash, even if other fields are invalid. */
  readonly hash: KeyHash | undefined
}

/** Returns the hashes of all entries, even of entries with other invalid fields. */
export const hashesIn = (lists: ReadonlyArray<EntryList>): ReadonlySet<KeyHash> =>
  new Set(findEntries(lists).flatMap(({ hash }) => hash ?? []))

/**
 * Validates several lists as one.
 *
 * **Shape** one secret must not have two rules. Entries with the same hash are all refused, even across files, as is an
 * entry whose hash is in `created`.
 */
export const fromLists = (lists: ReadonlyArray<EntryList>, created: ReadonlySet<KeyHash> = new Set()): KeysFile => {
  const found = findEntries(lists)
  const byHash = Map.groupBy(found, ({ hash }) => hash)
  const keys: Array<ConfiguredKey> = []
  const refused: Array<RefusedEntry> = []
  const countByName = new Map<string, number>()

  for (const { entry, hash, place } of found) {
    const twins = hash === undefined ? [] : (byHash.get(hash) ?? [])
    const read = readEntry(entry, [
      ...(twins.length > 1 ? [twinFault(twins, lists)] : []),
      ...(hash !== undefined && created.has(hash) ? [{ field: "hash", problem: "belongs to a created key" }] : [])
    ])
    if (Result.isFailure(read)) {
      const faults = read.failure
      refused.push({ ...place, faults: faults.slice(0, MAX_TOLD), moreFaults: Math.max(0, faults.length - MAX_TOLD) })
      continue
    }
    const { name } = read.success
    const count = (countByName.get(name) ?? 0) + 1
    countByName.set(name, count)
    keys.push({ id: idOf(name, count), ...place, ...read.success })
  }
  return { keys, refused }
}

const findEntries = (lists: ReadonlyArray<EntryList>): ReadonlyArray<FoundEntry> =>
  lists.flatMap(({ entries }, file) =>
    entries.map(({ line, value }, index) => {
      const entry = ownProperties(value)
      const hash = memberOf(entry, "hash")
      const place = { file, index, line, label: labelOf(entry, index, line) }
      return { place, entry, hash: Schema.is(KeyHash)(hash) ? hash : undefined }
    })
  )

type Read = Result.Result<Omit<ConfiguredKey, "id" | keyof Place>, ReadonlyArray<EntryFault>>

/** Validates an entry. **Shape** `clashes`: its conflicts with other entries and with created keys. */
const readEntry = (input: unknown, clashes: ReadonlyArray<EntryFault>): Read => {
  const decoded = decodeEntry(input)
  const expire = memberOf(input, "expire")
  const expiry = typeof expire === "string" ? Expiry.parseConfigured(expire) : Result.succeed(undefined)
  const ofSchema = Result.isFailure(decoded) ? SchemaFault.allFromIssue(decoded.failure.issue) : []
  const faults: ReadonlyArray<EntryFault> = [
    ...ofSchema.map(({ field, problem }) => ({ field, problem })),
    ...(memberOf(input, "hash") === OF_NOTHING ? [{ field: "hash", problem: "is the hash of an empty text" }] : []),
    ...(Result.isFailure(expiry) ? [{ field: "expire", problem: expiry.failure.message }] : []),
    ...clashes
  ]
  if (Result.isFailure(decoded) || Result.isFailure(expiry) || faults.length > 0) return Result.fail(faults)
  const { hash, name, rule } = decoded.success
  const expiresAt = expiry.success
  return Result.succeed({ hash, name, rule, ...(expiresAt === undefined ? {} : { expiresAt }) })
}

const twinFault = (twins: ReadonlyArray<FoundEntry>, lists: ReadonlyArray<EntryList>): EntryFault => {
  const isOneFile = twins.every(({ place }) => place.file === twins[0]?.place.file)
  const told = twins
    .slice(0, MAX_TOLD)
    .map(({ place: { file, label } }) => (isOneFile ? label : `${label} of ${lists[file]?.path ?? ""}`))
  const rest = twins.length > told.length ? ` and ${twins.length - told.length} more` : ""
  return { field: "hash", problem: `is shared by ${told.join(" and ")}${rest}; none of them is loaded` }
}

const memberOf = (entry: unknown, name: "name" | "hash" | "expire"): unknown =>
  typeof entry === "object" && entry !== null && name in entry ? Reflect.get(entry, name) : undefined

const labelOf = (entry: unknown, index: number, line: number): string => {
  const name = memberOf(entry, "name")
  const isTold = Schema.is(KeyName)(name) && !mayBeSecret(name, memberOf(entry, "hash"))
  return `entry ${isTold ? JSON.stringify(name) : index} (line ${line})`
}

/** Matches a key or a hash within a text. */
const SECRET = /qd_[0-9A-Za-z]{16}|[0-9a-f]{64}/i

/** Checks whether a name may contain a key or a hash, put there by mistake. */
const mayBeSecret = (name: string, hash: unknown): boolean =>
  SECRET.test(name) || name === hash || fromRawKey(Redacted.make(name)) === hash

/** Derives an id from the name. Ids appear in logs, where a part of the hash would help to guess a weak key. */
const idOf = (name: string, count: number): string =>
  `cfg_${digest("sha256", name, "hex").slice(0, 20)}${count === 1 ? "" : `_${count}`}`
