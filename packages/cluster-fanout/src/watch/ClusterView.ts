/**
 * The clusters as keys of one namespace scope see them: their rows as readers were told them, and when each changed.
 *
 * Keeps the last change of each cluster alone: who was away needs the row as it is, and not what it was in between.
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
import { timedOut } from "../list/AskInTime.ts"
import { coverageOf, type Reply } from "../list/FanOut.ts"
import type { ClusterRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"

/** A row that is there, new or changed, or that is no longer there. */
export interface ClusterChange {
  readonly number: number
  readonly row: ClusterRow
  readonly isGone: boolean
}

/** Takes the changes of a view. */
export interface ClusterViewReader {
  readonly take: (changes: ReadonlyArray<ClusterChange>) => void
  readonly broken: (defect: unknown) => void
}

/** One moment by both clocks: `now` in epoch milliseconds, `steady` in milliseconds by `steadyClock`. */
export interface Moment {
  readonly now: number
  readonly steady: number
}

interface Parts {
  readonly cache: ClusterCache["Service"]
  readonly reader: ClusterReader["Service"]
}

/** What was counted of a cluster, and of which state of it. */
interface Counted {
  readonly store: ClusterStore
  readonly state: string
  readonly size: ClusterSummary.Size
}

/** How many clusters are remembered that were dropped. */
const MOST_GONE = 10_000

export class ClusterView {
  /** Tells the numbers of this view from those of every other. */
  readonly name: string
  readonly readers = new Set<ClusterViewReader>()
  readonly #namespaces: NamespaceFilter
  readonly #question: Question
  readonly #parts: Parts
  /** The last change of each cluster, in the order in which they came. */
  readonly #changes = new Map<ClusterName, ClusterChange>()
  readonly #counted = new Map<ClusterName, Counted>()
  /** Since when clusters are waited for that are not read yet. */
  readonly #awaited = new Map<ClusterName, number>()
  #last = 0
  /** The last change that is no longer known. */
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

  /** Gives the rows as readers were told them. */
  told(): ReadonlyArray<ClusterRow> {
    return [...this.#changes.values()].flatMap(({ isGone, row }) => (isGone ? [] : row))
  }

  /** Gives what changed after a number, each cluster once; `undefined` where that is not known any more. */
  since(number: number): ReadonlyArray<ClusterChange> | undefined {
    if (!Number.isSafeInteger(number) || number < this.#forgotten || number > this.#last) return undefined
    return [...this.#changes.values()].filter((change) => change.number > number)
  }

  /**
   * Looks at the clusters that are registered, and tells readers what changed.
   *
   * **Shape** with `isPatient` a cluster that is being read is left as it was told, for as long as a list waits.
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
    if (changes.length > 0) this.#tell(changes)
  }

  #note(row: ClusterRow, isGone: boolean): ClusterChange {
    const change = { number: ++this.#last, row, isGone }
    this.#changes.delete(row.name)
    this.#changes.set(row.name, change)
    return change
  }

  /** Forgets what is kept of clusters that are not registered. */
  #forget(names: ReadonlySet<ClusterName>): void {
    for (const kept of [this.#awaited, this.#counted]) {
      for (const name of kept.keys()) if (!names.has(name)) kept.delete(name)
    }
    let over = this.#changes.size - names.size - MOST_GONE
    for (const [name, { isGone, number }] of this.#changes) {
      if (over <= 0) return
      if (!isGone) continue
      this.#changes.delete(name)
      this.#forgotten = number
      over--
    }
  }

  /** One reader's defect is none of the others'. */
  #tell(changes: ReadonlyArray<ClusterChange>): void {
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

  /** Counts a cluster again only where something of it changed. */
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

/** Tells whether two rows say the same: when a cluster was heard of last is no change, or a quiet fleet would never be quiet. */
const isSame = (one: ClusterRow, other: ClusterRow): boolean =>
  isDeepStrictEqual(withoutTimes(one), withoutTimes(other))

const withoutTimes = ({ coverage, lastSeen: _seen, ...row }: ClusterRow) => {
  const { ageMs: _age, error, latencyMs: _latency, ...answer } = coverage
  return { row, answer, code: error?.code, message: error?.message }
}
