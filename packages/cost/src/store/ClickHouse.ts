/**
 * ClickHouse adapter of the cost history: for several processes that share it, and for large fleets.
 *
 * The rows of an hour are written under a new generation, which no query counts yet. A commit to the ledger then names the
 * generations that count from now on. A commit is one insertion, so all of it appears at once. Commits are numbered, and each
 * number is used once: the writer of the next commit has read all earlier ones. If two processes close an hour, one wins. A
 * rewrite shows all of its hours or none. Rows that a crash left without a commit are never read.
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

/** Address of the history. **Shape** `url` is like `https://user:password@host:8443/database`. The database must exist. */
export interface Options {
  readonly url: Redacted.Redacted<string | URL>
  /** Time limit of one statement. **Units** milliseconds, 60,000 by default. */
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
 * Opens the history and its recommendations in a database. Creates the tables if they are missing.
 *
 * Every answer is a snapshot as of one commit. The steps of one `sumsByStep` call share a snapshot.
 *
 * **Units** Sums are exact up to 2^63 in the server. A sum beyond 2^53 is returned as the nearest double. An hour whose values
 * are not whole numbers, or are 2^63 or more, is refused.
 *
 * **Errors** `StoreUnreadable` for tables of a newer program. `StoreUnavailable` if the server does not answer, or refuses the
 * user or a statement. No message contains the password.
 *
 * **Limits** One server, or replicas of it whose operator replicates the tables (`select_sequential_consistency` is set). Each
 * statement times out after `timeoutMs`. A process sends one write and up to eight reads at a time. If commits race, the loser
 * reads the ledger again and retries. A process that pauses while 10,000 other commits are made may commit twice. Hours are
 * written in the order of the calls; do not change an hour before its call ends. Rows that no longer count stay for {@link
 * GracePeriod}, then until the next `prune`.
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
