/**
 * The cached state of one cluster: its projected records, the rows made from them, and their age.
 *
 * The store is fed with batches of projected changes, from watches or from live lists.
 */
import type { ProvenLabels } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect, type Scope } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import * as Freshness from "./Freshness.ts"
import { Signal } from "../kube/Signal.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import { isLaterVersion, KindTable, type Observer } from "./KindTable.ts"
import { NodeTotals } from "./NodeTotals.ts"
import { PodTotals } from "./PodTotals.ts"
import * as RecordSets from "./RecordSets.ts"
import type { RowSet, Sorting } from "./RowSet.ts"
import { SystemNamespace } from "./SystemNamespace.ts"
import * as WorkloadSet from "./WorkloadSet.ts"
import type { Chain } from "../projection/Owner.ts"
import type { EventRecord } from "../projection/EventProjection.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import type { Change, NamespaceRecord, RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow } from "../projection/Row.ts"

type Tables = { readonly [K in Kind.Kind]: KindTable<RecordOf[K]> }

/** State of the API server. **Units** milliseconds by `steadyClock`. */
export interface Health {
  /** Time of the last answer of any kind, or watch event. */
  readonly seenAt: number | undefined
  /** Time of the last answered probe. */
  readonly probedAt: number | undefined
  readonly version: string | undefined
  /** Error of the last probe, if it failed. */
  readonly error: ClusterError | undefined
}

/** Number of events kept for one cluster. The oldest are evicted. */
const MAX_EVENTS = 10_000

export class ClusterStore {
  cluster: Cluster
  /** Notified when the sync state of a kind, the health or the breaker changes. */
  readonly signal = new Signal()
  readonly #tables: Tables = {
    Namespace: new KindTable<NamespaceRecord>((next, previous) =>
      isLaterVersion(next.resourceVersion, previous.resourceVersion)
    ),
    Deployment: new KindTable(),
    StatefulSet: new KindTable(),
    DaemonSet: new KindTable(),
    ReplicaSet: new KindTable(),
    Job: new KindTable(),
    CronJob: new KindTable(),
    Node: new KindTable(),
    Pod: new KindTable(),
    Event: new KindTable(undefined, { max: MAX_EVENTS, ageOf: ({ row }: EventRecord) => row.lastSeenAt })
  }
  /** Totals over the visible pods and nodes. */
  readonly podTotals = new PodTotals()
  readonly nodeTotals = new NodeTotals()
  /** Identity of the cluster. Every change notifies the signal. */
  readonly systemNamespace = new SystemNamespace(() => this.signal.notify())
  #health: Health = { seenAt: undefined, probedAt: undefined, version: undefined, error: undefined }
  readonly #sorting: Sorting | undefined
  #rows: RowSet<WorkloadRow> | undefined
  #pods: RowSet<PodRecord> | undefined
  #events: RowSet<EventRecord> | undefined
  readonly #workloads = memo<ReadonlyArray<WorkloadRow>>()
  readonly #namespaces = memo<ReadonlyMap<string, NamespaceRecord>>()

  /**
   * Creates an empty store. `sorting` schedules sorts. Without it, rows are sorted in the default order only.
   */
  constructor(cluster: Cluster, sorting?: Sorting) {
    this.cluster = cluster
    this.#sorting = sorting
    this.#tables.Pod.observe(this.podTotals)
    this.#tables.Node.observe(this.nodeTotals)
    this.#tables.Namespace.observe(this.systemNamespace)
  }

  get health(): Health {
    return this.#health
  }

  table<K extends Kind.Kind>(kind: K): Tables[K] {
    return this.#tables[kind]
  }

  /** Applies a batch. Returns whether the kind became synced in it. */
  apply<K extends Kind.Kind>(kind: K, changes: ReadonlyArray<Change<RecordOf[K]>>, now: number): boolean {
    const table: KindTable<RecordOf[K]> = this.#tables[kind]
    const before = table.sync
    const synced = table.apply(changes, now)
    this.#health = { ...this.#health, seenAt: now }
    if (synced) this.#prepare()
    if (synced || table.sync !== before) this.signal.notify()
    return synced
  }

  /** Returns the version of a workload's object. **Shape** `undefined` for pods, and without an object. */
  versionOf({ id, kind }: Pick<WorkloadRow, "id" | "kind">): string | undefined {
    const own = Kind.workloadKinds.find((known) => known === kind)
    const record = own === undefined ? undefined : this.#tables[own].records.get(id)
    return record !== undefined && "resourceVersion" in record ? record.resourceVersion : undefined
  }

  /** Starts to collect a new initial state of a kind. */
  begin(kind: Kind.Kind): void {
    this.#tables[kind].begin()
  }

  /** Builds the rows once every kind has synced, so that the first request does not wait for them. */
  #prepare(): void {
    if (Kind.workloadKinds.some((kind) => this.#tables[kind].sync._tag === "Pending")) return
    this.rows.prepare()
    this.#pods?.prepare()
  }

  /** Drops the records of a kind that is no longer followed. */
  forget(kind: Kind.Kind): void {
    this.#tables[kind].forget()
    this.signal.notify()
  }

  fail(kind: Kind.Kind, error: ClusterError): void {
    this.#tables[kind].fail(error)
    this.signal.notify()
  }

  /** Does the same as `fail`, for a watch that may resume from its position. */
  interrupt(kind: Kind.Kind, error: ClusterError): void {
    this.#tables[kind].interrupt(error)
    this.signal.notify()
  }

  miss(kind: Kind.Kind, error: ClusterError): void {
    this.#tables[kind].miss(error)
    this.signal.notify()
  }

  /** Records the result of a probe. **Shape** `answered` is also true if the server answered with an error. */
  probed(
    outcome: { readonly answered: boolean; readonly version?: string; readonly error?: ClusterError },
    now: number
  ): void {
    const signOfLife = outcome.answered ? { seenAt: now, probedAt: now } : {}
    this.#health = {
      ...this.#health,
      ...signOfLife,
      version: outcome.version ?? this.#health.version,
      error: outcome.error
    }
    this.signal.notify()
  }

  /** The workload rows, updated with each change after the first use. */
  get rows(): RowSet<WorkloadRow> {
    return (this.#rows ??= WorkloadSet.make(this.cluster.name, this.#tables, this.#sorting))
  }

  /** The pods, updated with each change after the first use. */
  get pods(): RowSet<PodRecord> {
    return (this.#pods ??= RecordSets.ofPods(this.#tables.Pod, this.#sorting))
  }

  /** The events, updated with each change after the first use. */
  get events(): RowSet<EventRecord> {
    return (this.#events ??= RecordSets.ofEvents(this.#tables.Event, this.#sorting))
  }

  /** Finds the objects that may own pods, in their current state. */
  readonly chain: Chain = { find: (kind, uid) => this.#tables[kind].records.get(uid) }

  /** Returns the workload rows as an immutable array. The array stays the same until a row changes. */
  workloads(): ReadonlyArray<WorkloadRow> {
    const version = Kind.workloadKinds.map((kind) => this.#tables[kind].version).join(",")
    return this.#workloads(version, () => this.rows.byPlace().slice())
  }

  /** Returns the namespaces by name, as an immutable map. */
  namespaces(): ReadonlyMap<string, NamespaceRecord> {
    const { records, version } = this.#tables.Namespace
    return this.#namespaces(
      String(version),
      () => new Map([...records.values()].map((record) => [record.name, record]))
    )
  }

  /** Returns whether namespace labels are current enough to decide access. */
  provesLabels(now: number): boolean {
    return Freshness.provesLabels(this.#tables.Namespace, now)
  }

  /**
   * Looks up the labels of a namespace. **Shape** `undefined` if the labels were not confirmed within the last 30 s, or
   * the namespace does not exist.
   */
  labelsAt(now: number): (namespace: string) => ProvenLabels {
    if (!this.provesLabels(now)) return () => undefined
    const namespaces = this.namespaces()
    return (namespace) => namespaces.get(namespace)?.labels
  }

  /**
   * Notifies an observer of a kind's changes until the scope ends. **Limits** the observer is called synchronously at
   * each change.
   */
  observe<K extends Kind.Kind>(kind: K, observer: Observer<RecordOf[K]>): Effect.Effect<void, never, Scope.Scope> {
    const table: KindTable<RecordOf[K]> = this.#tables[kind]
    return Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => table.observe(observer)),
        (end) => Effect.sync(end)
      )
    )
  }

  /** Does the same as `silentMs`, at the current time. */
  age(kinds: ReadonlyArray<Kind.Kind>): Effect.Effect<number> {
    return Effect.map(steadyClock.now, (now) => this.silentMs(kinds, now))
  }

  /** Returns the greatest age of the rows of `kinds`. **Shape** kinds that are not synced have no rows. */
  ageMs(kinds: ReadonlyArray<Kind.Kind>, now: number): number {
    return Math.max(0, ...this.#synced(kinds).map((table) => Freshness.ageMs(table, now)))
  }

  /** Returns the greatest `Freshness.silentMs` among `kinds`. **Shape** ignores kinds that are not synced. */
  silentMs(kinds: ReadonlyArray<Kind.Kind>, now: number): number {
    const { probedAt } = this.#health
    return Math.max(0, ...this.#synced(kinds).map((table) => Freshness.silentMs(table, probedAt, now)))
  }

  #synced(kinds: ReadonlyArray<Kind.Kind>) {
    return kinds.map((kind) => this.#tables[kind]).filter(({ sync }) => sync._tag === "Synced")
  }
}

/** Caches the last result of a computation by the version of its input. */
const memo = <A>() => {
  let last: { readonly version: string; readonly value: A } | undefined
  return (version: string, compute: () => A): A => {
    if (last?.version !== version) last = { version, value: compute() }
    return last.value
  }
}
