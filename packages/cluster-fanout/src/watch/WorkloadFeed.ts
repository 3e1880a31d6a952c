/**
 * The changes of all workloads of all clusters, gathered once for everybody who follows some of them.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Result } from "effect"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import { type ClusterCache, isSettled, type Member } from "../cache/ClusterCache.ts"
import type { ClusterReader, Question } from "../cache/ClusterReader.ts"
import type { ClusterStore } from "../cache/ClusterStore.ts"
import * as Coverage from "../kube/Coverage.ts"
import { Signal } from "../kube/Signal.ts"
import { coverageOf, unregistered } from "../list/FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ChangeLog } from "./ChangeLog.ts"
import { ClusterRows } from "./ClusterRows.ts"
import type { Standing, WorkloadReader } from "./WorkloadReader.ts"

/**
 * How long changes are gathered before they are told, in milliseconds. Changes of one row within `windowMs` are one;
 * they are told up to `leadMs` earlier, so that a timer that is late keeps to it, with those of others that came up to
 * `spanMs` later.
 */
const TIMES = { windowMs: 250, leadMs: 30, spanMs: 20 }

/** A cluster some of whose kinds do not come is shown without them. **Units** milliseconds. */
const PATIENCE_MS = 3_000

interface Followed {
  readonly rows: ClusterRows<WorkloadRow>
  store: ClusterStore | undefined
  /** The store that is to be followed once it is read, and since when it is waited for. */
  awaited: ClusterStore | undefined
  awaitedAt: number
}

type Parts = {
  readonly cache: ClusterCache["Service"]
  readonly reader: ClusterReader["Service"]
  /** The time in milliseconds by `steadyClock`. */
  readonly now: () => number
}

export class WorkloadFeed {
  readonly log: ChangeLog<WorkloadRow>
  /** Is notified when something waits to be told. */
  readonly signal = new Signal()
  readonly readers = new Set<WorkloadReader>()
  readonly #parts: Parts
  readonly #followed = new Map<ClusterName, Followed>()
  #registered: ReadonlyMap<ClusterName, Cluster> = new Map()
  #standings = new Map<string, Standing>()

  /** Begins a log under `name`, which tells it from every other. */
  constructor(name: string, parts: Parts) {
    this.log = new ChangeLog(name)
    this.#parts = parts
  }

  /** The registered clusters, in the registry's order. */
  get names(): ReadonlyArray<ClusterName> {
    return [...this.#registered.keys()]
  }

  /** When the readers must hear of what waits longest; `undefined` when nothing waits. **Units** as `Parts.now`. */
  get due(): number | undefined {
    let oldest: number | undefined
    for (const { rows } of this.#followed.values()) {
      if (rows.oldest !== undefined) oldest = Math.min(oldest ?? rows.oldest, rows.oldest)
    }
    return oldest === undefined ? undefined : oldest + TIMES.windowMs - TIMES.leadMs
  }

  /** Tells whether a cluster is registered, or its rows have not all gone yet. */
  has(name: ClusterName): boolean {
    return this.#registered.has(name) || this.#followed.has(name)
  }

  /** Gives the rows of a cluster as readers were told them. */
  told(name: ClusterName): ReadonlyArray<WorkloadRow> {
    return this.#followed.get(name)?.rows.told() ?? []
  }

  /** Gives what the cache holds of a cluster now. */
  storeOf(name: ClusterName): ClusterStore | undefined {
    const cluster = this.#registered.get(name)
    return cluster === undefined ? undefined : this.#parts.cache.find(cluster)?.store
  }

  /** Follows the clusters that there are now. **Shape** `isFirst`: nobody was told anything yet. */
  follow(clusters: ReadonlyArray<Cluster>, isFirst: boolean): void {
    this.#standings = new Map()
    this.#registered = new Map(clusters.map((cluster) => [cluster.name, cluster]))
    for (const cluster of clusters) this.#followOne(cluster, isFirst)
    for (const [name, followed] of this.#followed) {
      if (this.#registered.has(name)) continue
      if (followed.store !== undefined) followed.rows.end(true)
      followed.store = undefined
      followed.awaited = undefined
      if (followed.rows.oldest === undefined) this.#followed.delete(name)
      else this.signal.notify()
    }
  }

  /** Tells all readers what is due. */
  flush(): void {
    const now = this.#parts.now()
    const until = now - TIMES.windowMs + TIMES.leadMs + TIMES.spanMs
    // A row that goes together with its namespace's scope is known only until it is taken.
    this.#eachReader((reader) => reader.refresh(now))
    const changes = [...this.#followed.values()].flatMap(({ rows }) => rows.take(until))
    if (changes.length === 0) return
    const numbered = this.log.append(changes)
    this.#eachReader((reader) => reader.take(numbered))
  }

  /** Tells all readers how their clusters stand. */
  survey(): void {
    const now = this.#parts.now()
    this.#eachReader((reader) => reader.survey(now))
  }

  /** Tells how a cluster answers a question now. **Limits** computed once between two calls of `follow` for all who ask alike. */
  standingOf(name: ClusterName, question: Question, now: number): Standing {
    const key = `${name} ${question.kinds.join()} ${String(question.needsLabels)}`
    const known = this.#standings.get(key)
    if (known !== undefined) return known
    const standing = this.#stand(name, question, now)
    this.#standings.set(key, standing)
    return standing
  }

  /** Ends: nothing is followed any more. */
  end(): void {
    for (const { rows } of this.#followed.values()) rows.end(false)
    this.#followed.clear()
  }

  #followOne(cluster: Cluster, isFirst: boolean): void {
    const now = this.#parts.now()
    const known = this.#followed.get(cluster.name)
    const followed: Followed = known ?? {
      rows: new ClusterRows<WorkloadRow>(this.#parts.now, () => this.signal.notify()),
      store: undefined,
      awaited: undefined,
      awaitedAt: now
    }
    this.#followed.set(cluster.name, followed)
    const member = this.#parts.cache.find(cluster)
    if (member === undefined || member.store === followed.store) return
    const { store } = member
    if (store !== followed.awaited) {
      followed.awaited = store
      followed.awaitedAt = now
    }
    if (!isReadable(member, now - followed.awaitedAt)) return
    followed.store = store
    followed.rows.follow(store.rows, (touched) => observe(store, touched))
    if (isFirst) followed.rows.showAll()
  }

  #stand(name: ClusterName, question: Question, now: number): Standing {
    const cluster = this.#registered.get(name)
    if (cluster === undefined) return standing(unregistered(name, "cache").coverage, true)
    const member = this.#parts.cache.find(cluster)
    const isSettledNow = member !== undefined && question.kinds.every((kind) => isSettled(member, kind))
    const { timeoutMs } = question
    const reading =
      this.#parts.reader.look(cluster, question, now)
      ?? Result.fail(new ClusterError({ cluster: name, reason: new ClusterTimeout({ timeoutMs }) }))
    if (Result.isFailure(reading)) {
      return standing(Coverage.fromError(reading.failure, { source: "cache", latencyMs: 0 }), isSettledNow)
    }
    const answer = { ...reading.success, value: undefined, count: 0 }
    const isShown = this.#followed.get(name)?.rows.isShown === true
    return standing(coverageOf(name, answer, "cache", 0), isShown)
  }

  /** One reader's defect is none of the others'. */
  #eachReader(tell: (reader: WorkloadReader) => void): void {
    for (const reader of this.readers) {
      try {
        tell(reader)
      } catch (defect) {
        this.readers.delete(reader)
        reader.broken(defect)
      }
    }
  }
}

const standing = (coverage: Coverage.Coverage, isComplete: boolean): Standing => {
  const { error, missingKinds, status } = coverage
  return { coverage, state: JSON.stringify([status, error?.code, missingKinds]), isComplete }
}

/** Rows of a cluster whose kinds have not all come would be told as what they are not: a pod as its own workload. */
const isReadable = (member: Member, waitedMs: number): boolean =>
  Kind.workloadKinds.some((kind) => member.store.table(kind).sync._tag === "Synced")
  && (waitedMs >= PATIENCE_MS || Kind.workloadKinds.every((kind) => isSettled(member, kind)))

const observe = (store: ClusterStore, touched: () => void): (() => void) => {
  const ends = Kind.workloadKinds.map((kind) =>
    store.table(kind).observe({ put: touched, gone: touched, whole: touched })
  )
  return () => {
    for (const end of ends) end()
  }
}
