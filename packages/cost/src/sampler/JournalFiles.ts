/**
 * Stores open hours in append-only files of checksummed lines.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer, Option, Result, Schema, Semaphore } from "effect"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { CostError } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"
import type { Backlog } from "./Backlog.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"
import { type JournalEntry, parseLine, printLine } from "./JournalEntry.ts"
import * as JournalNames from "./JournalNames.ts"

/** Name of the directory in the data directory. */
export const DIRECTORY_NAME = "open-hours"
const HOUR_FILE = /^(@?[^@]+)@(\d{1,16})\.lines$/
const DRAFT_FILE = /@\d{1,16}\.new$/
const BACKFILL_FILE = /^(@?[^@]+)@backfill\.json$/
const REPRICE_FILE = "reprice.json"

const Hours = Schema.Struct({ startMs: Schema.Int, endMs: Schema.Int })
/**
 * Record of the past hours that are still to back-fill. Older releases wrote the second form: only the window before
 * the first closed hour.
 */
const BackfillNote = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ untilMs: Schema.Int, left: Schema.Array(Hours), knownFromMs: Schema.optionalKey(Schema.Int) }),
    Hours
  ])
)
const RepriceNote = Schema.fromJsonString(Schema.Struct({ fromMs: Schema.Int }))

/**
 * A journal in a directory. **Shape** `turn` is a lock: records are written one at a time, because two writes would use
 * the same draft file.
 */
interface Journal {
  readonly directory: string
  readonly files: DurableFile.Writer
  readonly names: JournalNames.JournalNames
  readonly turn: Semaphore.Semaphore
}

const make = (directory: string, files: DurableFile.Writer) => {
  const names = JournalNames.make(directory, files)
  const journal: Journal = { directory, files, names, turn: Semaphore.makeUnsafe(1) }
  return HourJournal.of({
    kept: listHours(journal),
    read: (hour) => read(journal, hour),
    append: (hour, entries) => append(journal, hour, entries),
    replace: (hour, entries) => replace(journal, hour, entries),
    remove: (hour) =>
      Effect.andThen(
        removeFile("forget an open hour", hourPath(journal, hour)),
        removeFile("forget an open hour", draftPath(journal, hour))
      ),
    backfill: (cluster) => readBackfill(journal, cluster),
    backfills: listBackfills(journal),
    noteBackfill: (cluster, backlog) => noteBackfill(journal, cluster, backlog),
    isRestartAsked: (cluster) =>
      DurableFile.exists("check whether a back-fill restart is requested", restartPath(journal, cluster)),
    askRestart: (cluster, isAsked) =>
      isAsked
        ? files.replace("request a back-fill restart", restartPath(journal, cluster), [])
        : removeFile("clear the request for a back-fill restart", restartPath(journal, cluster)),
    reprice: Effect.map(
      readNote(repricePath(journal), RepriceNote, "read which hours to reprice"),
      Option.map(({ fromMs }) => fromMs)
    ),
    noteReprice: (fromMs) => noteReprice(journal, fromMs)
  })
}

const hourPath = ({ directory, names }: Journal, { cluster, startMs }: KeptHour): string =>
  join(directory, `${names.of(cluster)}@${startMs}.lines`)

/** Path of a draft. It is shorter than the path of the hour, because a file name has at most 255 bytes. */
const draftPath = ({ directory, names }: Journal, { cluster, startMs }: KeptHour): string =>
  join(directory, `${names.of(cluster)}@${startMs}.new`)

const backfillPath = ({ directory, names }: Journal, cluster: ClusterName): string =>
  join(directory, `${names.of(cluster)}@backfill.json`)

const restartPath = ({ directory, names }: Journal, cluster: ClusterName): string =>
  join(directory, `${names.of(cluster)}@restart`)

const repricePath = ({ directory }: Journal): string => join(directory, REPRICE_FILE)

const textOf = (path: string, action: string): Effect.Effect<string, CostError> =>
  Effect.map(DurableFile.read(action, path), (text) => text ?? "")

const removeFile = (action: string, path: string): Effect.Effect<void, CostError> =>
  DurableFile.attempt(action, () => rm(path, { force: true }))

/** Removes drafts of hours that a crash left. */
const removeDrafts = (directory: string): Effect.Effect<void, CostError> =>
  DurableFile.attempt("remove unfinished open hours", async () => {
    const drafts = (await readdir(directory)).filter((file) => DRAFT_FILE.test(file))
    await Promise.all(drafts.map((file) => rm(join(directory, file), { force: true })))
  })

const listHours = Effect.fnUntraced(function* ({ directory, names }: Journal) {
  const files = yield* DurableFile.attempt("list the open hours", () => readdir(directory))
  const hours: Array<KeptHour> = []
  for (const file of files) {
    const [, name, startMs] = HOUR_FILE.exec(file) ?? []
    if (name === undefined) continue
    const cluster = yield* names.find(name)
    if (cluster !== undefined) hours.push({ cluster, startMs: Number(startMs) })
    else yield* Effect.logWarning("skipped an open hour whose cluster name cannot be determined", { file })
  }
  return hours.toSorted((a, b) => a.startMs - b.startMs)
})

const read = Effect.fn("HourJournal.read")(function* (journal: Journal, hour: KeptHour) {
  yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
  const text = yield* textOf(hourPath(journal, hour), "read an open hour")
  const lines = text.split("\n").filter((line) => line !== "")
  const entries: Array<JournalEntry> = []
  for (const line of lines) {
    const entry = parseLine(line)
    if (entry !== undefined) entries.push(entry)
    yield* Effect.yieldNow
  }
  if (entries.length < lines.length) {
    yield* Effect.logWarning("skipped damaged lines of an open hour", {
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
  yield* journal.files.append("save an open hour", hourPath(journal, hour), piecesOf(entries))
})

const replace = Effect.fn("HourJournal.replace")(function* (
  journal: Journal,
  hour: KeptHour,
  entries: Iterable<JournalEntry>
) {
  yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
  yield* journal.names.keep(hour.cluster)
  yield* journal.files.replace(
    "save an open hour",
    hourPath(journal, hour),
    piecesOf(entries),
    draftPath(journal, hour)
  )
})

/** Length of one write: short enough to save memory, long enough for few writes. **Units** characters. */
const PIECE_LENGTH = 65_536

/** Formats entries in pieces. */
function* piecesOf(entries: Iterable<JournalEntry>): Generator<string> {
  // A line cut by a crash has no line break, so every append starts with one.
  let piece = "\n"
  for (const entry of entries) {
    piece += printLine(entry)
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ""
  }
  yield piece
}

const readNote = <A>(path: string, schema: Schema.Codec<A, string>, action: string) =>
  Effect.map(textOf(path, action), (text) => Result.getSuccess(Schema.decodeUnknownResult(schema)(text)))

/** Writes a record. Not interruptible; one record is written at a time. */
const writeNote = ({ turn }: Journal, write: Effect.Effect<void, CostError>): Effect.Effect<void, CostError> =>
  Effect.uninterruptible(turn.withPermit(write))

const backlogOf = (note: typeof BackfillNote.Type): Backlog =>
  "left" in note ? note : { untilMs: note.endMs, left: [note] }

const readBackfill = (journal: Journal, cluster: ClusterName) =>
  Effect.map(
    readNote(backfillPath(journal, cluster), BackfillNote, "read which hours to back-fill"),
    Option.map(backlogOf)
  )

const listBackfills = Effect.fnUntraced(function* (journal: Journal) {
  const files = yield* DurableFile.attempt("list which hours to back-fill", () => readdir(journal.directory))
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
      journal.files.replace("save which hours to back-fill", backfillPath(journal, cluster), [JSON.stringify(backlog)])
    )
  )

const noteReprice = (journal: Journal, fromMs: Option.Option<number>) => {
  const path = repricePath(journal)
  return writeNote(
    journal,
    Option.match(fromMs, {
      onNone: () => removeFile("clear which hours to reprice", path),
      onSome: (fromMs) => journal.files.replace("save which hours to reprice", path, [JSON.stringify({ fromMs })])
    })
  )
}

/**
 * Opens the journal in a directory, which is created if missing.
 *
 * **Errors** `StoreUnavailable` if the directory cannot be created.
 *
 * **Limits** one process at a time; one file of mode 0600 per cluster and hour. An appended entry survives a crash of the
 * machine. An entry cut by a crash is skipped.
 */
export const layerFiles = (options: { readonly directory: string }): Layer.Layer<HourJournal, CostError> =>
  Layer.effect(
    HourJournal,
    Effect.gen(function* () {
      const directory = join(options.directory, DIRECTORY_NAME)
      yield* DurableFile.makeDirectory("create the directory of open hours", directory)
      yield* removeDrafts(directory)
      return make(directory, yield* DurableFile.writer)
    })
  )
