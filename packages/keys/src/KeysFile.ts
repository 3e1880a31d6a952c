/**
 * The list of deploy-time keys as text: the Helm values' or the Secret's.
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

/** A Secret holds at most this much. */
export const MAX_BYTES = 1_048_576
/** How often anchors may be referred to, all in all: enough for shared rules, too little to grow a small text big. */
const MAX_ALIASES = 100
/** How many faults of one entry, and how many entries of one hash, are told: a file of 1 MiB could hold 100000. */
const MAX_TOLD = 32

/** Where an entry stands. */
interface Place {
  /** The place of the entry's file among those that are read as one list, from 0. */
  readonly file: number
  /** The entry's place in its file, from 0. */
  readonly index: number
  /** The line of its file at which the entry begins, from 1. */
  readonly line: number
  /** What messages call the entry, such as `entry "ci" (line 4)`. **Shape** by its index where its name cannot be told. */
  readonly label: string
}

/**
 * A deploy-time key.
 *
 * **Shape** `id` follows the name: it stays when the secret is replaced. Of several keys of one name, the second and
 * later ones are told apart by their order in the list.
 */
export interface ConfiguredKey extends Place {
  readonly id: string
  readonly name: string
  readonly hash: KeyHash
  readonly rule: Rule
  readonly expiresAt?: DateTime.Utc
}

/** One thing that is wrong with an entry. **Shape** `field` as in `rule.targetClusters[1]`, empty for all of it. */
export interface EntryFault {
  readonly field: string
  readonly problem: string
}

/** An entry that does not load. **Shape** of `faults`, of which there is at least one, the first 32. */
export interface RefusedEntry extends Place {
  readonly faults: ReadonlyArray<EntryFault>
  /** How many faults there are beyond those. */
  readonly moreFaults: number
}

/** An entry as it stands in its file, not yet judged. **Shape** `line` is where it begins, from 1. */
export interface ListedEntry {
  readonly line: number
  readonly value: unknown
}

/** The entries of one file. **Shape** `path` is only printed. */
export interface EntryList {
  readonly path: string
  readonly entries: ReadonlyArray<ListedEntry>
}

export interface KeysFile {
  readonly keys: ReadonlyArray<ConfiguredKey>
  readonly refused: ReadonlyArray<RefusedEntry>
}

/** The text as a whole cannot be used. Its content is kept out of the message. */
export class InvalidKeysFile extends Schema.TaggedError<InvalidKeysFile>()("InvalidKeysFile", {
  problem: Schema.String,
  line: Schema.optionalKey(Schema.Natural)
}) {
  override get message(): string {
    return this.line === undefined ? this.problem : `line ${this.line}: ${this.problem}`
  }
}

/**
 * Reads a list of deploy-time keys.
 *
 * **Shape** a YAML 1.2 (core schema) list of `{ name, hash, expire?, rule }`; a plain timestamp is text. An entry that
 * is wrong is refused, the others load; of entries with the same hash none loads.
 *
 * **Errors** `InvalidKeysFile` when the text is no such list: also for a key that stands twice in one map, tags,
 * several documents, more than 100 aliases, and for an empty text, which may be a file half written.
 */
export const parse = (text: string): Result.Result<KeysFile, InvalidKeysFile> =>
  Result.map(parseList(text), (entries) => fromLists([{ path: "", entries }]))

/** Reads the entries of a list without judging them. **Errors** those of {@link parse}. */
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
        problem: `refers to an anchor that is not there, or to anchors more than ${MAX_ALIASES} times`
      })
  })
  return Result.flatMap(value, (list) => {
    if (!Array.isArray(list) || !isSeq(contents)) {
      return Result.fail(new InvalidKeysFile({ problem: "must be a list of keys; [] is the list of none" }))
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
  DUPLICATE_KEY: "a key stands twice in one map",
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

/** An entry to be judged. */
interface FoundEntry {
  readonly place: Place
  readonly entry: unknown
  /** Also of an entry that is otherwise wrong. */
  readonly hash: KeyHash | undefined
}

/** The hashes of all entries, also of those that are otherwise wrong. */
export const hashesIn = (lists: ReadonlyArray<EntryList>): ReadonlySet<KeyHash> =>
  new Set(findEntries(lists).flatMap(({ hash }) => hash ?? []))

/**
 * Reads several lists as one.
 *
 * **Shape** of entries with the same hash none loads, whichever files they stand in; nor does one whose hash is among
 * `created`, for one secret must not have two rules.
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
      ...(hash !== undefined && created.has(hash) ? [{ field: "hash", problem: "is that of a created key" }] : [])
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

/** Reads an entry. **Shape** `clashes` is what is wrong with it because of others. */
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
  return { field: "hash", problem: `stands in ${told.join(" and ")}${rest}, so none of them loads` }
}

const memberOf = (entry: unknown, name: "name" | "hash" | "expire"): unknown =>
  typeof entry === "object" && entry !== null && name in entry ? Reflect.get(entry, name) : undefined

const labelOf = (entry: unknown, index: number, line: number): string => {
  const name = memberOf(entry, "name")
  const isTold = Schema.is(KeyName)(name) && !mayBeSecret(name, memberOf(entry, "hash"))
  return `entry ${isTold ? JSON.stringify(name) : index} (line ${line})`
}

/** A key or a hash in a long text. */
const SECRET = /qd_[0-9A-Za-z]{16}|[0-9a-f]{64}/i

/** Tells whether a key or its hash stands where the name should. */
const mayBeSecret = (name: string, hash: unknown): boolean =>
  SECRET.test(name) || name === hash || fromRawKey(Redacted.make(name)) === hash

/** Made from the name and not from the hash: an id is shown in logs, where it must not help to guess a weak key. */
const idOf = (name: string, count: number): string =>
  `cfg_${digest("sha256", name, "hex").slice(0, 20)}${count === 1 ? "" : `_${count}`}`
