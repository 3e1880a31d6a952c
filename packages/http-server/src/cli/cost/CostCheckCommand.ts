/**
 * `quarterdeck cost check` and `cost repair`: damage in the history of costs that a server keeps in SQLite.
 */
import type { Checked, Finding } from "@quarterdeck/cost/store/Sqlite"
import { Clock, Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import * as SystemRefusal from "../../settings/SystemRefusal.ts"
import { failed } from "../print/CommandFailure.ts"
import * as CostHistory from "./CostHistory.ts"
import type * as Output from "../print/Output.ts"
import { outputFlag } from "../print/OutputFlag.ts"
import * as Print from "../print/Print.ts"

const flags = { data: CostHistory.dataFlag, output: outputFlag }

const startOf = ({ startMs, what }: Finding): string =>
  what === "hour" || what === "day" ? new Date(startMs).toISOString() : ""

const csv: ReadonlyArray<Output.Column<Finding>> = [
  { title: "cluster", cell: ({ cluster }) => cluster },
  { title: "what", cell: ({ what }) => what },
  { title: "start", cell: startOf },
  { title: "problem", cell: ({ problem }) => problem }
]
const both = (columns: ReadonlyArray<Output.Column<Finding>>) => ({
  table: columns.map((column) => ({ ...column, title: column.title.toUpperCase() })),
  csv: columns
})
const FOUND = both(csv)
const MENDED = both([...csv, { title: "counts", cell: ({ counts = "" }) => counts }])

/** Prints findings, and once they are mended where each counts. **Shape** in a table only where there are any. */
const print = (output: Output.Format, { findings, ...counts }: Checked, columns = FOUND) => {
  const told = findings.map((finding) => ({
    cluster: finding.cluster,
    what: finding.what,
    start: startOf(finding),
    problem: finding.problem,
    ...(finding.counts === undefined ? {} : { counts: finding.counts })
  }))
  if (output === "table" && findings.length === 0) return Effect.void
  return Print.rows(output, columns, findings, { ...counts, findings: told })
}

const counted = ({ days, hours }: Checked): string => `${hours} hours and ${days} days`

export const costCheckCommand = Command.make(
  "check",
  flags,
  Effect.fn("cost check")(function* ({ data, output }) {
    const { directory, file } = yield* CostHistory.find(data)
    const sqlite = yield* CostHistory.sqlite
    const checked = yield* sqlite
      .check({ directory })
      .pipe(Effect.mapError(CostHistory.failure(file)), CostHistory.alone(directory))
    yield* print(output, checked)
    const { length } = checked.findings
    if (length > 0) {
      return yield* failed(`${length} damaged in ${counted(checked)}; quarterdeck cost repair keeps the rest whole`)
    }
    yield* Print.note(`${counted(checked)} checked, nothing is damaged`)
  })
).pipe(
  Command.withDescription(
    "Read the whole history of costs in a data directory and say what is damaged: each hour and day against its checksum, each day against its hours. The server must be stopped: while one runs there, this says so with its process id and does nothing. Exit status 0 when nothing is damaged, 1 when something is. A history in ClickHouse is that server's to check."
  ),
  Command.withShortDescription("Look for damage in the history of costs (local)"),
  Command.withExamples([
    { command: "quarterdeck cost check --data /var/lib/quarterdeck" },
    { command: "quarterdeck cost check -o json", description: "For a program; the exit status says it too" }
  ])
)

export const costRepairCommand = Command.make(
  "repair",
  {
    ...flags,
    copy: Flag.Boolean("copy").pipe(
      Flag.withDescription("Copy the file before it is changed; --no-copy where there is no room"),
      Flag.withDefault(true)
    )
  },
  Effect.fn("cost repair")(function* ({ copy, data, output }) {
    const { directory, file } = yield* CostHistory.find(data)
    yield* CostHistory.alone(directory)(repair({ copy, directory, file, output }))
  })
).pipe(
  Command.withDescription(
    "Drop what is damaged of the history of costs in a data directory, keep the rest whole, and say what was lost and where it counts now: an hour in the next one of its day that is left, the last hours of a day in the total of the day alone, which reports have and an export has not. The server must be stopped: while one runs there, this says so with its process id and does nothing."
  ),
  Command.withShortDescription("Mend the history of costs, and say what was lost (local)"),
  Command.withExamples([
    { command: "quarterdeck cost repair --data /var/lib/quarterdeck" },
    { command: "quarterdeck cost repair --no-copy", description: "Without a copy of the damaged file" }
  ])
)

/** Drops what is damaged and says so. **Shape** nobody else has the directory. */
const repair = Effect.fnUntraced(function* (given: {
  readonly copy: boolean
  readonly directory: string
  readonly file: string
  readonly output: Output.Format
}) {
  const { copy, directory, file, output } = given
  const sqlite = yield* CostHistory.sqlite
  const failure = CostHistory.failure(file)
  const damaged = yield* sqlite.check({ directory }).pipe(Effect.mapError(failure))
  if (damaged.findings.length === 0) {
    yield* print(output, damaged)
    return yield* Print.note(`${counted(damaged)} checked, nothing is damaged and nothing was changed`)
  }
  if (copy) yield* Print.note(`the damaged file is kept as ${yield* copied(file)}`)
  const repaired = yield* sqlite.repair({ directory }).pipe(Effect.mapError(failure))
  yield* print(output, repaired, MENDED)
  const left = yield* sqlite.check({ directory }).pipe(Effect.mapError(failure))
  if (left.findings.length > 0) {
    return yield* failed(`${file}: ${left.findings.length} cannot be mended: restore a backup`)
  }
  yield* Print.note(`mended (${repaired.findings.length}); all other hours and days are as they were`)
})

/** Copies the file. **Shape** nobody has it open, so its log was written into it. */
const copied = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const stamp = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const copy = `${file}.damaged-${stamp}`
  yield* files
    .copyFile(file, copy)
    .pipe(Effect.mapError(({ reason }) => failed(`cannot write ${copy}: ${SystemRefusal.print(reason)}`)))
  return copy
})
