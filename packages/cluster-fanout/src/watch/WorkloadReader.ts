/**
 * A reader of workloads: selects its events from the shared change log, and tracks its clusters.
 *
 * A reader stores no rows. The log and the reported rows, which all readers share, determine what it has received.
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
import * as EventId from "./EventId.ts"
import type { ChangeLog, NumberedChange } from "./ChangeLog.ts"
import { VisibleNamespaces } from "./VisibleNamespaces.ts"
import type { WatchEvent, WatchSink } from "./WatchEvent.ts"
import type { WatchQuery } from "./WatchQuery.ts"

type Event = Extract<WatchEvent<WorkloadRow>, { readonly _tag: "Row" | "Gone" }>

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

/** The most events of a batch that is encoded at once. A larger batch is encoded when the reader has room for it. */
const LARGE_BATCH = 500

export class WorkloadReader {
  readonly #feed: Source
  readonly #query: WorkloadWatchQuery
  readonly #sink: WatchSink<WorkloadRow>
  readonly #wanted: ReturnType<typeof WorkloadFilter.wanted>
  readonly #parts = new Map<ClusterName, Part>()
  /** Time after which `Ready` is sent although a cluster has not answered. */
  readonly #patientUntil: number
  readonly #question: Question
  #binding = ""
  #isReady = false

  constructor(feed: Source, query: WorkloadWatchQuery, sink: WatchSink<WorkloadRow>, patientUntil: number) {
    this.#feed = feed
    this.#query = query
    this.#sink = sink
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
    const { lastEventId } = this.#query
    const { log } = this.#feed
    const from = lastEventId === undefined ? undefined : EventId.parse(lastEventId, log.name, this.#binding)
    const missed = from === undefined ? undefined : log.since(from)
    if (lastEventId !== undefined && missed === undefined)
      this.#sink.push([{ _tag: "Reset", id: EventId.nowhere(log.name) }])
    // Rows that become visible between now and their delivery are sent by a later refresh.
    const rows = [...this.#parts.keys()].flatMap((name) =>
      this.#feed.reported(name).filter((row) => this.#isVisible(row))
    )
    for (const row of rows) this.#count(row, 1)
    this.#sink.pushLater(missed === undefined ? this.#rowsOf(rows) : this.#eventsOf(missed))
    this.survey(now)
  }

  /** Receives changes. **Shape** call `refresh` first, because it needs the rows from before the changes. */
  take(changes: ReadonlyArray<NumberedChange<WorkloadRow>>): void {
    const events: Array<Event> = []
    for (const change of changes) {
      const event = this.#eventOf(change)
      if (event === undefined) continue
      events.push(event)
      const wasVisible = change.previous !== undefined && this.#isVisible(change.previous)
      if (event._tag === "Gone") this.#count(event.row, -1)
      else if (!wasVisible) this.#count(event.row, 1)
    }
    if (events.length > LARGE_BATCH) this.#sink.pushMany(events)
    else if (events.length > 0) this.#sink.push(events)
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
      events.push({ _tag: "Ready", id: this.#id(this.#feed.log.last) })
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
    let isMoved = this.#binding === ""
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
    const events = changedParts.flatMap(([name, changed]) => this.#changedParts(name, changed))
    if (events.length === 0) return
    // A reader that has received only some of these events matches neither the old nor the new scope, so only the last
    // event has a position.
    const nowhere = EventId.nowhere(this.#feed.log.name)
    const here = this.#id(this.#feed.log.last)
    this.#sink.pushMany(events.map((event, place) => ({ ...event, id: place === events.length - 1 ? here : nowhere })))
  }

  /** Makes the events of namespaces that became visible or hidden. */
  #changedParts(name: ClusterName, namespaces: ReadonlySet<string>): ReadonlyArray<Omit<Event, "id">> {
    const events: Array<Omit<Event, "id">> = []
    for (const row of this.#feed.reported(name)) {
      if (!namespaces.has(row.namespace) || !this.#isWanted(row)) continue
      const isVisible = this.#isVisible(row)
      events.push({ _tag: isVisible ? "Row" : "Gone", row })
      this.#count(row, isVisible ? 1 : -1)
    }
    return events
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
    const facts = ["workloads", binding, target.mode, clusters, WorkloadFilter.canonical(filter), visible]
    this.#binding = EventId.bindingOf(facts)
  }

  #id(number: number): string {
    return EventId.print(this.#feed.log.name, number, this.#binding)
  }

  #eventOf({ previous, next, number }: NumberedChange<WorkloadRow>): Event | undefined {
    if (next !== undefined && this.#isVisible(next)) return { _tag: "Row", id: this.#id(number), row: next }
    if (previous !== undefined && this.#isVisible(previous))
      return { _tag: "Gone", id: this.#id(number), row: previous }
    return undefined
  }

  /** Makes all events at once: visibility may change before the reader has room for them. */
  #eventsOf(changes: ReadonlyArray<NumberedChange<WorkloadRow>>): ReadonlyArray<Event> {
    return changes.flatMap((change) => this.#eventOf(change) ?? [])
  }

  /** Yields the rows as events. Skips rows that became hidden meanwhile. */
  *#rowsOf(rows: ReadonlyArray<WorkloadRow>): Generator<Event, undefined> {
    const id = EventId.nowhere(this.#feed.log.name)
    for (const row of rows) if (this.#isVisible(row)) yield { _tag: "Row", id, row }
  }

  #isWanted(row: WorkloadRow): boolean {
    const { groups, matches, reaches } = this.#wanted
    if (!this.#parts.has(row.cluster) || (groups !== undefined && !groups.has(row.kind))) return false
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
