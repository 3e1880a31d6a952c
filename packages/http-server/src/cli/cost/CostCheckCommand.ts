/**
 * `quarterdeck cost check` and `cost repair`: find and repair damage of a cost history in SQLite.
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
const REPAIRED = both([...csv, { title: "counts", cell: ({ counts = "" }) => counts }])

/** Prints findings, but no empty table. After a repair, `counts` names the hour or day that has the dropped costs. */
const print = (output: Output.Format, { findings, ...counts }: Checked, columns = FOUND) => {
  const rows = findings.map((finding) => ({
    cluster: finding.cluster,
    what: finding.what,
    start: startOf(finding),
    problem: finding.problem,
    ...(finding.counts === undefined ? {} : { counts: finding.counts })
  }))
  if (output === "table" && findings.length === 0) return Effect.void
  return Print.rows(output, columns, findings, { ...counts, findings: rows })
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
      return yield* failed(
        `${length} damaged of ${counted(checked)}; quarterdeck cost repair drops them and keeps the rest`
      )
    }
    yield* Print.note(`${counted(checked)} checked, nothing is damaged`)
  })
).pipe(
  Command.withDescription(
    "Check the whole cost history in a data directory: each hour and day against its checksum, each day against its hours. The server must be stopped; while one runs, the command fails with its process id. Exit status 0 without damage, 1 with damage. ClickHouse checks its own data."
  ),
  Command.withShortDescription("Check the cost history for damage (local)"),
  Command.withExamples([
    { command: "quarterdeck cost check --data /var/lib/quarterdeck" },
    { command: "quarterdeck cost check -o json", description: "JSON for a program; the exit status shows success" }
  ])
)

export const costRepairCommand = Command.make(
  "repair",
  {
    ...flags,
    copy: Flag.Boolean("copy").pipe(
      Flag.withDescription("Copy the file before it is changed; --no-copy if the disk has no room"),
      Flag.withDefault(true)
    )
  },
  Effect.fn("cost repair")(function* ({ copy, data, output }) {
    const { directory, file } = yield* CostHistory.find(data)
    yield* CostHistory.alone(directory)(repair({ copy, directory, file, output }))
  })
).pipe(
  Command.withDescription(
    "Drop damaged hours and days of the cost history in a data directory, and keep the rest. The costs of a dropped hour move to the next intact hour of its day. The last hours of a day count only in the total of the day, which reports include and exports do not. Prints what was dropped and where it counts. The server must be stopped; while one runs, the command fails with its process id."
  ),
  Command.withShortDescription("Repair the cost history, and print what was lost (local)"),
  Command.withExamples([
    { command: "quarterdeck cost repair --data /var/lib/quarterdeck" },
    { command: "quarterdeck cost repair --no-copy", description: "Without a copy of the damaged file" }
  ])
)

/** Drops damaged hours and days, and prints them. The caller holds the lock of the directory. */
const repair = Effect.fnUntraced(function* (flags: {
  readonly copy: boolean
  readonly directory: string
  readonly file: string
  readonly output: Output.Format
}) {
  const { copy, directory, file, output } = flags
  const sqlite = yield* CostHistory.sqlite
  const failure = CostHistory.failure(file)
  const damaged = yield* sqlite.check({ directory }).pipe(Effect.mapError(failure))
  if (damaged.findings.length === 0) {
    yield* print(output, damaged)
    return yield* Print.note(`${counted(damaged)} checked, nothing is damaged and nothing was changed`)
  }
  if (copy) yield* Print.note(`copied the damaged file to ${yield* copied(file)}`)
  const repaired = yield* sqlite.repair({ directory }).pipe(Effect.mapError(failure))
  yield* print(output, repaired, REPAIRED)
  const left = yield* sqlite.check({ directory }).pipe(Effect.mapError(failure))
  if (left.findings.length > 0) {
    return yield* failed(`${file}: ${left.findings.length} cannot be repaired: restore a backup`)
  }
  yield* Print.note(`repaired (${repaired.findings.length}); all other hours and days are unchanged`)
})

/** Copies the file. No process has it open, so its write-ahead log is empty. */
const copied = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const stamp = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const copy = `${file}.damaged-${stamp}`
  yield* files
    .copyFile(file, copy)
    .pipe(Effect.mapError(({ reason }) => failed(`cannot write ${copy}: ${SystemRefusal.print(reason)}`)))
  return copy
})
