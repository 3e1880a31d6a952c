/**
 * The clusters as visible to the keys of one namespace scope: the reported rows, and when each changed.
 *
 * Keeps only the last change of each cluster. A reader that reconnects needs the current row, not those in between.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { Result } from "effect"
import { isDeepStrictEqual } from "node:util"
import { type ClusterCache, isSettled } from "../cache/ClusterCache.ts"
import type { ClusterReader, Question, Reading } from "../cache/ClusterReader.ts"
import type { ClusterStore } from "../cache/ClusterStore.ts"
import * as Coverage from "../kube/Coverage.ts"
import * as ClusterSummary from "../list/ClusterSummary.ts"
import { timedOut } from "../list/DeadlineFanOut.ts"
import { coverageOf, type Reply } from "../list/FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import type { ClusterRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { type Change, ChangeLog, type NumberedChange } from "./ChangeLog.ts"
import { type FeedReader, FeedReaders } from "./WatchFeeds.ts"

/** Receives the changes of a view. */
export interface ClusterViewReader extends FeedReader {
  readonly take: (changes: ReadonlyArray<NumberedChange<ClusterRow>>) => void
}

/** The same moment by two clocks: `now` in epoch milliseconds, `steady` in milliseconds by `steadyClock`. */
interface Moment {
  readonly now: number
  readonly steady: number
}

interface Parts {
  readonly cache: ClusterCache["Service"]
  readonly reader: ClusterReader["Service"]
  readonly moment: () => Moment
}

/** The size of a cluster, and the cache state it was computed from. */
interface Counted {
  readonly store: ClusterStore
  readonly state: string
  readonly size: ClusterSummary.Size
}

export class ClusterView {
  /** The last change of each cluster. */
  readonly log: ChangeLog<ClusterRow>
  readonly readers = new FeedReaders<ClusterViewReader>()
  readonly #namespaces: NamespaceFilter
  readonly #question: Question
  readonly #parts: Parts
  /** The rows as reported to readers. */
  readonly #rows = new Map<ClusterName, ClusterRow>()
  readonly #counted = new Map<ClusterName, Counted>()
  /** Time at which the wait for each unread cluster began. */
  readonly #awaited = new Map<ClusterName, number>()

  constructor(name: string, namespaces: NamespaceFilter, timeoutMs: number, parts: Parts) {
    this.log = new ChangeLog(name, (row) => row.name)
    this.#namespaces = namespaces
    this.#question = ClusterSummary.questionOf(namespaces, { consistency: "cache", timeoutMs })
    this.#parts = parts
  }

  /** Returns the rows as reported to readers. */
  reported(): ReadonlyArray<ClusterRow> {
    return [...this.#rows.values()]
  }

  /** Compares the reported rows with the registered clusters, and reports all differences. */
  prepare(clusters: ReadonlyArray<Cluster>): void {
    this.#compare(clusters, () => false)
  }

  /**
   * Does the same as `prepare` if there are readers. A cluster that is still being read keeps its reported row for up
   * to the list timeout.
   */
  survey(clusters: ReadonlyArray<Cluster>): void {
    // Without a reader, nothing is compared until the next `prepare`.
    if (this.readers.size > 0) this.#compare(clusters, (cluster, { steady }) => this.#isAwaited(cluster, steady))
  }

  #compare(clusters: ReadonlyArray<Cluster>, isAwaited: (cluster: Cluster, moment: Moment) => boolean): void {
    const moment = this.#parts.moment()
    const changes: Array<Change<ClusterRow>> = []
    for (const cluster of clusters) {
      if (isAwaited(cluster, moment)) continue
      const next = this.#rowOf(cluster, moment)
      const previous = this.#rows.get(cluster.name)
      if (previous !== undefined && isSame(previous, next)) continue
      this.#rows.set(cluster.name, next)
      changes.push({ previous, next })
    }
    const names = new Set(clusters.map(({ name }) => name))
    for (const [name, previous] of this.#rows) if (!names.has(name)) changes.push({ previous, next: undefined })
    for (const stateByName of [this.#awaited, this.#counted, this.#rows]) {
      for (const name of stateByName.keys()) if (!names.has(name)) stateByName.delete(name)
    }
    if (changes.length === 0) return
    const numbered = this.log.append(changes)
    this.readers.notify((reader) => reader.take(numbered))
  }

  #isAwaited(cluster: Cluster, steady: number): boolean {
    const member = this.#parts.cache.find(cluster)
    if (member !== undefined && this.#question.kinds.every((kind) => isSettled(member, kind))) {
      this.#awaited.delete(cluster.name)
      return false
    }
    const since = this.#awaited.get(cluster.name) ?? steady
    this.#awaited.set(cluster.name, since)
    return steady - since < this.#question.timeoutMs
  }

  #rowOf(cluster: Cluster, moment: Moment): ClusterRow {
    const reading =
      this.#parts.reader.look(cluster, this.#question, moment.steady)
      ?? Result.fail(timedOut(cluster.name, this.#question.timeoutMs))
    const reply: Reply<ClusterSummary.Summary> = Result.isFailure(reading)
      ? { coverage: Coverage.fromError(reading.failure, { source: "cache", latencyMs: 0 }), value: undefined }
      : this.#replyOf(cluster.name, reading.success)
    const { cache } = this.#parts
    return ClusterSummary.toRow(cluster, cache.find(cluster), reply, {
      ...moment,
      sameCluster: cache.sameCluster(cluster.name)
    })
  }

  #replyOf(name: ClusterName, reading: Reading): Reply<ClusterSummary.Summary> {
    const value = { size: this.#sizeOf(name, reading), version: undefined }
    return { coverage: coverageOf(name, ClusterSummary.answerOf(reading, value), "cache", 0), value }
  }

  /** Computes the size of a cluster, if its cached state has changed. */
  #sizeOf(name: ClusterName, reading: Reading): ClusterSummary.Size {
    const { missingKinds, store } = reading
    const versions = ([...Kind.workloadKinds, "Node", "Namespace"] as const).map((kind) => store.table(kind).version)
    const state = [...versions, ...missingKinds].join(" ")
    const known = this.#counted.get(name)
    if (known?.store === store && known.state === state) return known.size
    const size = ClusterSummary.sizeOf(reading, this.#namespaces)
    this.#counted.set(name, { store, state, size })
    return size
  }
}

/**
 * Returns whether two rows are equal apart from times. A new `lastSeen` alone is no change, because it differs at each
 * survey.
 */
const isSame = (left: ClusterRow, right: ClusterRow): boolean =>
  isDeepStrictEqual(withoutTimes(left), withoutTimes(right))

const withoutTimes = ({ coverage, lastSeen: _seen, ...row }: ClusterRow) => {
  const { ageMs: _age, error, latencyMs: _latency, ...answer } = coverage
  return { row, answer, code: error?.code, message: error?.message }
}
