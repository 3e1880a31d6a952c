/**
 * A reader of workloads: selects the rows of its filter and of its namespaces, and tracks its clusters.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import { answered, type Coverage } from "../kube/Coverage.ts"
import type { ClusterStore } from "../cache/ClusterStore.ts"
import type { Question } from "../cache/ClusterReader.ts"
import * as Kind from "../projection/Kind.ts"
import * as WorkloadFilter from "../list/WorkloadFilter.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import * as WorkloadKeys from "../projection/WorkloadKeys.ts"
import type { ChangeLog, NumberedChange } from "./ChangeLog.ts"
import { ReaderEvents } from "./ReaderEvents.ts"
import { VisibleNamespaces } from "./VisibleNamespaces.ts"
import type { WatchEvent, WatchSink } from "./WatchEvent.ts"
import type { WatchQuery } from "./WatchQuery.ts"

/**
 * State of a cluster. **Shape** `state` changes whenever readers should be notified. `isComplete`: no more rows are
 * waited for.
 */
export interface Standing {
  readonly coverage: Coverage
  readonly state: string
  readonly isComplete: boolean
}

/** The shared source of all readers. */
interface Source {
  readonly log: ChangeLog<WorkloadRow>
  /** The registered clusters. */
  readonly names: ReadonlyArray<ClusterName>
  /** Returns whether a cluster is registered, or some of its rows have not been reported as gone yet. */
  readonly has: (name: ClusterName) => boolean
  /** Returns the rows of a cluster as reported to readers. */
  readonly reported: (name: ClusterName) => ReadonlyArray<WorkloadRow>
  /** Returns the cached state of a cluster. */
  readonly storeOf: (name: ClusterName) => ClusterStore | undefined
  /** Returns a cluster's current coverage for a read request. */
  readonly standingOf: (name: ClusterName, question: Question, now: number) => Standing
}

export interface WorkloadWatchQuery extends WatchQuery {
  readonly filter: WorkloadFilter.WorkloadFilter
}

/** A reader's state for one of its clusters. */
interface Part {
  readonly visible: VisibleNamespaces
  /** Number of rows that the reader has received. */
  count: number
  /** The last reported state of the coverage. */
  reported: string
}

export class WorkloadReader {
  readonly #feed: Source
  readonly #query: WorkloadWatchQuery
  readonly #sink: WatchSink<WorkloadRow>
  readonly #events: ReaderEvents<WorkloadRow>
  readonly #wanted: ReturnType<typeof WorkloadFilter.wanted>
  readonly #parts = new Map<ClusterName, Part>()
  /** Time after which `Ready` is sent although a cluster has not answered. */
  readonly #patientUntil: number
  readonly #question: Question
  #isBound = false
  #isReady = false

  constructor(feed: Source, query: WorkloadWatchQuery, sink: WatchSink<WorkloadRow>, patientUntil: number) {
    this.#feed = feed
    this.#query = query
    this.#sink = sink
    const scope = {
      isVisible: (row: WorkloadRow) => this.#isVisible(row),
      shown: (row: WorkloadRow) => row,
      count: (row: WorkloadRow, by: number) => this.#count(row, by)
    }
    this.#events = new ReaderEvents(feed.log, scope, sink)
    this.#wanted = WorkloadFilter.wanted(query.filter, undefined)
    this.#patientUntil = patientUntil
    this.#question = {
      ...Kind.neededFor(query.filter.kind),
      consistency: "cache",
      timeoutMs: query.timeoutMs,
      needsLabels: NamespaceFilter.needsLabels(query.namespaces)
    }
  }

  /** Sends the missed changes, or all rows. */
  begin(now: number): void {
    this.refresh(now)
    const rows = [...this.#parts.keys()].flatMap((name) => this.#feed.reported(name))
    this.#events.begin(this.#query.lastEventId, rows)
    this.survey(now)
  }

  /** Receives changes. **Shape** call `refresh` first, because it needs the rows from before the changes. */
  take(changes: ReadonlyArray<NumberedChange<WorkloadRow>>): void {
    this.#events.take(changes)
  }

  /** Updates the reader's clusters: their list, their coverage, and the visible namespaces. */
  survey(now: number): void {
    this.refresh(now)
    const events: Array<WatchEvent<WorkloadRow>> = []
    let isWhole = true
    for (const [name, part] of this.#parts) {
      const { coverage, isComplete, state } = this.#feed.standingOf(name, this.#question, now)
      isWhole = isWhole && isComplete
      if (state === part.reported) continue
      part.reported = state
      if (this.#query.target.mode === "All" && !this.#feed.has(name)) this.#parts.delete(name)
      events.push({ _tag: "Coverage", coverage: { ...coverage, count: answered(coverage) ? part.count : 0 } })
    }
    if (!this.#isReady && (isWhole || now >= this.#patientUntil)) {
      this.#isReady = true
      events.push(this.#events.ready())
    }
    if (events.length > 0) this.#sink.push(events)
  }

  broken(defect: unknown): void {
    this.#sink.broken(defect)
  }

  /** Adds new clusters, and shows or hides rows of namespaces whose visibility changed. */
  refresh(now: number): void {
    const { clusters, namespaces, target } = this.#query
    const names =
      target.mode === "All" ? this.#feed.names.filter((name) => Target.reaches(clusters, name)) : target.clusters
    let isMoved = !this.#isBound
    for (const name of names) {
      if (this.#parts.has(name)) continue
      const part = { visible: new VisibleNamespaces(namespaces), count: 0, reported: "" }
      part.visible.refresh(this.#feed.storeOf(name), now)
      this.#parts.set(name, part)
      isMoved = true
    }
    const changedParts: Array<readonly [name: ClusterName, namespaces: ReadonlySet<string>]> = []
    for (const [name, part] of this.#parts) {
      const changed = part.visible.refresh(this.#feed.storeOf(name), now)
      if (changed.size > 0) changedParts.push([name, changed])
    }
    if (isMoved || changedParts.length > 0) this.#bind()
    this.#events.move(
      changedParts.flatMap(([name, changed]) =>
        this.#feed.reported(name).filter((row) => changed.has(row.namespace) && this.#isWanted(row))
      )
    )
  }

  /**
   * Updates the binding. It includes the namespaces selected by labels, because they determine the rows that the reader
   * has received.
   */
  #bind(): void {
    const { binding, filter, target } = this.#query
    const clusters = target.mode === "All" ? [] : target.clusters
    const visible = [...this.#parts]
      .filter(([, part]) => part.visible.labelled.length > 0)
      .map(([name, part]) => [name, ...part.visible.labelled].join(" "))
      .toSorted()
    this.#events.bind(["workloads", binding, target.mode, clusters, WorkloadFilter.canonical(filter), visible])
    this.#isBound = true
  }

  #isWanted(row: WorkloadRow): boolean {
    const { groups, matches, reaches } = this.#wanted
    if (!this.#parts.has(row.cluster) || (groups !== undefined && !groups.has(WorkloadKeys.groupOf(row)))) return false
    if (reaches !== undefined && !reaches(row.namespace)) return false
    return matches === undefined || matches(row)
  }

  #isVisible(row: WorkloadRow): boolean {
    return this.#isWanted(row) && this.#parts.get(row.cluster)?.visible.has(row.namespace) === true
  }

  #count({ cluster }: WorkloadRow, by: number): void {
    const part = this.#parts.get(cluster)
    if (part !== undefined) part.count += by
  }
}
