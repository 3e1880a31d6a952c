/**
 * The pods observed in one hour, deleted ones included: their requests, and the runs of their containers.
 */
import { PodContainers, PodProjection } from "@quarterdeck/cluster-fanout"
import type { ContainerFacts, PodFacts, UsageSlices } from "../allocation/HourFacts.ts"
import type { Series } from "../hour/Series.ts"
import { HOUR_MS } from "../hour/Units.ts"
import * as PodResizes from "./PodResizes.ts"
import * as WorkloadSeries from "./WorkloadSeries.ts"

/** The part of a pod that an hour is computed from. */
export type ObservedPod = WorkloadSeries.Owned & Pick<PodProjection.PodRecord, "node" | "claims" | "containers">

/**
 * A pod of the hour.
 *
 * **Shape** `number` is the number of its first container; the other containers have the next numbers. `sampledAtMs` has the
 * time of each container's newest sample. `workload` is missing until it is found. `isReported` is true once the present
 * connection has reported the pod; until then its workload is not searched again. `earlier` lists the requests that preceded
 * those of `pod`, oldest first.
 */
export interface PodObservation {
  pod: ObservedPod
  readonly number: number
  earlier: ReadonlyArray<PodResizes.Earlier>
  runs: ReadonlyArray<PodContainers.ContainerRun>
  isGone: boolean
  isReported: boolean
  workload: Series | undefined
  sampledAtMs: Array<number> | undefined
}

/** Records the time of a container's newest sample. `container` is its index in the pod. */
export const noteSample = (entry: PodObservation, container: number, atMs: number): void => {
  // Allocated at full length, because a growing array would reserve more room.
  entry.sampledAtMs ??= entry.pod.containers.map(() => 0)
  entry.sampledAtMs[container] = atMs
}

/**
 * Maximum number of runs of a pod in an hour. Beyond that, all runs of a container except the last are merged into one.
 */
const MAX_RUNS = 256

/**
 * The pods of an hour.
 *
 * After the end of the hour only ends and runs are updated. New requests and labels belong to the next hour.
 */
export class PodObservations {
  readonly #startMs: number
  readonly #entries = new Map<string, PodObservation>()
  /** The last pod of each name, by namespace and name. Nested maps avoid one concatenated key per pod. */
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

  /** Adds or updates a reported pod. A pod that did not run in this hour is ignored. */
  put(pod: PodProjection.PodRecord, atMs: number): void {
    const seenRuns = PodContainers.runsOf(pod)
    const entry = this.#entries.get(pod.uid)
    // The pod garbage collector finishes lost pods without the end times of their containers.
    const runs = PodProjection.isFinished(pod)
      ? seenRuns.map((run) => ended(run, entry, atMs)).filter(isKnown)
      : seenRuns
    if (entry === undefined) {
      const inHour = filtered(runs, (run) => this.#touches(run))
      if (inHour.length > 0)
        this.#add({ pod, earlier: NONE, runs: inHour, isGone: false, isReported: true, workload: undefined })
      return
    }
    const news = filtered(runs, (run) => this.#touches(run) || entry.runs.some((known) => isSame(known, run)))
    const joined = merged(entry.runs, news, atMs)
    const isUnchanged = !entry.isGone && isSamePod(entry.pod, pod) && isSameRuns(entry.runs, joined)
    if (atMs > this.#startMs && !PodResizes.isSame(entry.pod.containers, pod.containers)) {
      entry.earlier = PodResizes.changed(entry.earlier, entry.pod.containers, atMs)
    }
    entry.pod = this.#isOver(atMs) ? { ...pod, labels: entry.pod.labels } : pod
    entry.isGone = false
    entry.isReported = true
    entry.runs = joined
    if (!isUnchanged) this.#changed.add(entry)
  }

  /** Marks a pod as deleted. Containers that still ran end at `atMs`. */
  gone(uid: string, atMs: number): void {
    const entry = this.#entries.get(uid)
    if (entry === undefined || entry.isGone) return
    entry.isGone = true
    entry.runs = merged(entry.runs, [], atMs)
    this.#changed.add(entry)
  }

  /** Applies a complete list of pods. Pods missing from it are deleted. */
  whole(pods: ReadonlyMap<string, PodProjection.PodRecord>, atMs: number): void {
    for (const pod of pods.values()) this.put(pod, atMs)
    this.keepOnly(pods, atMs)
  }

  /** Marks all pods as deleted that are not in `pods`. */
  keepOnly(pods: ReadonlyMap<string, unknown>, atMs: number): void {
    for (const uid of this.#entries.keys()) if (!pods.has(uid)) this.gone(uid, atMs)
  }

  /** Marks all pods as unreported, for a new connection. Until it reports a pod, the pod's workload is not searched again. */
  awaitReports(): void {
    for (const entry of this.#entries.values()) entry.isReported = false
  }

  /** Searches the workloads of all pods again, except unreported ones. After the hour ends, known labels do not change. */
  settle(workloads: WorkloadSeries.WorkloadSeries, atMs: number): void {
    const isOver = this.#isOver(atMs)
    for (const entry of this.#entries.values()) {
      if (isOver && hasLabels(entry.workload)) continue
      if (entry.isGone ? entry.workload !== undefined : !entry.isReported) continue
      const isNew = entry.workload === undefined && !entry.isGone
      const found = workloads.find(entry.pod) ?? (isNew ? workloads.findNamed(entry.pod) : undefined)
      if (found === undefined || found === entry.workload) continue
      // A bare pod's series is a new object in each search.
      if (entry.workload?.uid === found.uid && entry.workload.labels === found.labels) continue
      entry.workload = found
      this.#changed.add(entry)
    }
  }

  /** Searches the workload of a pod that has none yet. */
  settleOne(uid: string, find: (pod: ObservedPod) => Series | undefined): void {
    const entry = this.#entries.get(uid)
    if (entry === undefined || entry.workload !== undefined) return
    entry.workload = find(entry.pod)
    if (entry.workload !== undefined) this.#changed.add(entry)
  }

  /** Restores a pod from the journal. */
  restore(entry: PodObservation): void {
    this.#entries.set(entry.pod.uid, entry)
    const { name, namespace } = entry.pod
    const named = this.#named.get(namespace) ?? new Map<string, PodObservation>()
    this.#named.set(namespace, named.set(name, entry))
    this.#numbers = Math.max(this.#numbers, entry.number + entry.pod.containers.length)
  }

  /** Returns the pods changed since the last call, or all. */
  take(all: boolean): ReadonlyArray<PodObservation> {
    const taken = all ? [...this.#entries.values()] : [...this.#changed]
    this.#changed.clear()
    return taken
  }

  /** Returns the observations of the next hour: the pods that run in it. */
  next(): PodObservations {
    const next = new PodObservations(this.#startMs + HOUR_MS)
    for (const { sampledAtMs, ...entry } of this.#entries.values()) {
      const runs = filtered(entry.runs, (run) => next.#touches(run))
      const earlier = filtered(entry.earlier, ({ untilMs }) => untilMs > next.#startMs)
      if (runs.length > 0) next.#add({ ...entry, earlier, runs }, sampledAtMs)
    }
    return next
  }

  /**
   * Returns the facts of all pods that ran. **Shape** the run of a running container ends at `seenToMs`, the last observed
   * time.
   */
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
    { earlier, isGone, isReported, pod, runs, workload }: Omit<PodObservation, "number" | "sampledAtMs">,
    sampledAtMs?: ReadonlyArray<number>
  ): void {
    // Written out field by field: a spread copy would use more memory per object.
    const added: PodObservation = {
      pod,
      number: this.#numbers,
      earlier,
      runs,
      isGone,
      isReported,
      workload,
      sampledAtMs: sampledAtMs?.slice()
    }
    this.restore(added)
    this.#changed.add(added)
  }

  #touches({ finishedAtMs, isOomKilled, startedAtMs }: PodContainers.ContainerRun): boolean {
    // A running container counts even if it starts after the hour, because the clock of the cluster may be ahead.
    if (finishedAtMs === undefined) return true
    // Kubernetes truncates times to seconds, so a container that is OOM-killed at once has an empty run. Such runs count.
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

/**
 * Filters an array. Returns the same array if all elements stay, otherwise a new one without spare capacity, because
 * results are kept long.
 */
const filtered = <A>(all: ReadonlyArray<A>, isOne: (one: A) => boolean): ReadonlyArray<A> =>
  all.every(isOne) ? all : all.filter(isOne).slice()

const hasLabels = (workload: Series | undefined): boolean =>
  workload !== undefined && Object.keys(workload.labels).length > 0

/** Merges the known runs with the reported ones. A running container that is no longer reported has ended at `atMs`. */
const merged = (
  known: ReadonlyArray<PodContainers.ContainerRun>,
  reported: ReadonlyArray<PodContainers.ContainerRun>,
  atMs: number
): ReadonlyArray<PodContainers.ContainerRun> => {
  const isReported = (run: PodContainers.ContainerRun) => reported.some((candidate) => isSame(candidate, run))
  const unreported = known
    .filter((run) => !isReported(run))
    .map((run) => (run.finishedAtMs === undefined ? { ...run, finishedAtMs: atMs } : run))
  const joined = unreported.length === 0 ? reported : unreported.concat(reported)
  return joined.length <= MAX_RUNS ? joined : compacted(joined)
}

const isSame = (one: PodContainers.ContainerRun, other: PodContainers.ContainerRun): boolean =>
  one.container === other.container && one.startedAtMs === other.startedAtMs

/** Returns true if everything that affects costs is equal. Conditions and readiness change more often. */
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

/** Keeps the last run of each container, and merges its earlier runs into one. */
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
  previous: PodObservation | undefined,
  atMs: number
): PodContainers.ContainerRun | undefined => {
  if (run.finishedAtMs !== undefined) return run
  const known = previous?.runs.find((candidate) => isSame(candidate, run))
  return known === undefined ? undefined : { ...known, finishedAtMs: known.finishedAtMs ?? atMs }
}

const isKnown = (run: PodContainers.ContainerRun | undefined): run is PodContainers.ContainerRun => run !== undefined
