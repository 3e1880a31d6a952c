/**
 * Reads hours that are over with all that is known of them.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Option, Record, Stream } from "effect"
import type { HourFacts } from "../../allocation/HourFacts.ts"
import { HOUR_MS, hourOf } from "../../hour/Units.ts"
import { UsageError, until as failedUntil } from "../UsageError.ts"
import type { Window } from "../../hour/Window.ts"
import type { Client } from "./Client.ts"
import type * as GpuNames from "./GpuNames.ts"
import * as Minutes from "./Minutes.ts"
import * as NodeRoom from "./NodeRoom.ts"
import * as NodesOfHour from "./NodesOfHour.ts"
import * as Questions from "./PastQuestions.ts"
import * as PodLines from "./PodLines.ts"
import * as PodsOfHour from "./PodsOfHour.ts"
import type { Matcher } from "./Promql.ts"
import * as StorageOfHour from "./StorageOfHour.ts"
import * as VolumeSize from "../../allocation/VolumeSize.ts"
import * as UsageOfHour from "./UsageOfHour.ts"

/** Hours whose existence is asked for at once. */
const PROBED_HOURS = 168
const LANES = 4

/**
 * Gives the hours of a window of which the server knows the nodes, oldest first.
 *
 * **Shape** whole hours that are over. An hour of which no node is known is not there: the server began later or has been
 * cleared, kube-state-metrics was not scraped, the cluster's label is another. It is a gap, not an hour without costs. One
 * that could not be read is there as the reason, and the next one comes all the same; so is a week of which nobody can say
 * which hours are known.
 *
 * **Limits** one hour at a time, when the one before has been taken; about thirty questions each, four at a time, and one
 * for each week to find them.
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
      /** Says once, not with every hour, that volumes are too large. */
      const tell = (large: number) => {
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
                Effect.tap(({ large }) => tell(large)),
                Effect.map(({ found }) => found),
                Effect.catch((error) => Effect.succeed(failedUntil(error, hourMs + HOUR_MS)))
              )
        ),
        Stream.filter((one) => one instanceof UsageError || (one.nodes.length > 0 && one.seen.length > 0))
      )
    })
  )

/** Gives the hours of one week that are known, or the one reason why nobody can say. */
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

/** Gives the starts of the hours of one week of which any node is known. */
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
  const [line] = yield* client.range(cluster, Questions.coverage(place), steps)
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
  const minutes = yield* askAll(Questions.minutes(place, accelerators), (promql) =>
    client.range(cluster, promql, Minutes.sliceEnds(hourMs))
  )
  const atEnd = (promql: string) => client.instant(cluster, promql, hourMs + HOUR_MS)
  const objects = yield* askAll(Questions.objects(place), (promql) =>
    Effect.map(atEnd(promql), (lines) => lines.filter(({ points }) => (points[0]?.value ?? 0) * 1_000 > hourMs))
  )
  const instants = yield* askAll(Questions.instants(place, accelerators), atEnd)
  const fittingRequests = instants.refusedRequests.length === 0 ? [] : yield* atEnd(Questions.fittingRequests(place))
  const answers = { ...minutes, ...objects, ...instants, fittingRequests, accelerators }

  const raw = Minutes.none()
  for (const { points } of answers.seen) Minutes.addBits(raw, hourMs, points)
  const wasSeen = (at: number): boolean => raw[at] === 1
  const pods = PodLines.pods(answers.pods, answers.podsWithoutUid, hourMs, wasSeen)
  const { large, volumes } = StorageOfHour.volumes(answers, hourMs, wasSeen)
  const nodes = NodesOfHour.read(answers, hourMs, wasSeen)
  const found: HourFacts = {
    cluster,
    startMs: hourMs,
    seen: Minutes.within(hourMs, Minutes.spans(Minutes.closed(raw), hourMs)),
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
