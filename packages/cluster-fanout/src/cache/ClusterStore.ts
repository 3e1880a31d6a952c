/**
 * Everything that the cache holds of one cluster: its projected records, the rows made from them, and their age.
 *
 * Fed with batches of projected changes; knows nothing of where they come from.
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
import * as EventSet from "./EventSet.ts"
import * as PodSet from "./PodSet.ts"
import type { RowSet, Sorting } from "./RowSet.ts"
import { SystemNamespace } from "./SystemNamespace.ts"
import * as WorkloadSet from "./WorkloadSet.ts"
import type { Chain } from "../projection/Owner.ts"
import type { EventRecord } from "../projection/EventProjection.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import type { Change, NamespaceRecord, RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow } from "../projection/Row.ts"

type Tables = { readonly [K in Kind.Kind]: KindTable<RecordOf[K]> }

/** What is known of the server itself. **Units** milliseconds by `steadyClock`. */
export interface Health {
  /** The last sign of life: an answer of any kind, or a watch event. */
  readonly seenAt: number | undefined
  /** The last probe that was answered. */
  readonly probedAt: number | undefined
  readonly version: string | undefined
  /** What the last probe ended with, when it failed. */
  readonly error: ClusterError | undefined
}

/** Events of one cluster that are held: the newest. */
const MOST_EVENTS = 10_000

export class ClusterStore {
  cluster: Cluster
  /** Told whenever a kind settles, health changes or the breaker does. */
  readonly signal = new Signal()
  readonly #tables: Tables = {
    Namespace: new KindTable<NamespaceRecord>((next, held) =>
      isLaterVersion(next.resourceVersion, held.resourceVersion)
    ),
    Deployment: new KindTable(),
    StatefulSet: new KindTable(),
    DaemonSet: new KindTable(),
    ReplicaSet: new KindTable(),
    Job: new KindTable(),
    CronJob: new KindTable(),
    Node: new KindTable(),
    Pod: new KindTable(),
    Event: new KindTable(undefined, { most: MOST_EVENTS, ageOf: ({ row }: EventRecord) => row.lastSeenAt })
  }
  /** Of the pods and nodes that are shown. */
  readonly podTotals = new PodTotals()
  readonly nodeTotals = new NodeTotals()
  /** Notifies the signal of every change. */
  readonly systemNamespace = new SystemNamespace(() => this.signal.notify())
  #health: Health = { seenAt: undefined, probedAt: undefined, version: undefined, error: undefined }
  readonly #sorting: Sorting | undefined
  #rows: RowSet<WorkloadRow> | undefined
  #pods: RowSet<PodRecord> | undefined
  #events: RowSet<EventRecord> | undefined
  readonly #workloads = memo<ReadonlyArray<WorkloadRow>>()
  readonly #namespaces = memo<ReadonlyMap<string, NamespaceRecord>>()

  /**
   * Begins an empty store; `sorting` says how the orders of rows that are asked for are made, and without it there are
   * none.
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

  /** Applies a batch. **Shape** gives whether the kind became synced in it. */
  apply<K extends Kind.Kind>(kind: K, changes: ReadonlyArray<Change<RecordOf[K]>>, now: number): boolean {
    const table: KindTable<RecordOf[K]> = this.#tables[kind]
    const before = table.sync
    const synced = table.apply(changes, now)
    this.#health = { ...this.#health, seenAt: now }
    if (synced) this.#prepare()
    if (synced || table.sync !== before) this.signal.notify()
    return synced
  }

  /** Begins to collect a new initial state of a kind. */
  begin(kind: Kind.Kind): void {
    this.#tables[kind].begin()
  }

  /** Once every kind is there, whoever lists first need not wait for the rows of all to be made. */
  #prepare(): void {
    if (Kind.workloadKinds.some((kind) => this.#tables[kind].sync._tag === "Pending")) return
    this.rows.prepare()
    this.#pods?.prepare()
  }

  /** Forgets a kind that nobody follows any more. */
  forget(kind: Kind.Kind): void {
    this.#tables[kind].forget()
    this.signal.notify()
  }

  fail(kind: Kind.Kind, error: ClusterError): void {
    this.#tables[kind].fail(error)
    this.signal.notify()
  }

  /** As `fail`, of a watch that may go on where it was. */
  interrupt(kind: Kind.Kind, error: ClusterError): void {
    this.#tables[kind].interrupt(error)
    this.signal.notify()
  }

  miss(kind: Kind.Kind, error: ClusterError): void {
    this.#tables[kind].miss(error)
    this.signal.notify()
  }

  /** Notes how a probe of the server ended. **Shape** `answered` also when it answered with a refusal. */
  probed(
    outcome: { readonly answered: boolean; readonly version?: string; readonly error?: ClusterError },
    now: number
  ): void {
    const seen = outcome.answered ? { seenAt: now, probedAt: now } : {}
    this.#health = { ...this.#health, ...seen, version: outcome.version ?? this.#health.version, error: outcome.error }
    this.signal.notify()
  }

  /** The workload rows, kept with each change from the first use on. */
  get rows(): RowSet<WorkloadRow> {
    return (this.#rows ??= WorkloadSet.make(this.cluster.name, this.#tables, this.#sorting))
  }

  /** The pods, kept with each change from the first use on. */
  get pods(): RowSet<PodRecord> {
    return (this.#pods ??= PodSet.make(this.#tables.Pod, this.#sorting))
  }

  /** The events, kept with each change from the first use on. */
  get events(): RowSet<EventRecord> {
    return (this.#events ??= EventSet.make(this.#tables.Event, this.#sorting))
  }

  /** The objects that pods may count to, as they are now. **Limits** changes in place: take what you need before you wait. */
  readonly chain: Chain = { find: (kind, uid) => this.#tables[kind].records.get(uid) }

  /** Gives the workload rows: an array that no later change touches, the same one until something changed. */
  workloads(): ReadonlyArray<WorkloadRow> {
    const version = Kind.workloadKinds.map((kind) => this.#tables[kind].version).join(",")
    return this.#workloads(version, () => this.rows.byPlace().slice())
  }

  /** Gives the namespaces by name, in a map that no later change touches. */
  namespaces(): ReadonlyMap<string, NamespaceRecord> {
    const { records, version } = this.#tables.Namespace
    return this.#namespaces(
      String(version),
      () => new Map([...records.values()].map((record) => [record.name, record]))
    )
  }

  /** Tells whether the labels of namespaces may decide now. */
  provesLabels(now: number): boolean {
    return Freshness.provesLabels(this.#tables.Namespace, now)
  }

  /** Gives the labels of a namespace by name; nothing where proof or namespace is missing. */
  labelsAt(now: number): (namespace: string) => ProvenLabels {
    if (!this.provesLabels(now)) return () => undefined
    const namespaces = this.namespaces()
    return (namespace) => namespaces.get(namespace)?.labels
  }

  /** Tells an observer of a kind's records, deleted ones included, until the scope ends. **Limits** within each change. */
  observe<K extends Kind.Kind>(kind: K, observer: Observer<RecordOf[K]>): Effect.Effect<void, never, Scope.Scope> {
    const table: KindTable<RecordOf[K]> = this.#tables[kind]
    return Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => table.observe(observer)),
        (end) => Effect.sync(end)
      )
    )
  }

  /** Gives the same as `silentMs`, of now. */
  age(kinds: ReadonlyArray<Kind.Kind>): Effect.Effect<number> {
    return Effect.map(steadyClock.now, (now) => this.silentMs(kinds, now))
  }

  /** Gives the age of the oldest of some kinds. **Shape** kinds that are not synced have no rows to be old. */
  ageMs(kinds: ReadonlyArray<Kind.Kind>, now: number): number {
    return Math.max(0, ...this.#synced(kinds).map((table) => Freshness.ageMs(table, now)))
  }

  /** Gives for how long nothing has been heard of the quietest of some kinds, a probe included while its watch runs. */
  silentMs(kinds: ReadonlyArray<Kind.Kind>, now: number): number {
    const { probedAt } = this.#health
    return Math.max(0, ...this.#synced(kinds).map((table) => Freshness.silentMs(table, probedAt, now)))
  }

  #synced(kinds: ReadonlyArray<Kind.Kind>) {
    return kinds.map((kind) => this.#tables[kind]).filter(({ sync }) => sync._tag === "Synced")
  }
}

/** Remembers the last result of a computation by the version of what it reads. */
const memo = <A>() => {
  let last: { readonly version: string; readonly value: A } | undefined
  return (version: string, compute: () => A): A => {
    if (last?.version !== version) last = { version, value: compute() }
    return last.value
  }
}
