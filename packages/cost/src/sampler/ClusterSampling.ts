/**
 * Samples one cluster: keeps its open hour, and closes those that are over.
 */
import { Kind, TurnBudget } from "@quarterdeck/cluster-fanout"
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import type { ClusterCache, Member } from "@quarterdeck/cluster-fanout/ClusterCache"
import type { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import { Clock, Effect, Metric, Option, Queue, Result, Semaphore } from "effect"
import type { Hour } from "../hour/Hour.ts"
import { HOUR_MS, SECOND_MS, hourOf } from "../hour/Units.ts"
import type { Sampled } from "../usage/UsageSource.ts"
import * as FoldedWorkloads from "../allocation/FoldedWorkloads.ts"
import { ClusterHours } from "./ClusterHours.ts"
import * as HourClosing from "./HourClosing.ts"
import type { KeptHour } from "./HourJournal.ts"
import * as VolumeSize from "../allocation/VolumeSize.ts"
import * as InventoryLists from "./InventoryLists.ts"
import * as JournalEntry from "./JournalEntry.ts"
import type { OpenHour } from "./OpenHour.ts"
import { PodIntake } from "./PodIntake.ts"
import * as WorkloadSeries from "./WorkloadSeries.ts"

export interface Parts extends HourClosing.Parts {
  readonly cache: ClusterCache["Service"]
  readonly api: KubeApi["Service"]
}

const failures = Metric.counter("quarterdeck_cost_sample_failures_total", {
  description: "Times that the usage of a cluster could not be sampled",
  incremental: true
})

/** An answer is given again for so long. **Units** milliseconds. */
const SAME_FOR_MS = 1_000

const PROVE_SECONDS = 15

/** How far the sampling of one cluster is. */
interface Sampling extends Parts {
  readonly clock: Clock.Clock
  readonly proofs: Queue.Queue<void>
  /** Who notes what is new. */
  readonly turn: Semaphore.Semaphore
  readonly hours: ClusterHours
  /** Hours of which the journal does not have all that was noted. */
  readonly unkept: Set<OpenHour>
  /** Starts of hours whose journal begins anew: there may be one of a time when the clock was wrong. */
  readonly stale: Set<number>
  member: Member | undefined
  workloads: WorkloadSeries.WorkloadSeries | undefined
  /** Until all pods that the present connection told of are in, nothing more is proven. */
  intake: PodIntake | undefined
  answered: { readonly atMs: number; readonly hour: Option.Option<Hour> } | undefined
}

/** Makes the sampling of one cluster; nothing runs until it is asked for. */
export const make = Effect.fnUntraced(function* (parts: Parts) {
  const hours = new ClusterHours(parts.cluster)
  const sampling: Sampling = {
    ...parts,
    hours,
    clock: yield* Clock.Clock,
    proofs: yield* Queue.sliding<void>(1),
    turn: yield* Semaphore.make(1),
    unkept: new Set(),
    stale: new Set(),
    member: undefined,
    workloads: undefined,
    intake: undefined,
    answered: undefined
  }
  const closing = HourClosing.make(parts, hours)
  return {
    restore: (kept: KeptHour) => restore(sampling, kept),
    attach: (cluster: Cluster) => attach(sampling, cluster),
    tick: tick(sampling),
    /** Closes the hours that are over. */
    close: Effect.flatMap(Clock.currentTimeMillis, closing),
    open: open(sampling),
    /** Returns until when the hours that are not closed were seen. */
    seenToMs: (): number | undefined => seenTo(hours),
    /** Tells whether nothing is left to do for a cluster that is not followed any more. */
    isDone: () => sampling.member === undefined && hours.present === undefined && hours.pending.length === 0
  }
})

const seenTo = ({ unclosed }: ClusterHours): number | undefined =>
  unclosed
    .flatMap(({ endMs, seen, startMs }) => seen.within({ fromMs: startMs, toMs: endMs }).map(({ toMs }) => toMs))
    .at(-1)

const fillFrom =
  ({ store }: Member, nowMs: number) =>
  (hour: OpenHour): void => {
    const [pods, nodes] = [store.table("Pod"), store.table("Node")]
    if (pods.sync._tag === "Synced") hour.pods.whole(pods.records, nowMs)
    if (nodes.sync._tag === "Synced") hour.nodes.whole(nodes.records, nowMs)
  }

/** Turns to the present hour. */
const turn = ({ hours, member, stale, unkept }: Sampling, nowMs: number): void => {
  const before = hours.present
  hours.turn(nowMs, member === undefined ? undefined : fillFrom(member, nowMs))
  if (hours.present === undefined || hours.present === before) return
  unkept.add(hours.present)
  stale.add(hours.present.startMs)
}

/** Tells whether the store has an hour; no when it cannot be asked: what is closed twice stays as it is. */
const isClosed = ({ cluster, store, failureLog }: Sampling, startMs: number): Effect.Effect<boolean> =>
  store.hours(cluster, { startMs, endMs: startMs + HOUR_MS }).pipe(
    Effect.map((hours) => hours.length > 0),
    Effect.catch((error) => Effect.as(failureLog.failed("store", error.message), false))
  )

const restore = Effect.fnUntraced(function* (sampling: Sampling, kept: KeptHour) {
  const { cluster, hours, journal } = sampling
  const restored = JournalEntry.restore(cluster, kept.startMs, yield* journal.read(kept))
  const nowMs = yield* Clock.currentTimeMillis
  hours.restore(restored, nowMs, kept.startMs < hourOf(nowMs) && (yield* isClosed(sampling, kept.startMs)))
})

/** Takes in all pods that were told of, within the budget of turns that all clusters share. */
const takeIn = Effect.fnUntraced(function* ({ intake }: Sampling) {
  if (intake === undefined || intake.isDone) return
  const turns = yield* TurnBudget.TurnBudget
  yield* turns.repeat(() => {
    intake.step()
    return !intake.isDone
  })
})

/** Notes until when the view of the cluster is proven. */
const prove = Effect.fnUntraced(function* (sampling: Sampling) {
  const { failureLog, hours, member } = sampling
  if (member === undefined) return
  yield* takeIn(sampling)
  const { store } = member
  const nodes = store.table("Node").sync._tag
  const pods = store.table("Pod").sync._tag
  if (pods === "Missing") return yield* failureLog.failed("pods", "cannot be read: nothing is charged")
  if (pods === "Pending" || nodes === "Pending") return
  yield* failureLog.worked("pods")
  // Who may not read nodes has pods all the same.
  const kinds: ReadonlyArray<Kind.Kind> = nodes === "Missing" ? ["Pod"] : ["Pod", "Node"]
  if (nodes === "Missing") yield* failureLog.failed("nodes", "cannot be read: their idle costs are left out")
  else yield* failureLog.worked("nodes")
  const provenMs = (yield* Clock.currentTimeMillis) - (yield* store.age(kinds))
  // What was told anew since is proven by whoever takes it in.
  if (sampling.intake?.isDone === false) return
  for (const { seen } of hours.unclosed) seen.extend(provenMs)
})

const observe = Effect.fnUntraced(function* (sampling: Sampling, { store }: Member) {
  const { clock, hours, proofs } = sampling
  const now = () => clock.currentTimeMillisUnsafe()
  const workloads = WorkloadSeries.make(store)
  for (const { pods } of hours.unclosed) pods.awaitTold()
  sampling.workloads = workloads
  const wake = () => {
    Queue.offerUnsafe(proofs, undefined)
  }
  const intake = new PodIntake({
    hours: () => hours.unclosed,
    now,
    settle: (pods, uid) => pods.settleOne(uid, workloads.findFollowed)
  })
  sampling.intake = intake
  yield* store.observe("Pod", {
    put: (pod, held) => intake.put(pod, held),
    gone: (pod) => intake.gone(pod),
    whole: (pods) => {
      intake.whole(pods)
      wake()
    }
  })
  yield* store.observe("Node", {
    put: (node) => {
      for (const { nodes } of hours.unclosed) nodes.put(node, now())
    },
    gone: ({ uid }) => {
      for (const { nodes } of hours.unclosed) nodes.gone(uid, now())
    },
    whole: (nodes) => {
      for (const hour of hours.unclosed) hour.nodes.whole(nodes, now())
      wake()
    }
  })
})

const takeInventory = Effect.fnUntraced(function* (
  { api, hours, failureLog }: Sampling,
  cluster: Cluster,
  { breaker }: Member
) {
  if (breaker.refusal() !== undefined) return
  const listed = yield* Effect.result(InventoryLists.list(api, cluster))
  if (Result.isFailure(listed)) return yield* failureLog.failed("volumes and load balancers", listed.failure.message)
  yield* failureLog.worked("volumes and load balancers")
  for (const { message, plural } of listed.success.refused) {
    yield* failureLog.failed(plural, `left out of the costs: ${message}`)
  }
  const { large } = listed.success
  yield* large > 0
    ? failureLog.failed("sizes of volumes", VolumeSize.printTooLarge(large))
    : failureLog.worked("sizes of volumes")
  const nowMs = yield* Clock.currentTimeMillis
  for (const { inventory } of hours.unclosed) inventory.update(listed.success.listed, nowMs)
})

/** Follows a cluster by its present connection, until the scope ends. */
const attach = Effect.fnUntraced(function* (sampling: Sampling, cluster: Cluster) {
  const { cache, clock, proofs, settings } = sampling
  const member = yield* cache.member(cluster)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      sampling.member = member
      turn(sampling, clock.currentTimeMillisUnsafe())
    }),
    () =>
      // What was seen since the last sample is known to this program alone.
      Effect.ensuring(
        Effect.andThen(prove(sampling), note(sampling)),
        Effect.sync(() => {
          sampling.member = undefined
          sampling.workloads = undefined
          sampling.intake = undefined
        })
      )
  )
  yield* observe(sampling, member)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(proofs), prove(sampling))))
  // More often than samples: two notes of a healthy cluster must never lie so far apart as those of a stale one.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(untilNext(PROVE_SECONDS), prove(sampling))))
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(takeInventory(sampling, cluster, member), untilNext(settings.listSeconds)))
  )
})

const sample = Effect.fnUntraced(function* (sampling: Sampling, source: Sampled) {
  const { cluster, hours, member, settings, failureLog } = sampling
  // A gap is a gap: a cluster that is known to be dead is not asked.
  if (member === undefined || member.breaker.refusal() !== undefined) return
  const seconds = settings.sampleTimeoutSeconds
  const samples = yield* source.sample(cluster).pipe(
    Effect.mapError(({ explanation }) => explanation),
    Effect.timeoutOrElse({
      duration: seconds * SECOND_MS,
      orElse: () => Effect.fail(`no answer within ${seconds} s`)
    }),
    Effect.result
  )
  if (Result.isFailure(samples)) {
    yield* Metric.update(Metric.withAttributes(failures, { cluster }), 1)
    return yield* failureLog.failed("usage", samples.failure)
  }
  yield* failureLog.worked("usage")
  for (const hour of hours.unclosed) hour.addSamples(samples.success, settings.sampleSeconds * SECOND_MS)
})

const settle = ({ clock, hours, workloads }: Sampling): void => {
  if (workloads === undefined) return
  const nowMs = clock.currentTimeMillisUnsafe()
  for (const { pods } of hours.unclosed) pods.settle(workloads, nowMs)
}

const keep = Effect.fnUntraced(function* ({ hours, journal, stale, failureLog, unkept }: Sampling, hour: OpenHour) {
  // Closed while another was kept: its journal is gone.
  if (!hours.unclosed.includes(hour)) return
  const entries = JournalEntry.take(hour, unkept.delete(hour))
  const removed = stale.has(hour.startMs) ? journal.remove(hour) : Effect.void
  const appended = yield* Effect.result(Effect.andThen(removed, journal.append(hour, entries)))
  if (Result.isSuccess(appended)) {
    stale.delete(hour.startMs)
    return yield* failureLog.worked("journal")
  }
  unkept.add(hour)
  yield* failureLog.failed("journal", appended.failure.message)
})

/** Notes all that is new. One at a time: the entries of a journal stand in their order. */
const note = (sampling: Sampling): Effect.Effect<void> =>
  Effect.suspend(() => {
    settle(sampling)
    return Effect.forEach(sampling.hours.unclosed, (hour) => keep(sampling, hour), { discard: true })
  }).pipe((run) => sampling.turn.withPermit(run))

/** Takes one sample and notes all that is new. */
const tick = Effect.fnUntraced(function* (sampling: Sampling) {
  const { source } = sampling
  turn(sampling, yield* Clock.currentTimeMillis)
  if (source._tag === "Sampled") yield* sample(sampling, source)
  yield* prove(sampling)
  yield* note(sampling)
})

/** Gives the hour that reports end with. */
const open = Effect.fnUntraced(function* (sampling: Sampling) {
  const { answered, hours, prices, settings } = sampling
  const nowMs = yield* Clock.currentTimeMillis
  if (answered !== undefined && nowMs < answered.atMs + SAME_FOR_MS && nowMs >= answered.atMs) return answered.hour
  const shown = hours.shown(nowMs)
  if (shown === undefined) return Option.none<Hour>()
  settle(sampling)
  const facts = () => FoldedWorkloads.fold(shown.facts(), settings.foldedPrefixes)
  const built = shown.isSeen ? Option.some(yield* HourClosing.priced(prices, facts())) : Option.none()
  sampling.answered = { atMs: nowMs, hour: built }
  return built
})

/** Waits for the next instant that is a multiple of some seconds. */
export const untilNext = (seconds: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const stepMs = seconds * SECOND_MS
    return Effect.sleep(stepMs - (nowMs % stepMs))
  })
