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
import type { ClusterRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"

/** A row that is new, changed or gone. */
export interface ClusterChange {
  readonly number: number
  readonly row: ClusterRow
  readonly isGone: boolean
}

/** Receives the changes of a view. */
export interface ClusterViewReader {
  readonly take: (changes: ReadonlyArray<ClusterChange>) => void
  readonly broken: (defect: unknown) => void
}

/** The same moment by two clocks: `now` in epoch milliseconds, `steady` in milliseconds by `steadyClock`. */
export interface Moment {
  readonly now: number
  readonly steady: number
}

interface Parts {
  readonly cache: ClusterCache["Service"]
  readonly reader: ClusterReader["Service"]
}

/** The size of a cluster, and the cache state it was computed from. */
interface Counted {
  readonly store: ClusterStore
  readonly state: string
  readonly size: ClusterSummary.Size
}

/** Removed clusters whose last change is kept. */
const MAX_GONE = 10_000

export class ClusterView {
  /** Identifies this view: its numbers have no meaning in another view. */
  readonly name: string
  readonly readers = new Set<ClusterViewReader>()
  readonly #namespaces: NamespaceFilter
  readonly #question: Question
  readonly #parts: Parts
  /** The last change of each cluster, oldest first. */
  readonly #changes = new Map<ClusterName, ClusterChange>()
  readonly #counted = new Map<ClusterName, Counted>()
  /** Time at which the wait for each unread cluster began. */
  readonly #awaited = new Map<ClusterName, number>()
  #last = 0
  /** Number of the newest change that was dropped. */
  #forgotten = 0

  constructor(name: string, namespaces: NamespaceFilter, timeoutMs: number, parts: Parts) {
    this.name = name
    this.#namespaces = namespaces
    this.#question = ClusterSummary.questionOf(namespaces, { consistency: "cache", timeoutMs })
    this.#parts = parts
  }

  /** The number of the last change; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** Returns the rows as reported to readers. */
  reported(): ReadonlyArray<ClusterRow> {
    return [...this.#changes.values()].flatMap(({ isGone, row }) => (isGone ? [] : row))
  }

  /** Returns the changes after a number, at most one a cluster; `undefined` if the number is unknown or too old. */
  since(number: number): ReadonlyArray<ClusterChange> | undefined {
    if (!Number.isSafeInteger(number) || number < this.#forgotten || number > this.#last) return undefined
    return [...this.#changes.values()].filter((change) => change.number > number)
  }

  /**
   * Compares the registered clusters with the reported rows, and reports the differences.
   *
   * **Shape** with `isPatient`, a cluster that is still being read keeps its reported row for up to the list timeout.
   */
  survey(clusters: ReadonlyArray<Cluster>, moment: Moment, isPatient: boolean): void {
    const changes: Array<ClusterChange> = []
    for (const cluster of clusters) {
      if (isPatient && this.#isAwaited(cluster, moment.steady)) continue
      const row = this.#rowOf(cluster, moment)
      const known = this.#changes.get(cluster.name)
      if (known === undefined || known.isGone || !isSame(known.row, row)) changes.push(this.#note(row, false))
    }
    const names = new Set(clusters.map(({ name }) => name))
    for (const { isGone, row } of [...this.#changes.values()]) {
      if (!isGone && !names.has(row.name)) changes.push(this.#note(row, true))
    }
    this.#forget(names)
    if (changes.length > 0) this.#report(changes)
  }

  #note(row: ClusterRow, isGone: boolean): ClusterChange {
    const change = { number: ++this.#last, row, isGone }
    this.#changes.delete(row.name)
    this.#changes.set(row.name, change)
    return change
  }

  /** Drops the state of clusters that are not registered. */
  #forget(names: ReadonlySet<ClusterName>): void {
    for (const stateByName of [this.#awaited, this.#counted]) {
      for (const name of stateByName.keys()) if (!names.has(name)) stateByName.delete(name)
    }
    let over = this.#changes.size - names.size - MAX_GONE
    for (const [name, { isGone, number }] of this.#changes) {
      if (over <= 0) return
      if (!isGone) continue
      this.#changes.delete(name)
      this.#forgotten = number
      over--
    }
  }

  /** Reports changes to all readers. A defect of one reader does not affect the others. */
  #report(changes: ReadonlyArray<ClusterChange>): void {
    for (const reader of this.readers) {
      try {
        reader.take(changes)
      } catch (defect) {
        this.readers.delete(reader)
        reader.broken(defect)
      }
    }
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
    const versions = (["Pod", "Node", "Namespace"] as const).map((kind) => store.table(kind).version)
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
