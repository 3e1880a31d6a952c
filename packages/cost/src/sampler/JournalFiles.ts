/**
 * Keeps open hours in files of lines with checksums, which are only ever added to.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer, Option, Result, Schema, Semaphore } from "effect"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { CostError } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"
import type { Backlog } from "./Backlog.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"
import type { JournalEntry } from "./JournalEntry.ts"
import * as JournalLine from "./JournalLine.ts"
import * as JournalNames from "./JournalNames.ts"

/** The directory's name in the data directory. */
export const DIRECTORY_NAME = "open-hours"
const HOUR_FILE = /^(@?[^@]+)@(\d{1,16})\.lines$/
const BACKFILL_FILE = /^(@?[^@]+)@backfill\.json$/
const REPRICE_FILE = "reprice.json"

const Hours = Schema.Struct({ startMs: Schema.Int, endMs: Schema.Int })
/** Programs before this one noted the time before the first hour alone. */
const BackfillNote = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ untilMs: Schema.Int, left: Schema.Array(Hours), knownFromMs: Schema.optionalKey(Schema.Int) }),
    Hours
  ])
)
const RepriceNote = Schema.fromJsonString(Schema.Struct({ fromMs: Schema.Int }))

/** Where a journal lies. **Shape** `turn`: two notes share a draft. */
interface Journal {
  readonly directory: string
  readonly names: JournalNames.JournalNames
  readonly turn: Semaphore.Semaphore
}

const make = (directory: string) => {
  const journal: Journal = { directory, names: JournalNames.make(directory), turn: Semaphore.makeUnsafe(1) }
  return HourJournal.of({
    kept: listHours(journal),
    read: (hour) => read(journal, hour),
    append: (hour, entries) => append(journal, hour, entries),
    remove: (hour) => removeFile("forget an open hour", hourPath(journal, hour)),
    backfill: (cluster) => readBackfill(journal, cluster),
    backfills: listBackfills(journal),
    noteBackfill: (cluster, backlog) => noteBackfill(journal, cluster, backlog),
    isRestartAsked: (cluster) =>
      DurableFile.exists("see whether the past is to be filled in anew", restartPath(journal, cluster)),
    askRestart: (cluster, isAsked) =>
      isAsked
        ? DurableFile.replace("ask for the past to be filled in anew", restartPath(journal, cluster), "")
        : removeFile("begin to fill in the past anew", restartPath(journal, cluster)),
    reprice: Effect.map(
      readNote(repricePath(journal), RepriceNote, "read what is to be repriced"),
      Option.map(({ fromMs }) => fromMs)
    ),
    noteReprice: (fromMs) => noteReprice(journal, fromMs)
  })
}

const hourPath = ({ directory, names }: Journal, { cluster, startMs }: KeptHour): string =>
  join(directory, `${names.of(cluster)}@${startMs}.lines`)

const backfillPath = ({ directory, names }: Journal, cluster: ClusterName): string =>
  join(directory, `${names.of(cluster)}@backfill.json`)

const restartPath = ({ directory, names }: Journal, cluster: ClusterName): string =>
  join(directory, `${names.of(cluster)}@restart`)

const repricePath = ({ directory }: Journal): string => join(directory, REPRICE_FILE)

const textOf = (path: string, action: string): Effect.Effect<string, CostError> =>
  Effect.map(DurableFile.read(action, path), (text) => text ?? "")

const removeFile = (action: string, path: string): Effect.Effect<void, CostError> =>
  DurableFile.attempt(action, () => rm(path, { force: true }))

const listHours = Effect.fnUntraced(function* ({ directory, names }: Journal) {
  const files = yield* DurableFile.attempt("list the open hours", () => readdir(directory))
  const hours: Array<KeptHour> = []
  for (const file of files) {
    const [, name, startMs] = HOUR_FILE.exec(file) ?? []
    if (name === undefined) continue
    const cluster = yield* names.find(name)
    if (cluster !== undefined) hours.push({ cluster, startMs: Number(startMs) })
    else yield* Effect.logWarning("an open hour is of no cluster that can be told, and is left out", { file })
  }
  return hours.toSorted((a, b) => a.startMs - b.startMs)
})

const read = Effect.fn("HourJournal.read")(function* (journal: Journal, hour: KeptHour) {
  yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
  const text = yield* textOf(hourPath(journal, hour), "read an open hour")
  const lines = text.split("\n").filter((line) => line !== "")
  const entries: Array<JournalEntry> = []
  for (const line of lines) {
    const entry = JournalLine.parse(line)
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

const append = Effect.fn("HourJournal.append")(function* (
  journal: Journal,
  hour: KeptHour,
  entries: Iterable<JournalEntry>
) {
  yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
  yield* journal.names.keep(hour.cluster)
  yield* DurableFile.append("keep an open hour", hourPath(journal, hour), piecesOf(entries))
})

/** Few enough writes, and little enough text at a time: ten thousand pods are many megabytes. */
const PIECE_LENGTH = 65_536

/** Prints entries, some at a time. */
function* piecesOf(entries: Iterable<JournalEntry>): Generator<string> {
  // What a crash cut has no end of line: this one begins with its own.
  let piece = "\n"
  for (const entry of entries) {
    piece += JournalLine.print(entry)
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ""
  }
  yield piece
}

const readNote = <A>(path: string, schema: Schema.Codec<A, string>, action: string) =>
  Effect.map(textOf(path, action), (text) => Result.getSuccess(Schema.decodeUnknownResult(schema)(text)))

/** Writes a note, also one that is interrupted. */
const writeNote = ({ turn }: Journal, write: Effect.Effect<void, CostError>): Effect.Effect<void, CostError> =>
  Effect.uninterruptible(turn.withPermit(write))

const backlogOf = (note: typeof BackfillNote.Type): Backlog =>
  "left" in note ? note : { untilMs: note.endMs, left: [note] }

const readBackfill = (journal: Journal, cluster: ClusterName) =>
  Effect.map(
    readNote(backfillPath(journal, cluster), BackfillNote, "read what is to be filled in"),
    Option.map(backlogOf)
  )

const listBackfills = Effect.fnUntraced(function* (journal: Journal) {
  const files = yield* DurableFile.attempt("list what is to be filled in", () => readdir(journal.directory))
  const backlogs = new Map<ClusterName, Backlog>()
  for (const file of files.toSorted()) {
    const [, name] = BACKFILL_FILE.exec(file) ?? []
    const cluster = name === undefined ? undefined : yield* journal.names.find(name)
    if (cluster === undefined) continue
    const backlog = yield* readBackfill(journal, cluster)
    if (Option.isSome(backlog)) backlogs.set(cluster, backlog.value)
  }
  return backlogs
})

const noteBackfill = (journal: Journal, cluster: ClusterName, backlog: Backlog) =>
  writeNote(
    journal,
    Effect.andThen(
      journal.names.keep(cluster),
      DurableFile.replace("note what is to be filled in", backfillPath(journal, cluster), JSON.stringify(backlog))
    )
  )

const noteReprice = (journal: Journal, fromMs: Option.Option<number>) => {
  const path = repricePath(journal)
  return writeNote(
    journal,
    Option.match(fromMs, {
      onNone: () => removeFile("forget what was to be repriced", path),
      onSome: (fromMs) => DurableFile.replace("note what is to be repriced", path, JSON.stringify({ fromMs }))
    })
  )
}

/**
 * Opens the journal in a directory, and makes it where there is none.
 *
 * **Errors** `StoreUnavailable` when the directory cannot be made.
 *
 * **Limits** one program at a time; a file a cluster and hour, of mode 0600. An entry survives a crash of the machine once
 * it was added; one that was cut is left out.
 */
export const layerFiles = (options: { readonly directory: string }): Layer.Layer<HourJournal, CostError> =>
  Layer.effect(
    HourJournal,
    Effect.gen(function* () {
      const directory = join(options.directory, DIRECTORY_NAME)
      yield* DurableFile.makeDirectory("make the directory of open hours", directory)
      return make(directory)
    })
  )
