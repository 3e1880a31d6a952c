/**
 * Reads the facts of past hours from metrics.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Option, Record, Stream } from "effect"
import type { HourFacts } from "../../allocation/HourFacts.ts"
import { HOUR_MS, hourOf } from "../../hour/Units.ts"
import { UsageError, until as failedUntil } from "../UsageError.ts"
import type { Window } from "../../hour/Window.ts"
import type { Client } from "./Client.ts"
import type * as GpuNames from "./GpuNames.ts"
import * as MinuteMask from "./MinuteMask.ts"
import * as NodeRoom from "./NodeRoom.ts"
import * as NodesOfHour from "./NodesOfHour.ts"
import * as Queries from "./HistoricalQueries.ts"
import * as PodLines from "./PodLines.ts"
import * as PodsOfHour from "./PodsOfHour.ts"
import type { Matcher } from "./Promql.ts"
import * as StorageOfHour from "./StorageOfHour.ts"
import * as VolumeSize from "../../allocation/VolumeSize.ts"
import * as UsageOfHour from "./UsageOfHour.ts"

/** Number of hours for which one query determines whether the server knows them. */
const PROBED_HOURS = 168
const LANES = 4

/**
 * Streams the hours of a window of which the server knows the nodes, oldest first.
 *
 * **Shape** whole, ended hours. An hour without a known node is skipped: it is a gap, not an hour without costs. The server may
 * have started later or lost data, kube-state-metrics may not be scraped, or the cluster label may be wrong. An unreadable hour
 * is emitted as an error, and the next hours still follow. A week whose known hours cannot be determined is one error too.
 *
 * **Limits** reads one hour at a time, on demand: about thirty queries per hour, four at a time, and one query per week.
 */
export const hours = (
  client: Client,
  place: ReadonlyArray<Matcher>,
  cluster: ClusterName,
  { endMs, startMs }: Window,
  accelerators: GpuNames.AcceleratorNames
): Stream.Stream<HourFacts | UsageError, UsageError> =>
  Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const lastMs = hourOf(Math.min(endMs, nowMs))
      let mostLarge = 0
      /** Warns about oversized volumes once, not for every hour. */
      const warnTooLarge = (large: number) => {
        if (large <= mostLarge) return Effect.void
        mostLarge = large
        return Effect.logWarning(`cost of cluster ${cluster}: sizes of volumes: ${VolumeSize.printTooLarge(large)}`)
      }
      return Stream.paginate(startMs, (fromMs) =>
        Effect.map(knownOrWhy(client, place, cluster, fromMs, lastMs), (found) => {
          const nextMs = fromMs + PROBED_HOURS * HOUR_MS
          return [found, nextMs < lastMs ? Option.some(nextMs) : Option.none<number>()] as const
        })
      ).pipe(
        Stream.mapEffect((hourMs) =>
          hourMs instanceof UsageError
            ? Effect.succeed(hourMs)
            : facts(client, place, cluster, hourMs, accelerators).pipe(
                Effect.tap(({ large }) => warnTooLarge(large)),
                Effect.map(({ found }) => found),
                Effect.catch((error) => Effect.succeed(failedUntil(error, hourMs + HOUR_MS)))
              )
        ),
        Stream.filter((hour) => hour instanceof UsageError || (hour.nodes.length > 0 && hour.seen.length > 0))
      )
    })
  )

/** Returns the known hours of one week, or the error of the query for them. */
const knownOrWhy = (
  client: Client,
  place: ReadonlyArray<Matcher>,
  cluster: ClusterName,
  fromMs: number,
  lastMs: number
): Effect.Effect<ReadonlyArray<number | UsageError>> =>
  known(client, place, cluster, fromMs, lastMs).pipe(
    Effect.catch((error) => Effect.succeed([failedUntil(error, Math.min(fromMs + PROBED_HOURS * HOUR_MS, lastMs))]))
  )

/** Returns the starts of the hours of one week with any known node. */
const known = Effect.fnUntraced(function* (
  client: Client,
  place: ReadonlyArray<Matcher>,
  cluster: ClusterName,
  fromMs: number,
  lastMs: number
) {
  const toMs = Math.min(fromMs + PROBED_HOURS * HOUR_MS, lastMs)
  if (fromMs >= toMs) return []
  const steps = { startMs: fromMs + HOUR_MS, endMs: toMs, stepMs: HOUR_MS }
  const [line] = yield* client.range(cluster, Queries.coverage(place), steps)
  return (line?.points ?? []).filter(({ value }) => value > 0).map(({ atMs }) => atMs - HOUR_MS)
})

const facts = Effect.fn("Prometheus.past")(function* (
  client: Client,
  place: ReadonlyArray<Matcher>,
  cluster: ClusterName,
  hourMs: number,
  accelerators: GpuNames.AcceleratorNames
) {
  yield* Effect.annotateCurrentSpan({ cluster, startMs: hourMs })
  const usage = yield* UsageOfHour.read(client, place, cluster, hourMs)
  const minutes = yield* askAll(Queries.minutes(place, accelerators), (promql) =>
    client.range(cluster, promql, MinuteMask.sliceEnds(hourMs))
  )
  const atEnd = (promql: string) => client.instant(cluster, promql, hourMs + HOUR_MS)
  const objects = yield* askAll(Queries.objects(place), (promql) =>
    Effect.map(atEnd(promql), (lines) => lines.filter(({ points }) => (points[0]?.value ?? 0) * 1_000 > hourMs))
  )
  const instants = yield* askAll(Queries.instants(place, accelerators), atEnd)
  const fittingRequests = instants.refusedRequests.length === 0 ? [] : yield* atEnd(Queries.fittingRequests(place))
  const answers = { ...minutes, ...objects, ...instants, fittingRequests, accelerators }

  const raw = MinuteMask.none()
  for (const { points } of answers.seen) MinuteMask.addBits(raw, hourMs, points)
  const wasSeen = (at: number): boolean => raw[at] === 1
  const pods = PodLines.pods(answers.pods, answers.podsWithoutUid, hourMs, wasSeen)
  const { large, volumes } = StorageOfHour.volumes(answers, hourMs, wasSeen)
  const nodes = NodesOfHour.read(answers, hourMs, wasSeen)
  const found: HourFacts = {
    cluster,
    startMs: hourMs,
    seen: MinuteMask.within(hourMs, MinuteMask.spans(MinuteMask.closed(raw), hourMs)),
    nodes,
    pods: NodeRoom.bounded(PodsOfHour.read(pods, answers, usage, hourMs, wasSeen), nodes),
    volumes,
    loadBalancers: StorageOfHour.loadBalancers(answers, pods, hourMs, wasSeen)
  }
  return { found, large }
})

const askAll = <K extends string, A, E>(
  questions: Readonly<Record<K, string>>,
  ask: (promql: string) => Effect.Effect<A, E>
) => Effect.all(Record.map(questions, ask), { concurrency: LANES })
