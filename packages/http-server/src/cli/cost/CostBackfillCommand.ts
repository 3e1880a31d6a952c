/**
 * `quarterdeck cost backfill`: what is open of the past of clusters whose usage Prometheus remembers.
 */
import type { BackfillState } from "@quarterdeck/cost"
import type { CostError } from "@quarterdeck/cost/CostError"
import { HourJournal } from "@quarterdeck/cost/sampler/HourJournal"
import { Effect, FileSystem, Option, Path } from "effect"
import { Command, Flag } from "effect/cli"
import * as SystemRefusal from "../../settings/SystemRefusal.ts"
import { failed } from "../print/CommandFailure.ts"
import * as CostHistory from "./CostHistory.ts"
import * as ListFlags from "../list/ListFlags.ts"
import type * as Output from "../print/Output.ts"
import { outputFlag } from "../print/OutputFlag.ts"
import * as Print from "../print/Print.ts"

interface Row {
  readonly cluster: string
  readonly missingHours: number
  readonly olderHours: number
  readonly from: string
  readonly to: string
}

const instant = (ms: number | undefined): string => (ms === undefined ? "" : new Date(ms).toISOString())

const rowOf = (cluster: string, { missingHours, olderHours, window }: ReturnType<typeof BackfillState.openOf>): Row => {
  return { cluster, missingHours, olderHours, from: instant(window?.startMs), to: instant(window?.endMs) }
}

const csv: ReadonlyArray<Output.Column<Row>> = [
  { title: "cluster", cell: ({ cluster }) => cluster },
  { title: "missingHours", cell: ({ missingHours }) => String(missingHours) },
  { title: "olderHours", cell: ({ olderHours }) => String(olderHours) },
  { title: "from", cell: ({ from }) => from },
  { title: "to", cell: ({ to }) => to }
]
const TITLES = ["CLUSTER", "MISSING", "OLDER", "FROM", "TO"]
const columns = { table: csv.map((column, place) => ({ ...column, title: TITLES[place] ?? "" })), csv }

export const costBackfillCommand = Command.make(
  "backfill",
  {
    data: CostHistory.dataFlag,
    clusters: ListFlags.several("clusters", "Clusters, joined by a comma; all that are filled in when left out"),
    restart: Flag.Boolean("restart").pipe(
      Flag.withDescription("Fill in all hours that the history lacks, whatever was noted of them"),
      Flag.withDefault(false)
    ),
    output: outputFlag
  },
  Effect.fn("cost backfill")(function* ({ clusters, data, output, restart }) {
    const directory = yield* CostHistory.directoryOf(data)
    const { BackfillState, JournalFiles } = yield* CostHistory.wholePackage
    yield* found(directory, JournalFiles.DIRECTORY_NAME)
    const failure = (error: CostError) => failed(`${directory}: ${error.message}`)
    const work = Effect.gen(function* () {
      const journal = yield* HourJournal
      const noted = [...(yield* Effect.mapError(journal.backfills, failure))]
      const names = noted.map(([cluster]) => cluster)
      const asked = Option.getOrElse(clusters, (): ReadonlyArray<string> => names)
      const unknown = asked.filter((name) => !names.some((cluster) => cluster === name))
      if (unknown.length > 0) {
        return yield* failed(
          `nothing is filled in of ${unknown.join(", ")}; there is: ${names.join(", ") || "no cluster whose usage Prometheus has"}`
        )
      }
      const chosen = noted.filter(([cluster]) => asked.includes(cluster))
      if (!restart) {
        const rows = chosen.map(([cluster, backlog]) => rowOf(cluster, BackfillState.openOf(backlog)))
        return yield* Print.rows(output, columns, rows, { clusters: rows })
      }
      yield* Effect.forEach(chosen, ([cluster]) => Effect.mapError(journal.askRestart(cluster, true), failure), {
        discard: true
      })
      yield* Print.note(
        chosen.length === 0
          ? "nothing to start over: no cluster's usage comes from Prometheus"
          : `starts over with ${chosen.map(([cluster]) => cluster).join(", ")}: a running server within a minute, a stopped one at its next start`
      )
    })
    yield* Effect.scoped(Effect.provide(work, JournalFiles.layerFiles({ directory }))).pipe(
      Effect.catchTag("CostError", (error) => Effect.fail(failure(error)))
    )
  })
).pipe(
  Command.withDescription(
    "Say what is open of the past of each cluster whose usage comes from Prometheus: MISSING hours lie since the first one that it knows, or are all while it knows none; OLDER ones lie before. Hours are open until kube-state-metrics knew the nodes of them, and are asked for again by themselves. With --restart all hours that the history lacks are asked for anew, also those that an earlier version took for done. The server may run."
  ),
  Command.withShortDescription("Say which hours of the past are not filled in, and start over (local)"),
  Command.withExamples([
    { command: "quarterdeck cost backfill --data /var/lib/quarterdeck" },
    { command: "quarterdeck cost backfill --clusters prod --restart", description: "Once its label is right" }
  ])
)

/** Looks for the directory, so that none is made where there was none. */
const found = Effect.fnUntraced(function* (directory: string, name: string) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  yield* files
    .access(join(directory, name), { readable: true, writable: true })
    .pipe(
      Effect.mapError(({ reason }) =>
        failed(
          reason._tag === "NotFound"
            ? `no server has kept costs in ${directory}: name its data directory by --data`
            : `cannot use ${join(directory, name)}: ${SystemRefusal.print(reason)}`
        )
      )
    )
})
