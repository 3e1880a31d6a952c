/**
 * Keeps the cost history in a ClickHouse server: for several running programs that share it, and for large fleets.
 *
 * The rows of an hour are written under a generation that nobody counts yet. A commit to the ledger then names the
 * generations that count from now on, and those that count no more: it is one insertion, so all of it appears at once.
 * Commits are numbered and each number is given once; whoever adds the next has seen all before it. So of two programs
 * that close an hour one wins, a rewrite shows all of its hours or none, and what a crash left is seen by nobody.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, type Redacted } from "effect"
import type { CostError } from "../hour/CostError.ts"
import { CostStore } from "./CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import { RecommendationStore } from "../savings/RecommendationStore.ts"
import type { Window } from "../hour/Window.ts"
import { HistoryStore } from "./HistoryStore.ts"
import * as Client from "./clickhouse/Client.ts"
import * as Histories from "./clickhouse/Histories.ts"
import * as Pruning from "./clickhouse/Pruning.ts"
import * as CommitLog from "./clickhouse/CommitLog.ts"
import * as SeriesCache from "./clickhouse/SeriesCache.ts"
import * as Reads from "./clickhouse/Reads.ts"
import * as Recommendations from "./clickhouse/Recommendations.ts"
import * as Migrations from "./clickhouse/Migrations.ts"
import * as Writes from "./clickhouse/Writes.ts"

export { GracePeriod } from "./clickhouse/Pruning.ts"

const TIMEOUT_MS = 60_000

/** Where the history is. **Shape** `url` is like `https://user:password@host:8443/database`; the database exists. */
export interface Options {
  readonly url: Redacted.Redacted<string | URL>
  /** How long one statement may take: 60 seconds if it is not said. */
  readonly timeoutMs?: number
}

const make = Effect.fnUntraced(function* (client: Client.Client) {
  const ledger = yield* CommitLog.make(client)
  const reads = Reads.make(client, ledger, SeriesCache.make(client))
  const writes = yield* Writes.make(client, ledger)
  const forget = Pruning.make(client, ledger)

  const close = Effect.fn("CostStore.close")(function* (hour: Hour) {
    yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
    yield* writes.close(hour)
  })
  const rewrite = Effect.fn("CostStore.rewrite")((hours: ReadonlyArray<Hour>) => writes.rewrite(hours))
  const hours = Effect.fn("CostStore.hours")(function* (cluster: ClusterName, window: Window) {
    yield* Effect.annotateCurrentSpan({ cluster })
    return yield* reads.hours(cluster, window)
  })
  const sums = Effect.fn("CostStore.sums")(function* (clusters: ReadonlyArray<ClusterName>, window: Window) {
    const [found = []] = yield* reads.sumsByStep(clusters, [window.startMs, window.endMs])
    return found
  })
  const sumsByStep = Effect.fn("CostStore.sumsByStep")(
    (clusters: ReadonlyArray<ClusterName>, edges: ReadonlyArray<number>) => reads.sumsByStep(clusters, edges)
  )
  const prune = Effect.fn("CostStore.prune")((limits: { hoursBeforeMs: number; daysBeforeMs: number }) =>
    forget(limits)
  )
  return CostStore.of({ close, rewrite, hours, sums, sumsByStep, extents: reads.extents, prune })
})

/**
 * Opens the history in a database of a server, with what is recommended from it, and makes the tables where there are
 * none.
 *
 * An answer, one of `sumsByStep` too, is as of one commit.
 *
 * **Units** sums are whole to 2^63 in the server; what passes 2^53 is the nearest number that a double has. An hour
 * that has anything but whole numbers up to 2^53 is refused.
 *
 * **Errors** `StoreUnreadable` for tables of a newer program, `StoreUnavailable` where the server does not answer,
 * refuses the user or a statement; no message has the password.
 *
 * **Limits** one server, or several replicas of it that the address leads to with its tables replicated by the service
 * that runs it (`select_sequential_consistency` is set). A call ends after `timeoutMs` a statement. One write of this
 * program at a time, eight reads. Of commits that race, the loser looks again; a program that stands still while ten
 * thousand others are made, and then goes on, might be taken in twice. Hours are written in the order of calls, and are
 * not to be changed before the call has ended. Rows that no longer count stay for {@link GracePeriod}, and until the
 * next `prune`.
 */
export const layerClickHouse = ({
  timeoutMs = TIMEOUT_MS,
  url
}: Options): Layer.Layer<CostStore | HistoryStore | RecommendationStore, CostError> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const client = yield* Client.connect({ url, timeoutMs })
      yield* Migrations.migrate(client)
      const recommendations = yield* Recommendations.make(client)
      return Context.make(CostStore, yield* make(client)).pipe(
        Context.add(RecommendationStore, recommendations),
        Context.add(HistoryStore, Histories.make(client))
      )
    })
  )
