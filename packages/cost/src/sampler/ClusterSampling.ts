/**
 * Samples one cluster: keeps its open hour, and finishes those that are over.
 *
 * @since 0.1.0
 */
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import type { ClusterCache, Member } from "@quarterdeck/cluster-fanout/ClusterCache"
import type { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { Kind } from "@quarterdeck/cluster-fanout/Kind"
import { Clock, Effect, Metric, Option, Queue, Result } from "effect"
import type { Hour } from "../hour/Hour.ts"
import { HOUR_MS, SECOND_MS, hourOf } from "../hour/Units.ts"
import { UsageError } from "../usage/UsageError.ts"
import type { Sampled } from "../usage/UsageSource.ts"
import { HeldHours } from "./HeldHours.ts"
import * as HourClosing from "./HourClosing.ts"
import type { KeptHour } from "./HourJournal.ts"
import * as VolumeSize from "../allocation/VolumeSize.ts"
import * as InventoryLists from "./InventoryLists.ts"
import * as JournalEntry from "./JournalEntry.ts"
import type { OpenHour } from "./OpenHour.ts"
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

/** Makes the sampling of one cluster; nothing runs until it is asked for. */
export const make = Effect.fnUntraced(function* (parts: Parts) {
  const { api, cache, cluster: name, journal, prices, settings, source, store, troubles } = parts
  const clock = yield* Clock.Clock
  const closing = HourClosing.make(parts)
  const proofs = yield* Queue.sliding<void>(1)
  const held = new HeldHours(name)
  /** Hours of which the journal does not have all that was noted. */
  const unkept = new Set<OpenHour>()
  /** Starts of hours whose journal begins anew: there may be one of a time when the clock was wrong. */
  const stale = new Set<number>()
  let member: Member | undefined
  let workloads: WorkloadSeries.WorkloadSeries | undefined
  let answered: { readonly atMs: number; readonly hour: Option.Option<Hour> } | undefined

  const unclosed = () => held.unclosed

  const fillFrom =
    ({ store }: Member, nowMs: number) =>
    (one: OpenHour): void => {
      const [pods, nodes] = [store.table("Pod"), store.table("Node")]
      if (pods.sync._tag === "Synced") one.pods.whole(pods.records, nowMs)
      if (nodes.sync._tag === "Synced") one.nodes.whole(nodes.records, nowMs)
    }

  /** Turns to the present hour. */
  const turn = (nowMs: number): void => {
    const before = held.present
    held.turn(nowMs, member === undefined ? undefined : fillFrom(member, nowMs))
    if (held.present === undefined || held.present === before) return
    unkept.add(held.present)
    stale.add(held.present.startMs)
  }

  /** Tells whether the store has an hour. **Shape** not when it cannot be asked: what is closed twice stays as it is. */
  const isClosed = (startMs: number): Effect.Effect<boolean> =>
    store.hours(name, { startMs, endMs: startMs + HOUR_MS }).pipe(
      Effect.map((hours) => hours.length > 0),
      Effect.catch((error) => Effect.as(troubles.failed("store", error.message), false))
    )

  const restore = Effect.fnUntraced(function* (kept: KeptHour) {
    const restored = JournalEntry.restore(name, kept.startMs, yield* journal.read(kept))
    const nowMs = yield* Clock.currentTimeMillis
    held.restore(restored, nowMs, kept.startMs < hourOf(nowMs) && (yield* isClosed(kept.startMs)))
  })

  /** Notes until when the view of the cluster is proven. */
  const prove = Effect.gen(function* () {
    if (member === undefined) return
    const { store } = member
    const nodes = store.table("Node").sync._tag
    const pods = store.table("Pod").sync._tag
    if (pods === "Missing") return yield* troubles.failed("pods", "cannot be read: nothing is charged")
    if (pods === "Pending" || nodes === "Pending") return
    yield* troubles.worked("pods")
    // Who may not read nodes has pods all the same.
    const kinds: ReadonlyArray<Kind> = nodes === "Missing" ? ["Pod"] : ["Pod", "Node"]
    if (nodes === "Missing") yield* troubles.failed("nodes", "cannot be read: their idle costs are left out")
    else yield* troubles.worked("nodes")
    const provenMs = (yield* Clock.currentTimeMillis) - (yield* store.age(kinds))
    for (const one of unclosed()) one.seen.extend(provenMs)
  })

  const observe = Effect.fnUntraced(function* ({ store }: Member) {
    const now = () => clock.currentTimeMillisUnsafe()
    const found = WorkloadSeries.make(store)
    for (const { pods } of unclosed()) pods.awaitTold()
    workloads = found
    const tell = () => {
      Queue.offerUnsafe(proofs, undefined)
    }
    yield* store.observe("Pod", {
      put: (pod) => {
        for (const { pods } of unclosed()) {
          pods.put(pod, now())
          pods.settleOne(pod.uid, found.findFollowed)
        }
      },
      gone: ({ uid }) => {
        for (const { pods } of unclosed()) {
          pods.settleOne(uid, found.findFollowed)
          pods.gone(uid, now())
        }
      },
      whole: (pods) => {
        for (const one of unclosed()) one.pods.whole(pods, now())
        tell()
      }
    })
    yield* store.observe("Node", {
      put: (node) => {
        for (const { nodes } of unclosed()) nodes.put(node, now())
      },
      gone: ({ uid }) => {
        for (const { nodes } of unclosed()) nodes.gone(uid, now())
      },
      whole: (nodes) => {
        for (const one of unclosed()) one.nodes.whole(nodes, now())
        tell()
      }
    })
  })

  const takeInventory = Effect.fnUntraced(function* (cluster: Cluster, { breaker }: Member) {
    if (breaker.refusal() !== undefined) return
    const listed = yield* Effect.result(InventoryLists.list(api, cluster))
    if (Result.isFailure(listed)) return yield* troubles.failed("volumes and load balancers", listed.failure.message)
    yield* troubles.worked("volumes and load balancers")
    for (const { message, plural } of listed.success.refused) {
      yield* troubles.failed(plural, `left out of the costs: ${message}`)
    }
    const { large } = listed.success
    yield* large > 0 ? troubles.failed("sizes of volumes", VolumeSize.told(large)) : troubles.worked("sizes of volumes")
    const nowMs = yield* Clock.currentTimeMillis
    for (const one of unclosed()) one.inventory.update(listed.success.listed, nowMs)
  })

  /** Follows a cluster by its present connection, until the scope ends. */
  const attach = Effect.fnUntraced(function* (cluster: Cluster) {
    const found = yield* cache.member(cluster)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        member = found
        turn(clock.currentTimeMillisUnsafe())
      }),
      () =>
        Effect.sync(() => {
          member = undefined
          workloads = undefined
        })
    )
    yield* observe(found)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(proofs), prove)))
    // More often than samples: two notes of a healthy cluster must never lie so far apart as those of a stale one.
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(untilNext(PROVE_SECONDS), prove)))
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(takeInventory(cluster, found), untilNext(settings.listSeconds)))
    )
  })

  const sample = Effect.fnUntraced(function* (sampled: Sampled) {
    // A gap is a gap: a cluster that is known to be dead is not asked.
    if (member === undefined || member.breaker.refusal() !== undefined) return
    const seconds = settings.sampleTimeoutSeconds
    const taken = yield* sampled.sample(name).pipe(
      Effect.timeoutOrElse({
        duration: seconds * SECOND_MS,
        orElse: () =>
          Effect.fail(new UsageError({ cluster: name, source: "usage", problem: `no answer within ${seconds} s` }))
      }),
      Effect.result
    )
    if (Result.isFailure(taken)) {
      yield* Metric.update(Metric.withAttributes(failures, { cluster: name }), 1)
      return yield* troubles.failed("usage", taken.failure.message)
    }
    yield* troubles.worked("usage")
    for (const one of unclosed()) one.addSamples(taken.success, settings.sampleSeconds * SECOND_MS)
  })

  const settle = (): void => {
    if (workloads === undefined) return
    const nowMs = clock.currentTimeMillisUnsafe()
    for (const { pods } of unclosed()) pods.settle(workloads, nowMs)
  }

  const keep = Effect.fnUntraced(function* (one: OpenHour) {
    // Closed while another was kept: its journal is gone.
    if (!unclosed().includes(one)) return
    const entries = JournalEntry.take(one, unkept.delete(one))
    const forgotten = stale.has(one.startMs) ? journal.remove(one) : Effect.void
    const kept = yield* Effect.result(Effect.andThen(forgotten, journal.append(one, entries)))
    if (Result.isSuccess(kept)) stale.delete(one.startMs)
    if (Result.isSuccess(kept)) return yield* troubles.worked("journal")
    unkept.add(one)
    yield* troubles.failed("journal", kept.failure.message)
  })

  /** Takes one sample and notes all that is new. */
  const tick = Effect.gen(function* () {
    turn(yield* Clock.currentTimeMillis)
    if (source._tag === "Sampled") yield* sample(source)
    yield* prove
    settle()
    yield* Effect.forEach(unclosed(), keep, { discard: true })
  })

  /** Finishes the hours that are over. */
  const close = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => closing(held.pending, nowMs))

  /** Gives the hour that reports end with. */
  const open = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (answered !== undefined && nowMs < answered.atMs + SAME_FOR_MS && nowMs >= answered.atMs) return answered.hour
    const shown = held.shown(nowMs)
    if (shown === undefined) return Option.none<Hour>()
    settle()
    const built = shown.isSeen ? Option.some(yield* HourClosing.priced(prices, shown.facts())) : Option.none()
    answered = { atMs: nowMs, hour: built }
    return built
  })

  return {
    restore,
    attach,
    tick,
    close,
    open,
    /** Tells whether nothing is left to do for a cluster that is not followed any more. */
    isDone: () => member === undefined && held.present === undefined && held.pending.length === 0
  }
})

/** Waits for the next instant that is a multiple of some seconds. */
export const untilNext = (seconds: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const stepMs = seconds * SECOND_MS
    return Effect.sleep(stepMs - (nowMs % stepMs))
  })
