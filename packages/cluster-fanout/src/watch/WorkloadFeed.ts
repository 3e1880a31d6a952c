/**
 * Collects the workload changes of all clusters once, for all readers.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Result } from "effect"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import { type ClusterCache, isSettled, type Member } from "../cache/ClusterCache.ts"
import type { ClusterReader, Question } from "../cache/ClusterReader.ts"
import type { ClusterStore } from "../cache/ClusterStore.ts"
import * as Coverage from "../kube/Coverage.ts"
import { coverageOf, unregistered } from "../list/FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ChangeLog } from "./ChangeLog.ts"
import { ClusterRows } from "./ClusterRows.ts"
import { FeedReaders } from "./WatchFeeds.ts"
import type { Standing, WorkloadReader } from "./WorkloadReader.ts"

/** Changes that are due up to this much later are reported together. **Units** milliseconds. */
const SPAN_MS = 20

/**
 * Time after which a cluster's rows are shown although some of its kinds have not been read. **Units** milliseconds.
 */
const PATIENCE_MS = 3_000

interface Followed {
  readonly rows: ClusterRows<WorkloadRow>
  store: ClusterStore | undefined
  /** The store to follow once it has been read, and the time at which the wait for it began. */
  awaited: ClusterStore | undefined
  awaitedAt: number
}

type Parts = {
  readonly cache: ClusterCache["Service"]
  readonly reader: ClusterReader["Service"]
  /** Returns the time in milliseconds by `steadyClock`. */
  readonly now: () => number
  /** Called when a change waits to be reported. */
  readonly notify: () => void
}

export class WorkloadFeed {
  readonly log: ChangeLog<WorkloadRow>
  readonly readers = new FeedReaders<WorkloadReader>()
  readonly #parts: Parts
  readonly #followed = new Map<ClusterName, Followed>()
  #isBegun = false
  #registered: ReadonlyMap<ClusterName, Cluster> = new Map()
  #standings = new Map<string, Standing>()

  /** Starts a log. `name` identifies it. */
  constructor(name: string, parts: Parts) {
    this.log = new ChangeLog(name)
    this.#parts = parts
  }

  /** The registered clusters, in the registry's order. */
  get names(): ReadonlyArray<ClusterName> {
    return [...this.#registered.keys()]
  }

  /** Time of the next `flush`; `undefined` if no change waits. **Units** as `Parts.now`. */
  get due(): number | undefined {
    let first: number | undefined
    for (const { rows } of this.#followed.values()) {
      if (rows.due !== undefined) first = Math.min(first ?? rows.due, rows.due)
    }
    return first
  }

  /** Returns whether a cluster is registered, or some of its rows have not been reported as gone yet. */
  has(name: ClusterName): boolean {
    return this.#registered.has(name) || this.#followed.has(name)
  }

  /** Returns the rows of a cluster as reported to readers. */
  reported(name: ClusterName): ReadonlyArray<WorkloadRow> {
    return this.#followed.get(name)?.rows.reported() ?? []
  }

  /** Returns the cached state of a cluster. */
  storeOf(name: ClusterName): ClusterStore | undefined {
    const cluster = this.#registered.get(name)
    return cluster === undefined ? undefined : this.#parts.cache.find(cluster)?.store
  }

  /** Follows exactly these clusters. The rows at the first call count as reported: no reader has received others. */
  prepare(clusters: ReadonlyArray<Cluster>): void {
    const isFirst = !this.#isBegun
    this.#isBegun = true
    this.#standings = new Map()
    this.#registered = new Map(clusters.map((cluster) => [cluster.name, cluster]))
    for (const cluster of clusters) this.#followOne(cluster, isFirst)
    for (const [name, followed] of this.#followed) {
      if (this.#registered.has(name)) continue
      if (followed.store !== undefined) followed.rows.end(true)
      followed.store = undefined
      followed.awaited = undefined
      if (followed.rows.due === undefined) this.#followed.delete(name)
      else this.#parts.notify()
    }
  }

  /** Reports due changes to all readers. */
  flush(): void {
    const now = this.#parts.now()
    for (const { rows } of this.#followed.values()) rows.settle()
    if (this.due === undefined || this.due > now) return
    // Refresh before `rows.take`: readers need the rows from before the changes to report those that a namespace change
    // hides.
    this.readers.notify((reader) => reader.refresh(now))
    const changes = [...this.#followed.values()].flatMap(({ rows }) => rows.take(now + SPAN_MS))
    if (changes.length === 0) return
    const numbered = this.log.append(changes)
    this.readers.notify((reader) => reader.take(numbered))
  }

  /** Follows exactly these clusters, and updates all readers on their state. */
  survey(clusters: ReadonlyArray<Cluster>): void {
    this.prepare(clusters)
    const now = this.#parts.now()
    this.readers.notify((reader) => reader.survey(now))
  }

  /**
   * Returns a cluster's current coverage for a read request. **Limits** cached by question until the next call of
   * `prepare`.
   */
  standingOf(name: ClusterName, question: Question, now: number): Standing {
    const key = `${name} ${question.kinds.join()} ${String(question.needsLabels)}`
    const known = this.#standings.get(key)
    if (known !== undefined) return known
    const standing = this.#stand(name, question, now)
    this.#standings.set(key, standing)
    return standing
  }

  /** Stops following all clusters. */
  end(): void {
    for (const { rows } of this.#followed.values()) rows.end(false)
    this.#followed.clear()
  }

  #followOne(cluster: Cluster, isFirst: boolean): void {
    const now = this.#parts.now()
    const known = this.#followed.get(cluster.name)
    const followed: Followed = known ?? {
      rows: new ClusterRows<WorkloadRow>(this.#parts.now, this.#parts.notify),
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
}

const standing = (coverage: Coverage.Coverage, isComplete: boolean): Standing => {
  const { error, missingKinds, status } = coverage
  return { coverage, state: JSON.stringify([status, error?.code, missingKinds]), isComplete }
}

/**
 * Returns whether rows can be shown. Rows made before all kinds are read may be wrong: a pod would appear as its own
 * workload.
 */
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
