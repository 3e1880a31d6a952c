/**
 * Samples one cluster: keeps its open hour, and closes ended hours.
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
  description: "Failed attempts to sample a cluster's usage",
  incremental: true
})

/** Time for which the priced open hour is cached. **Units** milliseconds. */
const CACHED_MS = 1_000

const PROVE_SECONDS = 15

/** The state of one cluster's sampling. */
interface Sampling extends Parts {
  readonly clock: Clock.Clock
  readonly proofs: Queue.Queue<void>
  /** Lock for writing to the journal. */
  readonly turn: Semaphore.Semaphore
  readonly hours: ClusterHours
  /**
   * Hours whose journal the next write must replace. Either a write failed, or the hour is new and its journal may date from a
   * time when the clock was wrong.
   */
  readonly unsaved: WeakSet<OpenHour>
  member: Member | undefined
  workloads: WorkloadSeries.WorkloadSeries | undefined
  /** Applies pod lists. While one is being applied, the observed time is not extended. */
  intake: PodIntake | undefined
  answered: { readonly atMs: number; readonly hour: Option.Option<Hour> } | undefined
}

/** Creates the sampling of one cluster. Nothing runs until its functions are called. */
export const make = Effect.fnUntraced(function* (parts: Parts) {
  const hours = new ClusterHours(parts.cluster)
  const sampling: Sampling = {
    ...parts,
    hours,
    clock: yield* Clock.Clock,
    proofs: yield* Queue.sliding<void>(1),
    turn: yield* Semaphore.make(1),
    unsaved: new WeakSet(),
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
    close: Effect.flatMap(Clock.currentTimeMillis, closing),
    open: open(sampling),
    /** Returns the end of the observed time of the hours that are not closed. */
    seenToMs: (): number | undefined => seenTo(hours),
    /** Returns true if a cluster that is no longer observed has no hour left to close. */
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

/** Switches to the hour that contains `nowMs`. */
const turn = ({ hours, member, unsaved }: Sampling, nowMs: number): void => {
  const before = hours.present
  hours.turn(nowMs, member === undefined ? undefined : fillFrom(member, nowMs))
  if (hours.present !== undefined && hours.present !== before) unsaved.add(hours.present)
}

/** Returns true if the store has an hour. Returns false if the store fails, because closing an hour twice is harmless. */
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

/** Applies the rest of a pod list, within the `TurnBudget` that all clusters share. */
const applyRest = Effect.fnUntraced(function* ({ intake }: Sampling) {
  if (intake === undefined || intake.isDone) return
  const turns = yield* TurnBudget.TurnBudget
  yield* turns.repeat(() => {
    intake.step()
    return !intake.isDone
  })
})

/** Extends the observed time to the last instant at which the cluster's view was known to be current. */
const prove = Effect.fnUntraced(function* (sampling: Sampling) {
  const { failureLog, hours, member } = sampling
  if (member === undefined) return
  yield* applyRest(sampling)
  const { store } = member
  const nodes = store.table("Node").sync._tag
  const pods = store.table("Pod").sync._tag
  if (pods === "Missing") return yield* failureLog.failed("pods", "cannot be read, so nothing is charged")
  if (pods === "Pending" || nodes === "Pending") return
  yield* failureLog.worked("pods")
  // Without permission to read nodes, pods are still charged.
  const kinds: ReadonlyArray<Kind.Kind> = nodes === "Missing" ? ["Pod"] : ["Pod", "Node"]
  if (nodes === "Missing") yield* failureLog.failed("nodes", "cannot be read, so idle costs are missing")
  else yield* failureLog.worked("nodes")
  const provenMs = (yield* Clock.currentTimeMillis) - (yield* store.age(kinds))
  // If a list arrived meanwhile, the observed time is extended only once the list is applied.
  if (sampling.intake?.isDone === false) return
  for (const { seen } of hours.unclosed) seen.extend(provenMs)
})

const observe = Effect.fnUntraced(function* (sampling: Sampling, { store }: Member) {
  const { clock, hours, proofs } = sampling
  const now = () => clock.currentTimeMillisUnsafe()
  const workloads = WorkloadSeries.make(store)
  for (const { pods } of hours.unclosed) pods.awaitReports()
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
    put: (pod, previous) => intake.put(pod, previous),
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
    yield* failureLog.failed(plural, `cannot be listed, so their costs are missing: ${message}`)
  }
  const { large } = listed.success
  yield* large > 0
    ? failureLog.failed("sizes of volumes", VolumeSize.printTooLarge(large))
    : failureLog.worked("sizes of volumes")
  const nowMs = yield* Clock.currentTimeMillis
  for (const { inventory } of hours.unclosed) inventory.update(listed.success.listed, nowMs)
})

/** Observes a cluster through its present connection until the scope closes. */
const attach = Effect.fnUntraced(function* (sampling: Sampling, cluster: Cluster) {
  const { cache, clock, proofs, settings } = sampling
  const member = yield* cache.member(cluster)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      sampling.member = member
      turn(sampling, clock.currentTimeMillisUnsafe())
    }),
    () =>
      // Save what was observed since the last sample.
      Effect.ensuring(
        Effect.andThen(prove(sampling), saveAll(sampling)),
        Effect.sync(() => {
          sampling.member = undefined
          sampling.workloads = undefined
          sampling.intake = undefined
        })
      )
  )
  yield* observe(sampling, member)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(proofs), prove(sampling))))
  // Runs more often than sampling, so that the time between proofs of a healthy cluster stays below `TOLERANCE_MS`.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(untilNext(PROVE_SECONDS), prove(sampling))))
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(takeInventory(sampling, cluster, member), untilNext(settings.listSeconds)))
  )
})

const sample = Effect.fnUntraced(function* (sampling: Sampling, source: Sampled) {
  const { cluster, hours, member, settings, failureLog } = sampling
  // A cluster with an open circuit breaker is not queried, so its usage stays unknown.
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

const save = Effect.fnUntraced(function* ({ hours, journal, failureLog, unsaved }: Sampling, hour: OpenHour) {
  // The hour was closed while another hour was written, so its journal is already removed.
  if (!hours.unclosed.includes(hour)) return
  const isWhole = unsaved.delete(hour)
  const entries = JournalEntry.take(hour, isWhole)
  // A restore adds up all samples of a journal, so a sample must not be appended twice.
  const written = yield* Effect.result(isWhole ? journal.replace(hour, entries) : journal.append(hour, entries))
  if (Result.isSuccess(written)) return yield* failureLog.worked("journal")
  unsaved.add(hour)
  yield* failureLog.failed("journal", written.failure.message)
})

/** Writes all changes to the journal. One write at a time, because the order of entries matters. */
const saveAll = (sampling: Sampling): Effect.Effect<void> =>
  Effect.suspend(() => {
    settle(sampling)
    return Effect.forEach(sampling.hours.unclosed, (hour) => save(sampling, hour), { discard: true })
  }).pipe((run) => sampling.turn.withPermit(run))

/** Takes one sample and writes all changes to the journal. */
const tick = Effect.fnUntraced(function* (sampling: Sampling) {
  const { source } = sampling
  turn(sampling, yield* Clock.currentTimeMillis)
  if (source._tag === "Sampled") yield* sample(sampling, source)
  yield* prove(sampling)
  yield* saveAll(sampling)
})

/** Returns the open hour for reports. */
const open = Effect.fnUntraced(function* (sampling: Sampling) {
  const { answered, hours, prices, settings } = sampling
  const nowMs = yield* Clock.currentTimeMillis
  if (answered !== undefined && nowMs < answered.atMs + CACHED_MS && nowMs >= answered.atMs) return answered.hour
  const shown = hours.shown(nowMs)
  if (shown === undefined) return Option.none<Hour>()
  settle(sampling)
  const facts = () => FoldedWorkloads.fold(shown.facts(), settings.foldedPrefixes)
  const built = shown.isSeen ? Option.some(yield* HourClosing.priced(prices, facts())) : Option.none()
  sampling.answered = { atMs: nowMs, hour: built }
  return built
})

/** Sleeps until the clock reaches the next multiple of `seconds`. */
export const untilNext = (seconds: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const stepMs = seconds * SECOND_MS
    return Effect.sleep(stepMs - (nowMs % stepMs))
  })
