/**
 * The list of deploy-time keys as text: the Helm values' or the Secret's.
 */
import { type DateTime, Result, Schema } from "effect"
import { hash as digest } from "node:crypto"
import { LineCounter, parseDocument } from "yaml"
import { KeyName } from "./ApiKey.ts"
import * as Expiry from "./Expiry.ts"
import { ownProperties } from "./OwnProperties.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { KeyHash, OF_NOTHING } from "./KeyHash.ts"
import { Rule } from "./Rule.ts"

/** A Secret holds at most this much. */
export const MAX_BYTES = 1_048_576
/** How often anchors may be referred to, all in all: enough for shared rules, too little to grow a small text big. */
const MAX_ALIASES = 100

/**
 * A deploy-time key.
 *
 * **Shape** `id` follows the name: it stays when the secret is replaced. Of several keys of one name, the second and
 * later ones are told apart by their order in the list.
 */
export interface ConfiguredKey {
  readonly id: string
  /** The place of the entry's file among those that are read as one list, from 0. */
  readonly file: number
  /** The entry's place in its file, from 0. */
  readonly index: number
  readonly name: string
  readonly hash: KeyHash
  readonly rule: Rule
  readonly expiresAt?: DateTime.Utc
}

/** An entry that does not load. **Shape** `file` and `index` count from 0; `field` as in `rule.targetClusters[1]`. */
export interface RefusedEntry {
  readonly file: number
  readonly index: number
  readonly field: string
  readonly problem: string
}

/** The entries of one file, not yet judged. **Shape** `path` is only printed. */
export interface EntryList {
  readonly path: string
  readonly entries: ReadonlyArray<unknown>
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
export const parseList = (text: string): Result.Result<ReadonlyArray<unknown>, InvalidKeysFile> => {
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
  const { directives, errors, warnings } = document.success
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
  return Result.flatMap(value, (list) =>
    Array.isArray(list)
      ? Result.succeed<ReadonlyArray<unknown>>(list)
      : Result.fail(new InvalidKeysFile({ problem: "must be a list of keys; [] is the list of none" }))
  )
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

const decodeEntry = Schema.decodeUnknownResult(Entry, { onExcessProperty: "error" })

/** Where an entry stands. */
interface Place {
  readonly file: number
  readonly index: number
}

/** Reads several lists as one. **Shape** of entries with the same hash none loads, whichever files they stand in. */
export const fromLists = (lists: ReadonlyArray<EntryList>): KeysFile => {
  const found = lists.flatMap(({ entries }, file) =>
    entries.map((item, index) => ({ place: { file, index }, entry: ownProperties(item) }))
  )
  const byHash = Map.groupBy(found, ({ entry }) => hashIn(entry))
  const keys: Array<ConfiguredKey> = []
  const refused: Array<RefusedEntry> = []
  const countByName = new Map<string, number>()

  for (const { entry, place } of found) {
    const hash = hashIn(entry)
    const sameHash = hash === undefined ? [] : (byHash.get(hash) ?? [])
    const twins = sameHash.map((twin) => twin.place)
    const read = twins.length > 1 ? refuseTwins(twins, lists) : readEntry(entry)
    if (Result.isFailure(read)) {
      const { field, problem } = read.failure
      refused.push({ ...place, field, problem })
      continue
    }
    const { name } = read.success
    const count = (countByName.get(name) ?? 0) + 1
    countByName.set(name, count)
    keys.push({ id: idOf(name, count), ...place, ...read.success })
  }
  return { keys, refused }
}

type Read = Result.Result<Omit<ConfiguredKey, "id" | keyof Place>, Pick<SchemaFault.SchemaFault, "field" | "problem">>

const readEntry = (input: unknown): Read => {
  const decoded = decodeEntry(input)
  if (Result.isFailure(decoded)) return Result.fail(SchemaFault.fromIssue(decoded.failure.issue))
  const { expire, ...entry } = decoded.success
  if (entry.hash === OF_NOTHING) return Result.fail({ field: "hash", problem: "is the hash of an empty text" })
  if (expire === undefined) return Result.succeed(entry)
  return Result.mapBoth(Expiry.parseConfigured(expire), {
    onFailure: ({ message }) => ({ field: "expire", problem: message }),
    onSuccess: (expiresAt) => ({ ...entry, expiresAt })
  })
}

const refuseTwins = (places: ReadonlyArray<Place>, lists: ReadonlyArray<EntryList>): Read => {
  const isOneFile = places.every(({ file }) => file === places[0]?.file)
  const where = isOneFile
    ? `the entries ${places.map(({ index }) => index).join(" and ")}`
    : places.map(({ file, index }) => `entry ${index} of ${lists[file]?.path ?? ""}`).join(" and ")
  return Result.fail({ field: "hash", problem: `stands at ${where}, so none of them loads` })
}

/** The hash of an entry, also of one that is otherwise wrong. */
const hashIn = (entry: unknown): unknown => {
  const own = typeof entry === "object" && entry !== null && "hash" in entry ? entry.hash : undefined
  return Schema.is(KeyHash)(own) ? own : undefined
}

/** Made from the name and not from the hash: an id is shown in logs, where it must not help to guess a weak key. */
const idOf = (name: string, count: number): string =>
  `cfg_${digest("sha256", name, "hex").slice(0, 20)}${count === 1 ? "" : `_${count}`}`
