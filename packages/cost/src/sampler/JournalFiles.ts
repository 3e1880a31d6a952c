/**
 * Keeps open hours in files of lines with checksums, which are only ever added to.
 *
 * @since 0.1.0
 */
import { is, type ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer, Option, Result, Schema, Semaphore } from "effect"
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { CostError, StoreUnavailable } from "../CostError.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"
import { JournalEntry } from "./JournalEntry.ts"

/** The directory's name in the data directory. */
const DIRECTORY_NAME = "open-hours"
/** No cluster's name has an `@`. */
const FILE = /^([^@]+)@(\d{1,16})\.lines$/
const REPRICE = "reprice.json"

const Line = Schema.fromJsonString(JournalEntry)
const decode = Schema.decodeUnknownResult(Line)
const Left = Schema.fromJsonString(Schema.Struct({ startMs: Schema.Int, endMs: Schema.Int }))
const Reprice = Schema.fromJsonString(Schema.Struct({ fromMs: Schema.Int }))

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, CostError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new CostError({ reason: new StoreUnavailable({ action, cause }) })
  })

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const textOf = (path: string, action: string): Effect.Effect<string, CostError> =>
  attempt(action, () =>
    readFile(path, "utf8").catch((cause: unknown) => (isMissing(cause) ? "" : Promise.reject(cause)))
  )

const added = async (path: string, text: string): Promise<void> => {
  const file = await open(path, "a", 0o600)
  try {
    await file.appendFile(text)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Beside the file first, then in its place: a crash leaves the old one or the new one. */
const replaced = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  await added(draft, text)
  await rename(draft, path)
}

const lineOf = (json: string): string => `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`

/** A line that a crash cut, or a disk damaged, tells nothing. */
const entryOf = (line: string): JournalEntry | undefined => {
  const json = line.slice(9)
  if (line.slice(0, 8) !== crc32(json).toString(16).padStart(8, "0")) return undefined
  return Result.getOrUndefined(decode(json))
}

const make = (directory: string) => {
  const pathOf = ({ cluster, startMs }: KeptHour): string => join(directory, `${cluster}@${startMs}.lines`)
  const backfillPath = (cluster: ClusterName): string => join(directory, `${cluster}@backfill.json`)

  const kept = Effect.map(
    attempt("list the open hours", () => readdir(directory)),
    (names) =>
      names
        .flatMap((name): ReadonlyArray<KeptHour> => {
          const [, cluster = "", startMs = ""] = FILE.exec(name) ?? []
          return is(cluster) ? [{ cluster, startMs: Number(startMs) }] : []
        })
        .toSorted((a, b) => a.startMs - b.startMs)
  )

  const read = Effect.fn("HourJournal.read")(function* (hour: KeptHour) {
    yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
    const lines = (yield* textOf(pathOf(hour), "read an open hour")).split("\n").filter((line) => line !== "")
    const entries: Array<JournalEntry> = []
    for (const line of lines) {
      const entry = entryOf(line)
      if (entry !== undefined) entries.push(entry)
      yield* Effect.yieldNow
    }
    if (entries.length < lines.length) {
      yield* Effect.logWarning("a part of an open hour cannot be read and is left out", {
        cluster: hour.cluster,
        hour: new Date(hour.startMs).toISOString(),
        lines: lines.length - entries.length
      })
    }
    return entries
  })

  const append = Effect.fn("HourJournal.append")(function* (hour: KeptHour, entries: ReadonlyArray<JournalEntry>) {
    yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
    // What a crash cut has no end of line: this one begins with its own.
    const lines = ["\n"]
    for (const entry of entries) {
      lines.push(lineOf(JSON.stringify(entry)))
      yield* Effect.yieldNow
    }
    yield* attempt("keep an open hour", () => added(pathOf(hour), lines.join("")))
  })

  const noted = <A>(path: string, schema: Schema.Codec<A, string>, action: string) =>
    Effect.map(textOf(path, action), (text) => Result.getSuccess(Schema.decodeUnknownResult(schema)(text)))

  /** Two notes share a draft; one that is interrupted is still written. */
  const turn = Semaphore.makeUnsafe(1)
  const note = (action: string, run: () => Promise<void>): Effect.Effect<void, CostError> =>
    Effect.uninterruptible(turn.withPermit(attempt(action, run)))

  const reprice = join(directory, REPRICE)
  return HourJournal.of({
    kept,
    read,
    append,
    remove: (hour) => attempt("forget an open hour", () => rm(pathOf(hour), { force: true })),
    backfill: (cluster) => noted(backfillPath(cluster), Left, "read what is to be filled in"),
    noteBackfill: (cluster, left) =>
      note("note what is to be filled in", () =>
        replaced(backfillPath(cluster), JSON.stringify({ startMs: left.startMs, endMs: left.endMs }))
      ),
    reprice: Effect.map(
      noted(reprice, Reprice, "read what is to be repriced"),
      Option.map(({ fromMs }) => fromMs)
    ),
    noteReprice: (from) =>
      note("note what is to be repriced", () =>
        Option.match(from, {
          onNone: () => rm(reprice, { force: true }),
          onSome: (fromMs) => replaced(reprice, JSON.stringify({ fromMs }))
        })
      )
  })
}

/**
 * Opens the journal in a directory, and makes it where there is none.
 *
 * **Errors** `StoreUnavailable` when the directory cannot be made.
 *
 * **Limits** one program at a time; a file a cluster and hour, of mode 0600. An entry survives a crash of the machine once
 * it was added; one that was cut is left out.
 *
 * @since 0.1.0
 */
export const layerFiles = (options: { readonly directory: string }): Layer.Layer<HourJournal, CostError> =>
  Layer.effect(
    HourJournal,
    Effect.gen(function* () {
      const directory = join(options.directory, DIRECTORY_NAME)
      yield* attempt("make the directory of open hours", () => mkdir(directory, { recursive: true, mode: 0o700 }))
      return make(directory)
    })
  )
