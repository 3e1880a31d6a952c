/**
 * The records of one kind in one cluster, and how current they are.
 *
 * A new initial state is collected beside the rows that are shown, and takes their place at once when it is whole: a
 * reader never sees a part of it, and what is absent from it is gone.
 */
import type { ClusterError } from "../kube/ClusterError.ts"
import { type Bound, NewestRecords } from "./NewestRecords.ts"
import * as resourceVersion from "../kube/ResourceVersion.ts"
import type { Change } from "../projection/Projection.ts"

/**
 * How a kind stands.
 *
 * **Shape** `pending`: never synced yet. `synced`: rows are shown, `live` while its watch runs. `missing`: the
 * credential may not read it, or the server does not serve it; no rows are shown.
 */
export type Sync =
  | { readonly _tag: "Pending"; readonly error: ClusterError | undefined }
  | { readonly _tag: "Synced"; readonly live: boolean; readonly error: ClusterError | undefined }
  | { readonly _tag: "Missing"; readonly error: ClusterError }

/** Tells a kind that cannot be read, however often one asks, from a cluster that did not answer. */
export const isMissing = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterForbids" || reason._tag === "ClusterUnsupported"

/** Whether a kind has more objects in a cluster than may be held, or a list of it has no end. */
export const isTooLarge = (error: ClusterError | undefined): boolean => error?.reason._tag === "ClusterTooLarge"

/** Tells whether one version of an object is later than another. */
export type IsNewer<R> = (next: R, held: R) => boolean

/** Hears what becomes of the records of a kind, as it is shown. **Limits** called within the change: must be quick. */
export interface Observer<R> {
  /** A record appeared, or changed from the one that was held. */
  readonly put: (record: R, held: R | undefined) => void
  /** A record goes: it is not in the table any more. */
  readonly gone: (record: R) => void
  /** All that is there now; what is not in it is gone. */
  readonly whole: (records: ReadonlyMap<string, R>) => void
}

/** Shown of a kind of which nothing is known yet. A store of one question has ten tables, and uses one. */
const NONE: ReadonlyMap<string, never> = new Map<string, never>()

export class KindTable<R extends { readonly uid: string }> {
  readonly #isNewer: IsNewer<R>
  readonly #bound: Bound<R> | undefined
  /** Of what is being collected, then of what is shown. */
  #newest: NewestRecords<R> | undefined
  #records: Map<string, R> | undefined
  /** Whether an initial state is being collected, and what of it has come. */
  #isStaging = true
  #staged: Map<string, R> | undefined
  /** When the first of it came. */
  #stagedSince: number | undefined
  /** Whether the watch ended, and what it goes on with has not caught up. */
  #isBehind = false
  /** The objects that events changed since a comparison began, if one is under way. */
  #touched: Set<string> | undefined
  #sync: Sync = { _tag: "Pending", error: undefined }
  #provenAt: number | undefined
  #version = 0
  #observers: ReadonlyArray<Observer<R>> = []

  /**
   * Makes a table in which a record gives way only to one that `isNewer`, which protects what a comparison has
   * corrected from a watch that lags behind; without it the last one wins. With a `bound` the oldest records make room
   * for newer ones.
   */
  constructor(isNewer: IsNewer<R> = () => true, bound?: Bound<R>) {
    this.#isNewer = isNewer
    this.#bound = bound
    this.#newest = bound === undefined ? undefined : new NewestRecords(bound)
  }

  /** The records that are shown. **Limits** changes in place: take what you need before you wait. */
  get records(): ReadonlyMap<string, R> {
    return this.#records ?? NONE
  }

  /** Records that are shown, or are being collected, whichever are more. */
  get size(): number {
    return Math.max(this.#records?.size ?? 0, this.#staged?.size ?? 0)
  }

  get sync(): Sync {
    return this.#sync
  }

  /**
   * When an event, a bookmark or a whole initial state, which is as old as the first that came of it, last proved the records
   * current; milliseconds by `steadyClock`.
   */
  get provenAt(): number | undefined {
    return this.#provenAt
  }

  /** Differs whenever the records do. */
  get version(): number {
    return this.#version
  }

  /** Applies a batch in order. **Shape** gives whether an initial state became whole in it. */
  apply(changes: ReadonlyArray<Change<R>>, now: number): boolean {
    let synced = false
    for (const change of changes) {
      if (change._tag === "Restart") this.#restart()
      else if (change._tag === "Synced") synced = this.#complete() || synced
      else if (change._tag === "Resumed") this.#resume()
      else if (change._tag !== "Bookmark") this.#write(change)
      // The list that a restart announces is yet to be asked for.
      if (this.#isStaging && change._tag !== "Restart") this.#stagedSince ??= now
    }
    // What is still being collected, or caught up with, proves nothing about what is shown.
    if (!this.#isStaging && !this.#isBehind && changes.length > 0) {
      // All pages of a list are of the moment of the first.
      this.#provenAt = synced ? (this.#stagedSince ?? now) : now
    }
    return synced
  }

  /** Begins to collect a new initial state; rows stay as they are until it is whole. */
  begin(): void {
    this.#restart()
  }

  /** Begins to tell an observer, with all that is there if the kind is synced. **Shape** gives what ends it. */
  observe(observer: Observer<R>): () => void {
    this.#observers = [...this.#observers, observer]
    if (this.#sync._tag === "Synced") observer.whole(this.records)
    return () => {
      this.#observers = this.#observers.filter((other) => other !== observer)
    }
  }

  /** Says that the watch ended; rows stay as they are. */
  fail(error: ClusterError): void {
    this.#restart()
    this.#sync = this.#sync._tag === "Synced" ? { _tag: "Synced", live: false, error } : { _tag: "Pending", error }
  }

  /**
   * Says that the watch ended and may go on where it was: what it tells next is of the rows that are there, which are current
   * again with `Resumed`.
   */
  interrupt(error: ClusterError): void {
    if (this.#isStaging || this.#sync._tag !== "Synced") return this.fail(error)
    this.#isBehind = true
    this.#sync = { _tag: "Synced", live: false, error }
  }

  /** Says that the kind cannot be read: its rows are no longer the service's to show. */
  miss(error: ClusterError): void {
    this.#restart()
    this.#show(new Map())
    this.#provenAt = undefined
    this.#sync = { _tag: "Missing", error }
  }

  /** Forgets everything, as before the first initial state. */
  forget(): void {
    this.#restart()
    this.#show(new Map())
    this.#provenAt = undefined
    this.#sync = { _tag: "Pending", error: undefined }
  }

  /** Begins to note what events change, so that a list asked for now can be told from them. **Limits** one at a time. */
  beginComparison(): void {
    this.#touched = new Set()
  }

  /** Ends a comparison whose list did not arrive. */
  abandonComparison(): void {
    this.#touched = undefined
  }

  /**
   * Makes the records those of a list that was asked for after `beginComparison`, and counts it as proof.
   *
   * **Shape** what an event changed meanwhile stays, unless the list holds a later version of it. Gives the number of
   * corrections; `undefined` when a new initial state overtook the comparison, which then says nothing.
   */
  endComparison(listed: ReadonlyMap<string, R>, askedAt: number): number | undefined {
    const touched = this.#touched
    this.#touched = undefined
    if (touched === undefined) return undefined

    let corrections = 0
    const records = (this.#records ??= new Map<string, R>())
    for (const [uid, record] of listed) {
      const held = records.get(uid)
      const isKnownBetter = touched.has(uid) && (held === undefined || !this.#isNewer(record, held))
      // An untouched record is the list's to judge also backwards: a server restored from a backup counts from before.
      const isSame = held !== undefined && !this.#isNewer(record, held) && !this.#isNewer(held, record)
      if (isKnownBetter || isSame) continue
      records.set(uid, record)
      corrections++
    }
    for (const uid of [...records.keys()]) {
      if (listed.has(uid) || touched.has(uid)) continue
      records.delete(uid)
      corrections++
    }
    if (corrections > 0) {
      this.#version++
      this.#tell((observer) => observer.whole(records))
    }
    this.#provenAt = Math.max(this.#provenAt ?? 0, askedAt)
    return corrections
  }

  #resume(): void {
    if (!this.#isBehind) return
    this.#isBehind = false
    this.#sync = { _tag: "Synced", live: true, error: undefined }
  }

  #restart(): void {
    this.#isBehind = false
    this.#isStaging = true
    this.#staged = undefined
    this.#stagedSince = undefined
    if (this.#bound !== undefined) this.#newest = new NewestRecords(this.#bound)
    if (this.#sync._tag === "Synced") this.#sync = { ...this.#sync, live: false }
  }

  #complete(): boolean {
    if (!this.#isStaging) return false
    this.#show(this.#staged ?? new Map<string, R>())
    this.#isStaging = false
    this.#staged = undefined
    this.#sync = { _tag: "Synced", live: true, error: undefined }
    return true
  }

  #show(records: Map<string, R>): void {
    this.#records = records
    this.#touched = undefined
    this.#version++
    this.#tell((observer) => observer.whole(records))
  }

  #write(change: Extract<Change<R>, { readonly _tag: "Put" | "Delete" }>): void {
    const uid = change._tag === "Put" ? change.record.uid : change.uid
    if (this.#isStaging) {
      const staged = (this.#staged ??= new Map<string, R>())
      set(staged, uid, change)
      const outlived = this.#newest?.put(uid, staged)
      if (outlived !== undefined) staged.delete(outlived)
      return
    }
    const records = (this.#records ??= new Map<string, R>())
    this.#touched?.add(uid)
    const held = records.get(uid)
    if (change._tag === "Put" && held !== undefined && !this.#isNewer(change.record, held)) return
    set(records, uid, change)
    this.#version++
    if (change._tag === "Put") this.#tell((observer) => observer.put(change.record, held))
    else if (held !== undefined) this.#tell((observer) => observer.gone(held))
    const outlived = this.#newest?.put(uid, records)
    if (outlived !== undefined) this.#write({ _tag: "Delete", uid: outlived })
  }

  /** Tells all observers, also those behind one that throws; what was thrown first is thrown then. */
  #tell(tell: (observer: Observer<R>) => void): void {
    const defects: Array<unknown> = []
    for (const observer of this.#observers) {
      try {
        tell(observer)
      } catch (defect) {
        defects.push(defect)
      }
    }
    if (defects.length > 0) throw defects[0]
  }
}

const set = <R>(
  records: Map<string, R>,
  uid: string,
  change: { readonly _tag: "Put"; readonly record: R } | { readonly _tag: "Delete" }
) => {
  if (change._tag === "Put") records.set(uid, change.record)
  else records.delete(uid)
}

/**
 * Tells whether a resource version is later than another of the same object.
 *
 * **Shape** of versions that cannot be compared, the one that came last counts as later.
 */
export const isLaterVersion = (next: string, held: string): boolean => {
  const compared = resourceVersion.compare(next, held)
  return compared === undefined ? next !== held : compared > 0
}
