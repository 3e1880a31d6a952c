/**
 * `quarterdeck cost backfill`: lists hours that are not backfilled from Prometheus, and restarts the backfill.
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
    clusters: ListFlags.several("clusters", "Clusters, joined by commas; default: all with a backfill"),
    restart: Flag.Boolean("restart").pipe(
      Flag.withDescription("Backfill all missing hours again, whatever earlier attempts found"),
      Flag.withDefault(false)
    ),
    output: outputFlag
  },
  Effect.fn("cost backfill")(function* ({ clusters, data, output, restart }) {
    const directory = yield* CostHistory.directoryOf(data)
    const { BackfillState, JournalFiles } = yield* CostHistory.wholePackage
    yield* requireDirectory(directory, JournalFiles.DIRECTORY_NAME)
    const failure = (error: CostError) => failed(`${directory}: ${error.message}`)
    const work = Effect.gen(function* () {
      const journal = yield* HourJournal
      const noted = [...(yield* Effect.mapError(journal.backfills, failure))]
      const names = noted.map(([cluster]) => cluster)
      const requested = Option.getOrElse(clusters, (): ReadonlyArray<string> => names)
      const unknown = requested.filter((name) => !names.some((cluster) => cluster === name))
      if (unknown.length > 0) {
        return yield* failed(
          `no backfill of ${unknown.join(", ")}; clusters with a backfill: ${names.join(", ") || "none"}`
        )
      }
      const chosen = noted.filter(([cluster]) => requested.includes(cluster))
      if (!restart) {
        const rows = chosen.map(([cluster, backlog]) => rowOf(cluster, BackfillState.openOf(backlog)))
        return yield* Print.rows(output, columns, rows, { clusters: rows })
      }
      yield* Effect.forEach(chosen, ([cluster]) => Effect.mapError(journal.askRestart(cluster, true), failure), {
        discard: true
      })
      yield* Print.note(
        chosen.length === 0
          ? "nothing to restart: no cluster has usage from Prometheus"
          : `backfill of ${chosen.map(([cluster]) => cluster).join(", ")} restarts within a minute if the server runs, else at its next start`
      )
    })
    yield* Effect.scoped(Effect.provide(work, JournalFiles.layerFiles({ directory }))).pipe(
      Effect.catchTag("CostError", (error) => Effect.fail(failure(error)))
    )
  })
).pipe(
  Command.withDescription(
    "List how many hours of each cluster with usage from Prometheus are not backfilled yet. MISSING hours are after the first hour that Prometheus has, or all hours if Prometheus has none. OLDER hours are before that first hour. The server retries an hour until kube-state-metrics has the nodes of that hour. With --restart, all missing hours are queried again, also those that an earlier version considered done. The server may be running."
  ),
  Command.withShortDescription("List hours that are not backfilled, and restart the backfill (local)"),
  Command.withExamples([
    { command: "quarterdeck cost backfill --data /var/lib/quarterdeck" },
    { command: "quarterdeck cost backfill --clusters prod --restart", description: "After its label was corrected" }
  ])
)

/** Fails if the directory does not exist, so that opening it does not create it. */
const requireDirectory = Effect.fnUntraced(function* (directory: string, name: string) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  yield* files
    .access(join(directory, name), { readable: true, writable: true })
    .pipe(
      Effect.mapError(({ reason }) =>
        failed(
          reason._tag === "NotFound"
            ? `no costs in ${directory}: name the server's data directory with --data`
            : `cannot use ${join(directory, name)}: ${SystemRefusal.print(reason)}`
        )
      )
    )
})
