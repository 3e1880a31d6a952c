/**
 * One reader of workloads: what it was asked to see of all changes, and what it must hear of its clusters.
 *
 * Keeps no row: what a reader has follows from what it was told, and that from the log that all readers share.
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

/** How a cluster answers. **Shape** `state` differs when a reader should hear of it; `isComplete`: nothing more is waited for. */
export interface Standing {
  readonly coverage: Coverage
  readonly state: string
  readonly isComplete: boolean
}

/** What all readers read from. */
interface Source {
  readonly log: ChangeLog<WorkloadRow>
  /** The registered clusters. */
  readonly names: ReadonlyArray<ClusterName>
  /** Tells whether a cluster is registered, or its rows have not all gone yet. */
  readonly has: (name: ClusterName) => boolean
  /** Gives the rows of a cluster as readers were told them. */
  readonly told: (name: ClusterName) => ReadonlyArray<WorkloadRow>
  /** Gives what the cache holds of a cluster now. */
  readonly storeOf: (name: ClusterName) => ClusterStore | undefined
  /** Tells how a cluster answers a question now. */
  readonly standingOf: (name: ClusterName, question: Question, now: number) => Standing
}

export interface WorkloadWatchQuery extends WatchQuery {
  readonly filter: WorkloadFilter.WorkloadFilter
}

/** What a reader knows of one of its clusters. */
interface Part {
  readonly reached: VisibleNamespaces
  /** Rows that the reader has. */
  count: number
  /** The state of the coverage that it was told last. */
  told: string
}

/** As many changes at once are made when the reader has room for them. */
const MANY = 500

export class WorkloadReader {
  readonly #feed: Source
  readonly #query: WorkloadWatchQuery
  readonly #sink: WatchSink<WorkloadRow>
  readonly #wanted: ReturnType<typeof WorkloadFilter.wanted>
  readonly #parts = new Map<ClusterName, Part>()
  /** When the first set is whole though some cluster is still waited for. */
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

  /** Begins with what the reader missed, or with all there is. */
  begin(now: number): void {
    this.refresh(now)
    const { lastEventId } = this.#query
    const { log } = this.#feed
    const from = lastEventId === undefined ? undefined : EventId.parse(lastEventId, log.name, this.#binding)
    const missed = from === undefined ? undefined : log.since(from)
    if (lastEventId !== undefined && missed === undefined)
      this.#sink.push([{ _tag: "Reset", id: EventId.nowhere(log.name) }])
    // What comes into reach later, and is still there then, is told of then.
    const seen = [...this.#parts.keys()].flatMap((name) => this.#feed.told(name).filter((row) => this.#sees(row)))
    for (const row of seen) this.#count(row, 1)
    this.#sink.pushLater(missed === undefined ? this.#rowsOf(seen) : this.#eventsOf(missed))
    this.survey(now)
  }

  /** Hears what changed. **Shape** after `refresh`, which must know the rows as they were before. */
  take(changes: ReadonlyArray<NumberedChange<WorkloadRow>>): void {
    const events: Array<Event> = []
    for (const change of changes) {
      const event = this.#eventOf(change)
      if (event === undefined) continue
      events.push(event)
      const had = change.held !== undefined && this.#sees(change.held)
      if (event._tag === "Gone") this.#count(event.row, -1)
      else if (!had) this.#count(event.row, 1)
    }
    if (events.length > MANY) this.#sink.pushMany(events)
    else if (events.length > 0) this.#sink.push(events)
  }

  /** Hears of its clusters: which there are, how they answer, and which namespaces are in reach. */
  survey(now: number): void {
    this.refresh(now)
    const events: Array<WatchEvent<WorkloadRow>> = []
    let isWhole = true
    for (const [name, part] of this.#parts) {
      const { coverage, isComplete, state } = this.#feed.standingOf(name, this.#question, now)
      isWhole = isWhole && isComplete
      if (state === part.told) continue
      part.told = state
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

  /** Takes in clusters that came, and shows or hides the rows of namespaces. */
  refresh(now: number): void {
    const { clusters, namespaces, target } = this.#query
    const names =
      target.mode === "All" ? this.#feed.names.filter((name) => Target.reaches(clusters, name)) : target.clusters
    let isMoved = this.#binding === ""
    for (const name of names) {
      if (this.#parts.has(name)) continue
      const part = { reached: new VisibleNamespaces(namespaces), count: 0, told: "" }
      part.reached.refresh(this.#feed.storeOf(name), now)
      this.#parts.set(name, part)
      isMoved = true
    }
    const moved: Array<readonly [name: ClusterName, namespaces: ReadonlySet<string>]> = []
    for (const [name, part] of this.#parts) {
      const changed = part.reached.refresh(this.#feed.storeOf(name), now)
      if (changed.size > 0) moved.push([name, changed])
    }
    if (isMoved || moved.length > 0) this.#bind()
    const events = moved.flatMap(([name, changed]) => this.#moved(name, changed))
    if (events.length === 0) return
    // Who was told a part of it has neither what was in reach before nor what is now: there is no going on from there.
    const nowhere = EventId.nowhere(this.#feed.log.name)
    const here = this.#id(this.#feed.log.last)
    this.#sink.pushMany(events.map((event, place) => ({ ...event, id: place === events.length - 1 ? here : nowhere })))
  }

  /** Shows the rows of namespaces that came into reach, and takes those of the others. */
  #moved(name: ClusterName, namespaces: ReadonlySet<string>): ReadonlyArray<Omit<Event, "id">> {
    const events: Array<Omit<Event, "id">> = []
    for (const row of this.#feed.told(name)) {
      if (!namespaces.has(row.namespace) || !this.#isWanted(row)) continue
      const isSeen = this.#sees(row)
      events.push({ _tag: isSeen ? "Row" : "Gone", row })
      this.#count(row, isSeen ? 1 : -1)
    }
    return events
  }

  /** Makes the mark of this watch: what is in reach by labels is a part of what the reader has. */
  #bind(): void {
    const { binding, filter, target } = this.#query
    const clusters = target.mode === "All" ? [] : target.clusters
    const reached = [...this.#parts]
      .filter(([, part]) => part.reached.labelled.length > 0)
      .map(([name, part]) => [name, ...part.reached.labelled].join(" "))
      .toSorted()
    const facts = ["workloads", binding, target.mode, clusters, WorkloadFilter.canonical(filter), reached]
    this.#binding = EventId.bindingOf(facts)
  }

  #id(number: number): string {
    return EventId.print(this.#feed.log.name, number, this.#binding)
  }

  #eventOf({ held, next, number }: NumberedChange<WorkloadRow>): Event | undefined {
    if (next !== undefined && this.#sees(next)) return { _tag: "Row", id: this.#id(number), row: next }
    if (held !== undefined && this.#sees(held)) return { _tag: "Gone", id: this.#id(number), row: held }
    return undefined
  }

  /** Makes all events at once: what is in reach may have moved by the time that the reader has room for them. */
  #eventsOf(changes: ReadonlyArray<NumberedChange<WorkloadRow>>): ReadonlyArray<Event> {
    return changes.flatMap((change) => this.#eventOf(change) ?? [])
  }

  /** Gives the rows as events; what left the reader's reach meanwhile is skipped. */
  *#rowsOf(rows: ReadonlyArray<WorkloadRow>): Generator<Event, undefined> {
    const id = EventId.nowhere(this.#feed.log.name)
    for (const row of rows) if (this.#sees(row)) yield { _tag: "Row", id, row }
  }

  #isWanted(row: WorkloadRow): boolean {
    const { groups, matches, reaches } = this.#wanted
    if (!this.#parts.has(row.cluster) || (groups !== undefined && !groups.has(row.kind))) return false
    if (reaches !== undefined && !reaches(row.namespace)) return false
    return matches === undefined || matches(row)
  }

  #sees(row: WorkloadRow): boolean {
    return this.#isWanted(row) && this.#parts.get(row.cluster)?.reached.has(row.namespace) === true
  }

  #count({ cluster }: WorkloadRow, by: number): void {
    const part = this.#parts.get(cluster)
    if (part !== undefined) part.count += by
  }
}
