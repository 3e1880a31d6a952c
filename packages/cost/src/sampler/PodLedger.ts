/**
 * The pods of one hour, also those that are gone: what they asked for, and when their containers ran.
 *
 * @since 0.1.0
 */
import { runsOf, type ContainerRun } from "@quarterdeck/cluster-fanout/PodContainers"
import { isFinished, type PodRecord } from "@quarterdeck/cluster-fanout/PodProjection"
import type { ContainerFacts, PodFacts, Span, UsageSlices } from "../HourFacts.ts"
import type { Series } from "../Series.ts"
import { HOUR_MS } from "../Units.ts"
import * as WorkloadSeries from "./WorkloadSeries.ts"

/** As much of a pod as an hour is computed from. */
export type LedgerPod = WorkloadSeries.Owned & Pick<PodRecord, "node" | "claims" | "containers">

/**
 * A pod of the hour.
 *
 * **Shape** `number` is that of its first container; the others follow. `sampledAtMs` has the newest sample of each
 * container. `workload` is missing until it was found.
 */
export interface LedgerEntry {
  pod: LedgerPod
  readonly number: number
  runs: Array<ContainerRun>
  isGone: boolean
  workload: Series | undefined
  readonly sampledAtMs: Array<number>
}

/** A container that keeps on restarting is charged without the pauses beyond so many runs of its pod in an hour. */
const MAX_RUNS = 256

export class PodLedger {
  readonly #startMs: number
  readonly #entries = new Map<string, LedgerEntry>()
  /** By namespace and name, the pod that had them last. */
  readonly #named = new Map<string, LedgerEntry>()
  readonly #changed = new Set<LedgerEntry>()
  #numbers = 0

  constructor(startMs: number) {
    this.#startMs = startMs
  }

  get entries(): ReadonlyMap<string, LedgerEntry> {
    return this.#entries
  }

  find(namespace: string, name: string): LedgerEntry | undefined {
    return this.#named.get(`${namespace}/${name}`)
  }

  /** Takes a pod as it was told. **Shape** one that did not run in this hour yet is left out. */
  put(pod: PodRecord, atMs: number): void {
    const told = runsOf(pod)
    const held = this.#entries.get(pod.uid)
    // The collector of lost pods ends them without telling when their containers ended: the kubelet cannot say.
    const runs = isFinished(pod) ? told.map((run) => ended(run, held, atMs)).filter(isKnown) : told
    if (held === undefined) {
      const inHour = runs.filter((run) => this.#touches(run))
      if (inHour.length > 0) this.#add({ pod, runs: inHour, isGone: false, workload: undefined })
      return
    }
    const news = runs.filter((run) => this.#touches(run) || held.runs.some((one) => isSame(one, run)))
    const joined = merged(held.runs, news, atMs)
    const isUnchanged = !held.isGone && isSamePod(held.pod, pod) && isSameRuns(held.runs, joined)
    held.pod = pod
    held.isGone = false
    held.runs = joined
    if (!isUnchanged) this.#changed.add(held)
  }

  /** Ends a pod that is not there any more, at an instant unless its containers had ended before. */
  gone(uid: string, atMs: number): void {
    const held = this.#entries.get(uid)
    if (held === undefined || held.isGone) return
    held.isGone = true
    held.runs = merged(held.runs, [], atMs)
    this.#changed.add(held)
  }

  /** Takes all pods that are there; others are gone. */
  whole(pods: ReadonlyMap<string, PodRecord>, atMs: number): void {
    for (const pod of pods.values()) this.put(pod, atMs)
    for (const uid of this.#entries.keys()) if (!pods.has(uid)) this.gone(uid, atMs)
  }

  /** Finds the workloads of pods anew, but keeps what is not known any more. */
  settle(workloads: WorkloadSeries.WorkloadSeries): void {
    for (const entry of this.#entries.values()) {
      if (entry.isGone && entry.workload !== undefined) continue
      const found = workloads.find(entry.pod)
      if (found === undefined || found === entry.workload) continue
      // A bare pod's is a new object each time.
      if (entry.workload?.uid === found.uid && entry.workload.labels === found.labels) continue
      entry.workload = found
      this.#changed.add(entry)
    }
  }

  /** Finds the workload of a pod that has none yet. */
  settleOne(uid: string, find: (pod: LedgerPod) => Series | undefined): void {
    const entry = this.#entries.get(uid)
    if (entry === undefined || entry.workload !== undefined) return
    entry.workload = find(entry.pod)
  }

  /** Takes a pod of before, as it was kept. */
  restore(entry: LedgerEntry): void {
    this.#entries.set(entry.pod.uid, entry)
    this.#named.set(`${entry.pod.namespace}/${entry.pod.name}`, entry)
    this.#numbers = Math.max(this.#numbers, entry.number + entry.pod.containers.length)
  }

  /** Gives those that changed since the last time, or all. */
  take(all: boolean): ReadonlyArray<LedgerEntry> {
    const taken = all ? [...this.#entries.values()] : [...this.#changed]
    this.#changed.clear()
    return taken
  }

  /** Gives the next hour's, with what still runs and what ran into it. */
  next(): PodLedger {
    const next = new PodLedger(this.#startMs + HOUR_MS)
    for (const { isGone, pod, runs, sampledAtMs, workload } of this.#entries.values()) {
      const going = runs.filter((run) => next.#touches(run))
      if (going.length > 0) next.#add({ pod, runs: going, isGone, workload }, sampledAtMs)
    }
    return next
  }

  /** Gives the facts of all pods that ran. **Shape** `seenToMs` ends what still runs. */
  facts(seenToMs: number, usage: ReadonlyMap<number, UsageSlices>): ReadonlyArray<PodFacts> {
    return [...this.#entries.values()].map(({ number, pod, runs, workload }): PodFacts => {
      const { claims, name, namespace, node, uid } = pod
      const containers = pod.containers.flatMap((template, index): ReadonlyArray<ContainerFacts> => {
        const own = runs.filter(({ container }) => container === index)
        const slices = usage.get(number + index)
        if (own.length === 0) return []
        return [
          {
            ...template,
            runs: own.map((run): Span => ({ fromMs: run.startedAtMs, toMs: run.finishedAtMs ?? seenToMs })),
            isOomKilled: own.some(
              ({ finishedAtMs, isOomKilled }) => isOomKilled && finishedAtMs !== undefined && this.#isIn(finishedAtMs)
            ),
            ...(slices === undefined ? {} : { usage: slices })
          }
        ]
      })
      return { uid, namespace, name, node, claims, containers, workload: workload ?? WorkloadSeries.nearest(pod) }
    })
  }

  #add(entry: Omit<LedgerEntry, "number" | "sampledAtMs">, sampledAtMs: ReadonlyArray<number> = []): void {
    const added = { ...entry, number: this.#numbers, sampledAtMs: [...sampledAtMs] }
    this.restore(added)
    this.#changed.add(added)
  }

  #touches({ finishedAtMs, startedAtMs }: ContainerRun): boolean {
    // One that begins after the hour is kept for the next: the cluster's clock may be ahead.
    return finishedAtMs === undefined || (finishedAtMs > this.#startMs && finishedAtMs > startedAtMs)
  }

  #isIn(atMs: number): boolean {
    return atMs >= this.#startMs && atMs < this.#startMs + HOUR_MS
  }
}

/** Joins what was known of a pod's runs with what is told now; one that goes on untold has ended. */
const merged = (
  held: ReadonlyArray<ContainerRun>,
  told: ReadonlyArray<ContainerRun>,
  atMs: number
): Array<ContainerRun> => {
  const isTold = (run: ContainerRun) => told.some((one) => isSame(one, run))
  const kept = held
    .filter((run) => !isTold(run))
    .map((run) => (run.finishedAtMs === undefined ? { ...run, finishedAtMs: atMs } : run))
  const joined = [...kept, ...told]
  return joined.length <= MAX_RUNS ? joined : compacted(joined)
}

const isSame = (one: ContainerRun, other: ContainerRun): boolean =>
  one.container === other.container && one.startedAtMs === other.startedAtMs

/** Conditions and readiness change more often than what is charged. */
const isSamePod = (one: LedgerPod, other: LedgerPod): boolean =>
  one.node === other.node
  && one.labels === other.labels
  && one.containers === other.containers
  && one.claims.length === other.claims.length

const isSameRuns = (one: ReadonlyArray<ContainerRun>, other: ReadonlyArray<ContainerRun>): boolean =>
  one.length === other.length
  && one.every((run, index) => {
    const told = other[index]
    return told !== undefined && isSame(run, told) && run.finishedAtMs === told.finishedAtMs
  })

/** Makes one run of all that a container had before its last. */
const compacted = (runs: ReadonlyArray<ContainerRun>): Array<ContainerRun> =>
  [...Map.groupBy(runs, ({ container }) => container).values()].flatMap((own) => {
    const sorted = own.toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    const [first, last] = [sorted.at(0), sorted.at(-1)]
    const before = sorted.at(-2)
    if (first === undefined || last === undefined || before === undefined || first === before) return sorted
    const isOomKilled = sorted.slice(0, -1).some((run) => run.isOomKilled)
    return [{ ...first, finishedAtMs: before.finishedAtMs, isOomKilled }, last]
  })

const ended = (run: ContainerRun, held: LedgerEntry | undefined, atMs: number): ContainerRun | undefined => {
  if (run.finishedAtMs !== undefined) return run
  const known = held?.runs.find((one) => isSame(one, run))
  return known === undefined ? undefined : { ...known, finishedAtMs: known.finishedAtMs ?? atMs }
}

const isKnown = (run: ContainerRun | undefined): run is ContainerRun => run !== undefined
