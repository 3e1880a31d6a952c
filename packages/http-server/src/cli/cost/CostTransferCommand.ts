/**
 * `quarterdeck cost export` and `cost import`: copy closed hours between histories through a file.
 */
import type { LostHours, Window } from "@quarterdeck/cost"
import { CostHistories } from "@quarterdeck/cost/CostHistories"
import { CostStore } from "@quarterdeck/cost/CostStore"
import * as Range from "@quarterdeck/cost/Range"
import { Clock, Effect, FileSystem, Option, Stdio, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as SystemRefusal from "../../settings/SystemRefusal.ts"
import { failed, misused } from "../print/CommandFailure.ts"
import * as CostFlags from "./CostFlags.ts"
import * as CostHistory from "./CostHistory.ts"
import * as CostProgress from "./CostProgress.ts"
import * as CostText from "./CostText.ts"
import * as Input from "../request/Input.ts"
import * as ListFlags from "../list/ListFlags.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"

/** A practically unlimited retention for `Range.parse`, which requires one. The store has already applied its own. */
const NO_LIMITS = { retentionDays: 36_500 }
const EVERYTHING: Window.Window = { startMs: 0, endMs: 8_640_000_000_000_000 }

export const costExportCommand = Command.make(
  "export",
  {
    ...CostHistory.storeFlags,
    clusters: ListFlags.several("clusters", "Clusters, joined by commas; default: all in the history"),
    ...CostFlags.windowOf("default: the whole history")
  },
  Effect.fn("cost export")(function* ({ clusters, costUrl, data, ...flags }) {
    const window = yield* windowOf(flags)
    const { CostExport } = yield* CostHistory.wholePackage
    const place = yield* CostHistory.existing({ costUrl, data })
    const work = Effect.gen(function* () {
      const store = yield* CostStore
      const extents = yield* Effect.mapError(store.extents, CostHistory.failure(place.name))
      const { keyOf, nameOf } = yield* CostHistories
      const stored = extents.map(({ cluster }) => nameOf(cluster))
      const requested = Option.getOrElse(clusters, (): ReadonlyArray<string> => stored)
      const unknown = requested.filter((name) => !stored.some((cluster) => cluster === name))
      if (unknown.length > 0) {
        return yield* failed(`no costs of ${unknown.join(", ")}; the history has: ${stored.join(", ") || "no cluster"}`)
      }
      const chosen = stored.filter((cluster) => requested.includes(cluster))
      const progress = yield* CostProgress.make
      let hours = 0
      let size = 0
      const lost: Array<LostHours.LostHours> = []
      const onLost = (hours: LostHours.LostHours) => Effect.sync(() => void lost.push(hours))
      const file = CostExport.toCsv(chosen.map(keyOf), window, { nameOf, onLost }).pipe(
        Stream.tap((text) => {
          hours += text.match(HOUR)?.length ?? 0
          size += text.length
          return progress.show(() => `${hours} hours, ${PlainText.bytes(size)}`)
        }),
        Stream.mapError(CostHistory.failure(place.name))
      )
      yield* Effect.ensuring(Print.parts(file), progress.clear)
      yield* Print.note(`exported ${hours} hours of ${chosen.length === 1 ? "1 cluster" : `${chosen.length} clusters`}`)
      yield* Effect.forEach(lost, (hours) => Print.note(lostNote(hours)), { discard: true })
    })
    yield* place.use(work)
  })
).pipe(
  Command.withDescription(
    "Write closed hours as CSV to standard output. An import restores the same hours; later price changes apply to them alike. Checksums detect a changed or truncated file. For a history in SQLite, stop its server or export a backup. The file has no prices, no hours that are stored only by day (cost.hourlyDays), and no hours that cost repair left only in the total of a day; the command warns about the latter."
  ),
  Command.withShortDescription("Export the hours of a history to a file (local)"),
  Command.withExamples([
    { command: "quarterdeck cost export --data /var/lib/quarterdeck > hours.csv" },
    {
      command: "quarterdeck cost export --clusters prod,stage --from 2026-03-01 --to 2026-04-01 | gzip > march.csv.gz"
    },
    {
      command: "quarterdeck cost export --data ./data | QUARTERDECK_COST_URL=https://… quarterdeck cost import -",
      description: "From SQLite to ClickHouse"
    }
  ])
)

/**
 * Warns about damaged hours that are not in the export.
 *
 * **Example** `warning: cluster prod: 1 h of 2026-10-26 is not exported: …`
 */
const lostNote = ({ cluster, seconds, startMs }: LostHours.LostHours): string => {
  const day = new Date(startMs).toISOString().slice(0, 10)
  const span = CostText.span(seconds / 3_600)
  return `warning: cluster ${cluster}: ${span} of ${day} is not exported: those hours were damaged, and count only in the total of the day`
}

/** Matches the first record of each hour. */
const HOUR = /^hour,/gm

/** Reads the window to export; without flags the whole history. */
const windowOf = Effect.fnUntraced(function* (flags: CostFlags.Window) {
  const query = Object.fromEntries(yield* CostFlags.queryOf(flags))
  if (Object.keys(query).length === 0) return EVERYTHING
  const limits = { ...NO_LIMITS, nowMs: yield* Clock.currentTimeMillis }
  const range = Effect.fromResult(Range.parse(query, limits))
  return Range.hoursOf(yield* Effect.mapError(range, ({ message }) => misused(`--${message}`)))
})

export const costImportCommand = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("File that cost export wrote; - for standard input")),
    ...CostHistory.storeFlags,
    replace: Flag.Boolean("replace").pipe(
      Flag.withDescription("Replace hours that the history already has; by default they stay unchanged"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("cost import")(function* ({ costUrl, data, file, replace }) {
    const { CostExport } = yield* CostHistory.wholePackage
    const place = yield* CostHistory.wanted({ costUrl, data })
    const bytes = yield* bytesOf(file)
    const source = Input.nameOf(file)
    const work = Effect.gen(function* () {
      const { adopt } = yield* CostHistories
      const progress = yield* CostProgress.make
      let size = 0
      const text = bytes.stream.pipe(
        Stream.tap((part) => {
          size += part.length
          return progress.show(() => `${PlainText.bytes(size)} of ${bytes.size}`)
        }),
        textOf(source)
      )
      const imported = yield* CostExport.fromCsv(text, { adopt, closed: replace ? "replace" : "skip" }).pipe(
        Effect.catchTags({
          ImportRefused: ({ message }) =>
            Effect.fail(
              failed(`${source}: ${message}; earlier hours were imported: correct the file and import it again`)
            ),
          CostError: (error) => Effect.fail(CostHistory.failure(place.name)(error))
        }),
        Effect.ensuring(progress.clear)
      )
      const { forgotten, skipped, written } = imported
      yield* Print.note(
        [
          `imported ${written} hours`,
          ...(skipped > 0 ? [`skipped ${skipped} that exist (--replace replaces them)`] : []),
          ...(forgotten > 0 ? [`could not import ${forgotten}, whose days are stored only as totals`] : [])
        ].join(", ")
      )
    })
    yield* place.use(work)
  })
).pipe(
  Command.withDescription(
    "Import hours from a file that cost export wrote into a history in SQLite or ClickHouse. Stop the server before an import into SQLite. If the history does not exist, the command creates it. Each hour is imported whole or not at all. If the file is truncated or changed, or lacks hours, the import stops and reports the line number; hours before that line remain imported."
  ),
  Command.withShortDescription("Import hours from a file into a history (local)"),
  Command.withExamples([
    { command: "quarterdeck cost import hours.csv --data /var/lib/quarterdeck" },
    { command: "gunzip -c march.csv.gz | quarterdeck cost import - --replace" }
  ])
)

/** Opens the file, before the history is opened. **Shape** `size` is a text for the progress line. */
const bytesOf = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const stdio = yield* Stdio.Stdio
  if (path === "-") return { stream: Stream.mapError(stdio.stdin, unreadable(path)), size: "standard input" }
  const { size, type } = yield* Effect.mapError(files.stat(path), unreadable(path))
  if (type === "Directory") return yield* failed(`cannot read ${path}: it is a directory`)
  return { stream: Stream.mapError(files.stream(path), unreadable(path)), size: PlainText.bytes(Number(size)) }
})

const unreadable =
  (path: string) =>
  ({ reason }: { readonly reason: Parameters<typeof SystemRefusal.print>[0] }) =>
    failed(`cannot read ${Input.nameOf(path)}: ${SystemRefusal.print(reason)}`)

/** Decodes UTF-8 and fails for invalid bytes, which would change names. */
const textOf =
  (source: string) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const decode = (part?: Uint8Array) =>
      Effect.try({
        try: () => (part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })),
        catch: () => failed(`${source} is not text in UTF-8`)
      })
    return Stream.concat(
      Stream.mapEffect(bytes, (part) => decode(part)),
      Stream.fromEffect(Effect.suspend(() => decode()))
    )
  }
