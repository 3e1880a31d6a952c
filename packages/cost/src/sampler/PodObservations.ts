/**
 * The pods of one hour, also those that are gone: what they asked for, and when their containers ran.
 */
import { PodContainers, PodProjection } from "@quarterdeck/cluster-fanout"
import type { ContainerFacts, PodFacts, UsageSlices } from "../allocation/HourFacts.ts"
import type { Series } from "../hour/Series.ts"
import { HOUR_MS } from "../hour/Units.ts"
import * as PodResizes from "./PodResizes.ts"
import * as WorkloadSeries from "./WorkloadSeries.ts"

/** As much of a pod as an hour is computed from. */
export type ObservedPod = WorkloadSeries.Owned & Pick<PodProjection.PodRecord, "node" | "claims" | "containers">

/**
 * A pod of the hour.
 *
 * **Shape** `number` is that of its first container; the others follow. `sampledAtMs` has the newest sample of each
 * container once there is one. `workload` is missing until it was found. `isTold` holds once the cluster told of it by the connection of now:
 * until then nothing about it can be found anew. `earlier` is what its containers asked for before `pod` does, oldest first.
 */
export interface PodObservation {
  pod: ObservedPod
  readonly number: number
  earlier: ReadonlyArray<PodResizes.Earlier>
  runs: ReadonlyArray<PodContainers.ContainerRun>
  isGone: boolean
  isTold: boolean
  workload: Series | undefined
  sampledAtMs: Array<number> | undefined
}

/** Notes when a container's newest sample is of, by its place in the pod. */
export const noteSample = (entry: PodObservation, container: number, atMs: number): void => {
  // As long as it will be: an array that grows has room for seventeen.
  entry.sampledAtMs ??= entry.pod.containers.map(() => 0)
  entry.sampledAtMs[container] = atMs
}

/** A container that keeps on restarting is charged without the pauses beyond so many runs of its pod in an hour. */
const MAX_RUNS = 256

/**
 * The pods of an hour.
 *
 * Once the hour is over it learns ends and runs alone: what a pod asks for then, and what it is called, are the
 * next hour's.
 */
export class PodObservations {
  readonly #startMs: number
  readonly #entries = new Map<string, PodObservation>()
  /** By namespace and name, the pod that had them last. One text of both would be another for each pod. */
  readonly #named = new Map<string, Map<string, PodObservation>>()
  readonly #changed = new Set<PodObservation>()
  #numbers = 0

  constructor(startMs: number) {
    this.#startMs = startMs
  }

  get entries(): ReadonlyMap<string, PodObservation> {
    return this.#entries
  }

  find(namespace: string, name: string): PodObservation | undefined {
    return this.#named.get(namespace)?.get(name)
  }

  /** Takes a pod as it was told. One that did not run in this hour yet is left out. */
  put(pod: PodProjection.PodRecord, atMs: number): void {
    const seenRuns = PodContainers.runsOf(pod)
    const entry = this.#entries.get(pod.uid)
    // The collector of lost pods ends them without telling when their containers ended: the kubelet cannot say.
    const runs = PodProjection.isFinished(pod)
      ? seenRuns.map((run) => ended(run, entry, atMs)).filter(isKnown)
      : seenRuns
    if (entry === undefined) {
      const inHour = those(runs, (run) => this.#touches(run))
      if (inHour.length > 0)
        this.#add({ pod, earlier: NONE, runs: inHour, isGone: false, isTold: true, workload: undefined })
      return
    }
    const news = those(runs, (run) => this.#touches(run) || entry.runs.some((one) => isSame(one, run)))
    const joined = merged(entry.runs, news, atMs)
    const isUnchanged = !entry.isGone && isSamePod(entry.pod, pod) && isSameRuns(entry.runs, joined)
    if (atMs > this.#startMs && !PodResizes.isSame(entry.pod.containers, pod.containers)) {
      entry.earlier = PodResizes.changed(entry.earlier, entry.pod.containers, atMs)
    }
    entry.pod = this.#isOver(atMs) ? { ...pod, labels: entry.pod.labels } : pod
    entry.isGone = false
    entry.isTold = true
    entry.runs = joined
    if (!isUnchanged) this.#changed.add(entry)
  }

  /** Ends a pod that is not there any more, at an instant unless its containers had ended before. */
  gone(uid: string, atMs: number): void {
    const entry = this.#entries.get(uid)
    if (entry === undefined || entry.isGone) return
    entry.isGone = true
    entry.runs = merged(entry.runs, [], atMs)
    this.#changed.add(entry)
  }

  /** Takes all pods that are there; others are gone. */
  whole(pods: ReadonlyMap<string, PodProjection.PodRecord>, atMs: number): void {
    for (const pod of pods.values()) this.put(pod, atMs)
    this.keepOnly(pods, atMs)
  }

  /** Ends all but some pods. */
  keepOnly(pods: ReadonlyMap<string, unknown>, atMs: number): void {
    for (const uid of this.#entries.keys()) if (!pods.has(uid)) this.gone(uid, atMs)
  }

  /** Begins a connection that has told of no pod yet: a view without owners and workloads finds none of them. */
  awaitTold(): void {
    for (const entry of this.#entries.values()) entry.isTold = false
  }

  /** Finds the workloads of pods anew, but keeps what is not known any more, or not known yet, or is of an hour that is over. */
  settle(workloads: WorkloadSeries.WorkloadSeries, atMs: number): void {
    const isOver = this.#isOver(atMs)
    for (const entry of this.#entries.values()) {
      if (isOver && hasLabels(entry.workload)) continue
      if (entry.isGone ? entry.workload !== undefined : !entry.isTold) continue
      const isNew = entry.workload === undefined && !entry.isGone
      const found = workloads.find(entry.pod) ?? (isNew ? workloads.findNamed(entry.pod) : undefined)
      if (found === undefined || found === entry.workload) continue
      // A bare pod's is a new object each time.
      if (entry.workload?.uid === found.uid && entry.workload.labels === found.labels) continue
      entry.workload = found
      this.#changed.add(entry)
    }
  }

  /** Finds the workload of a pod that has none yet. */
  settleOne(uid: string, find: (pod: ObservedPod) => Series | undefined): void {
    const entry = this.#entries.get(uid)
    if (entry === undefined || entry.workload !== undefined) return
    entry.workload = find(entry.pod)
    if (entry.workload !== undefined) this.#changed.add(entry)
  }

  /** Takes a pod of before, as it was kept. */
  restore(entry: PodObservation): void {
    this.#entries.set(entry.pod.uid, entry)
    const { name, namespace } = entry.pod
    const named = this.#named.get(namespace) ?? new Map<string, PodObservation>()
    this.#named.set(namespace, named.set(name, entry))
    this.#numbers = Math.max(this.#numbers, entry.number + entry.pod.containers.length)
  }

  /** Gives those that changed since the last time, or all. */
  take(all: boolean): ReadonlyArray<PodObservation> {
    const taken = all ? [...this.#entries.values()] : [...this.#changed]
    this.#changed.clear()
    return taken
  }

  /** Gives the next hour's, with what still runs and what ran into it. */
  next(): PodObservations {
    const next = new PodObservations(this.#startMs + HOUR_MS)
    for (const { sampledAtMs, ...entry } of this.#entries.values()) {
      const runs = those(entry.runs, (run) => next.#touches(run))
      const earlier = those(entry.earlier, ({ untilMs }) => untilMs > next.#startMs)
      if (runs.length > 0) next.#add({ ...entry, earlier, runs }, sampledAtMs)
    }
    return next
  }

  /** Gives the facts of all pods that ran. **Shape** `seenToMs` ends what still runs. */
  facts(seenToMs: number, usage: ReadonlyMap<number, UsageSlices>): ReadonlyArray<PodFacts> {
    return [...this.#entries.values()].map(({ earlier, number, pod, runs, workload }): PodFacts => {
      const { claims, name, namespace, node, uid } = pod
      const containers = pod.containers.flatMap((_, index): ReadonlyArray<ContainerFacts> => {
        const containerRuns = runs.filter(({ container }) => container === index)
        const slices = usage.get(number + index)
        return PodResizes.partsOf(containerRuns, earlier, pod.containers, index, seenToMs).map((part) => ({
          ...part.template,
          runs: part.runs,
          isOomKilled: part.killedAtMs.some((atMs) => this.#isIn(atMs)),
          ...(slices === undefined ? {} : { usage: slices })
        }))
      })
      return { uid, namespace, name, node, claims, containers, workload: workload ?? WorkloadSeries.nearest(pod) }
    })
  }

  #add(
    { earlier, isGone, isTold, pod, runs, workload }: Omit<PodObservation, "number" | "sampledAtMs">,
    sampledAtMs?: ReadonlyArray<number>
  ): void {
    // Written out: what is spread into another has a part of its fields in a second object.
    const added: PodObservation = {
      pod,
      number: this.#numbers,
      earlier,
      runs,
      isGone,
      isTold,
      workload,
      sampledAtMs: sampledAtMs?.slice()
    }
    this.restore(added)
    this.#changed.add(added)
  }

  #touches({ finishedAtMs, isOomKilled, startedAtMs }: PodContainers.ContainerRun): boolean {
    // One that begins after the hour is kept for the next: the cluster's clock may be ahead.
    if (finishedAtMs === undefined) return true
    // Kubernetes writes whole seconds: what is killed for memory as it starts has run for none, and is told all the same.
    if (isOomKilled) return finishedAtMs >= this.#startMs
    return finishedAtMs > this.#startMs && finishedAtMs > startedAtMs
  }

  #isOver(atMs: number): boolean {
    return atMs >= this.#startMs + HOUR_MS
  }

  #isIn(atMs: number): boolean {
    return atMs >= this.#startMs && atMs < this.#startMs + HOUR_MS
  }
}

const NONE: ReadonlyArray<never> = []

/** Filters what is mostly all kept, and lives long: a filtered array has room for many more than it holds. */
const those = <A>(all: ReadonlyArray<A>, isOne: (one: A) => boolean): ReadonlyArray<A> =>
  all.every(isOne) ? all : all.filter(isOne).slice()

const hasLabels = (workload: Series | undefined): boolean =>
  workload !== undefined && Object.keys(workload.labels).length > 0

/** Joins what was known of a pod's runs with what is told now; one that goes on untold has ended. */
const merged = (
  known: ReadonlyArray<PodContainers.ContainerRun>,
  told: ReadonlyArray<PodContainers.ContainerRun>,
  atMs: number
): ReadonlyArray<PodContainers.ContainerRun> => {
  const isTold = (run: PodContainers.ContainerRun) => told.some((one) => isSame(one, run))
  const untold = known
    .filter((run) => !isTold(run))
    .map((run) => (run.finishedAtMs === undefined ? { ...run, finishedAtMs: atMs } : run))
  const joined = untold.length === 0 ? told : untold.concat(told)
  return joined.length <= MAX_RUNS ? joined : compacted(joined)
}

const isSame = (one: PodContainers.ContainerRun, other: PodContainers.ContainerRun): boolean =>
  one.container === other.container && one.startedAtMs === other.startedAtMs

/** Conditions and readiness change more often than what is charged. */
const isSamePod = (one: ObservedPod, other: ObservedPod): boolean =>
  one.node === other.node
  && one.labels === other.labels
  && one.containers === other.containers
  && one.claims.length === other.claims.length

const isSameRuns = (
  one: ReadonlyArray<PodContainers.ContainerRun>,
  other: ReadonlyArray<PodContainers.ContainerRun>
): boolean =>
  one.length === other.length
  && one.every((run, index) => {
    const counterpart = other[index]
    return counterpart !== undefined && isSame(run, counterpart) && run.finishedAtMs === counterpart.finishedAtMs
  })

/** Makes one run of all that a container had before its last. */
const compacted = (runs: ReadonlyArray<PodContainers.ContainerRun>): ReadonlyArray<PodContainers.ContainerRun> =>
  [...Map.groupBy(runs, ({ container }) => container).values()].flatMap((containerRuns) => {
    const sorted = containerRuns.toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    const [first, last] = [sorted.at(0), sorted.at(-1)]
    const before = sorted.at(-2)
    if (first === undefined || last === undefined || before === undefined || first === before) return sorted
    const isOomKilled = sorted.slice(0, -1).some((run) => run.isOomKilled)
    return [{ ...first, finishedAtMs: before.finishedAtMs, isOomKilled }, last]
  })

const ended = (
  run: PodContainers.ContainerRun,
  held: PodObservation | undefined,
  atMs: number
): PodContainers.ContainerRun | undefined => {
  if (run.finishedAtMs !== undefined) return run
  const known = held?.runs.find((one) => isSame(one, run))
  return known === undefined ? undefined : { ...known, finishedAtMs: known.finishedAtMs ?? atMs }
}

const isKnown = (run: PodContainers.ContainerRun | undefined): run is PodContainers.ContainerRun => run !== undefined
