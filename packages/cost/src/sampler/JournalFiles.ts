/**
 * Keeps open hours in files of lines with checksums, which are only ever added to.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer, Option, Result, Schema, Semaphore } from "effect"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { CostError } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"
import type { Backlog } from "./Backlog.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"
import { JournalEntry } from "./JournalEntry.ts"
import * as JournalNames from "./JournalNames.ts"

/** The directory's name in the data directory. */
export const DIRECTORY_NAME = "open-hours"
const FILE = /^(@?[^@]+)@(\d{1,16})\.lines$/
const BACKFILL = /^(@?[^@]+)@backfill\.json$/
const REPRICE = "reprice.json"

const Line = Schema.fromJsonString(JournalEntry)
const decode = Schema.decodeUnknownResult(Line)
const Hours = Schema.Struct({ startMs: Schema.Int, endMs: Schema.Int })
/** **Shape** programs before this one kept the time before the first hour alone. */
const Left = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ untilMs: Schema.Int, left: Schema.Array(Hours), knownFromMs: Schema.optionalKey(Schema.Int) }),
    Hours
  ])
)
const Reprice = Schema.fromJsonString(Schema.Struct({ fromMs: Schema.Int }))

const textOf = (path: string, action: string): Effect.Effect<string, CostError> =>
  Effect.map(DurableFile.read(action, path), (text) => text ?? "")

const lineOf = (json: string): string => `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`

/** A line that a crash cut, or a disk damaged, tells nothing. */
const entryOf = (line: string): JournalEntry | undefined => {
  const json = line.slice(9)
  if (line.slice(0, 8) !== crc32(json).toString(16).padStart(8, "0")) return undefined
  return Result.getOrUndefined(decode(json))
}

const backlogOf = (left: typeof Left.Type): Backlog => ("left" in left ? left : { untilMs: left.endMs, left: [left] })

const make = (directory: string) => {
  const names = JournalNames.make(directory)
  const pathOf = ({ cluster, startMs }: KeptHour): string => join(directory, `${names.of(cluster)}@${startMs}.lines`)
  const backfillPath = (cluster: ClusterName): string => join(directory, `${names.of(cluster)}@backfill.json`)
  const restartPath = (cluster: ClusterName): string => join(directory, `${names.of(cluster)}@restart`)

  const kept = Effect.gen(function* () {
    const files = yield* DurableFile.attempt("list the open hours", () => readdir(directory))
    const hours: Array<KeptHour> = []
    for (const file of files) {
      const [, name, startMs] = FILE.exec(file) ?? []
      if (name === undefined) continue
      const cluster = yield* names.find(name)
      if (cluster !== undefined) hours.push({ cluster, startMs: Number(startMs) })
      else yield* Effect.logWarning("an open hour is of no cluster that can be told, and is left out", { file })
    }
    return hours.toSorted((a, b) => a.startMs - b.startMs)
  })

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
    yield* names.keep(hour.cluster)
    yield* DurableFile.append("keep an open hour", pathOf(hour), lines.join(""))
  })

  const noted = <A>(path: string, schema: Schema.Codec<A, string>, action: string) =>
    Effect.map(textOf(path, action), (text) => Result.getSuccess(Schema.decodeUnknownResult(schema)(text)))

  /** Two notes share a draft; one that is interrupted is still written. */
  const turn = Semaphore.makeUnsafe(1)
  const note = (write: Effect.Effect<void, CostError>): Effect.Effect<void, CostError> =>
    Effect.uninterruptible(turn.withPermit(write))

  const backfill = (cluster: ClusterName) =>
    Effect.map(noted(backfillPath(cluster), Left, "read what is to be filled in"), Option.map(backlogOf))

  const backfills = Effect.gen(function* () {
    const files = yield* DurableFile.attempt("list what is to be filled in", () => readdir(directory))
    const found = new Map<ClusterName, Backlog>()
    for (const file of files.toSorted()) {
      const [, name] = BACKFILL.exec(file) ?? []
      const cluster = name === undefined ? undefined : yield* names.find(name)
      if (cluster === undefined) continue
      const backlog = yield* backfill(cluster)
      if (Option.isSome(backlog)) found.set(cluster, backlog.value)
    }
    return found
  })

  const reprice = join(directory, REPRICE)
  return HourJournal.of({
    kept,
    read,
    append,
    remove: (hour) => DurableFile.attempt("forget an open hour", () => rm(pathOf(hour), { force: true })),
    backfill,
    backfills,
    noteBackfill: (cluster, backlog) =>
      note(
        Effect.andThen(
          names.keep(cluster),
          DurableFile.replace("note what is to be filled in", backfillPath(cluster), JSON.stringify(backlog))
        )
      ),
    isRestartAsked: (cluster) =>
      DurableFile.exists("see whether the past is to be filled in anew", restartPath(cluster)),
    askRestart: (cluster, isAsked) =>
      isAsked
        ? DurableFile.replace("ask for the past to be filled in anew", restartPath(cluster), "")
        : DurableFile.attempt("begin to fill in the past anew", () => rm(restartPath(cluster), { force: true })),
    reprice: Effect.map(
      noted(reprice, Reprice, "read what is to be repriced"),
      Option.map(({ fromMs }) => fromMs)
    ),
    noteReprice: (from) =>
      note(
        Option.match(from, {
          onNone: () => DurableFile.attempt("forget what was to be repriced", () => rm(reprice, { force: true })),
          onSome: (fromMs) => DurableFile.replace("note what is to be repriced", reprice, JSON.stringify({ fromMs }))
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
