/**
 * The records of one kind in one cluster, and how current they are.
 *
 * A new initial state is staged beside the visible records and replaces them once it is complete. Readers never see a
 * partial state.
 */
import type { ClusterError } from "../kube/ClusterError.ts"
import { type Bound, NewestRecords } from "./NewestRecords.ts"
import * as resourceVersion from "../kube/ResourceVersion.ts"
import type { Change } from "../projection/Projection.ts"

/**
 * Sync state of a kind.
 *
 * **Shape** `Pending`: never synced. `Synced`: rows are visible; `live` is true while the watch runs. `Missing`: the
 * credential may not read the kind, or the server does not serve it; no rows are visible.
 */
export type Sync =
  | { readonly _tag: "Pending"; readonly error: ClusterError | undefined }
  | { readonly _tag: "Synced"; readonly live: boolean; readonly error: ClusterError | undefined }
  | { readonly _tag: "Missing"; readonly error: ClusterError }

/** Returns whether an error means that the kind cannot be read at all, rather than that the cluster did not answer. */
export const isMissing = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterForbids" || reason._tag === "ClusterUnsupported"

/** Returns whether a kind has more objects in a cluster than the limit, or its list does not end. */
export const isTooLarge = (error: ClusterError | undefined): boolean => error?.reason._tag === "ClusterTooLarge"

/** Returns whether one version of an object is newer than another. */
export type IsNewer<R> = (next: R, previous: R) => boolean

/**
 * Observes the visible records of a kind. **Limits** called synchronously at each change, so callbacks must be quick.
 */
export interface Observer<R> {
  /** A record was added, or replaced `previous`. */
  readonly put: (record: R, previous: R | undefined) => void
  /** A record was removed from the table. */
  readonly gone: (record: R) => void
  /** All records were replaced with `records`. */
  readonly whole: (records: ReadonlyMap<string, R>) => void
}

/** Shared empty map. The store of a live read has ten tables, most of which stay empty. */
const NONE: ReadonlyMap<string, never> = new Map<string, never>()

export class KindTable<R extends { readonly uid: string }> {
  readonly #isNewer: IsNewer<R>
  readonly #bound: Bound<R> | undefined
  /** Index by age: of the staged records while `#isStaging`, otherwise of the visible records. */
  #newest: NewestRecords<R> | undefined
  #records: Map<string, R> | undefined
  /** True while an initial state is being collected in `#staged`. */
  #isStaging = true
  #staged: Map<string, R> | undefined
  /** Time at which the first staged record arrived. */
  #stagedSince: number | undefined
  /** True if the watch ended and its resumption has not caught up. */
  #isBehind = false
  /** Uids changed by events since `beginComparison`; `undefined` if no comparison with a list is running. */
  #touched: Set<string> | undefined
  #sync: Sync = { _tag: "Pending", error: undefined }
  #provenAt: number | undefined
  #version = 0
  #observers: ReadonlyArray<Observer<R>> = []

  /**
   * Makes a table. A record is replaced only if `isNewer` accepts the new one, so that late watch events do not undo
   * the corrections of `endComparison`. Without `isNewer`, the last write wins. `bound` limits the number of records:
   * the oldest are evicted.
   */
  constructor(isNewer: IsNewer<R> = () => true, bound?: Bound<R>) {
    this.#isNewer = isNewer
    this.#bound = bound
    this.#newest = bound === undefined ? undefined : new NewestRecords(bound)
  }

  /** The visible records. **Limits** mutable: copy what you need before you wait. */
  get records(): ReadonlyMap<string, R> {
    return this.#records ?? NONE
  }

  /** Number of visible or of staged records, whichever is greater. */
  get size(): number {
    return Math.max(this.#records?.size ?? 0, this.#staged?.size ?? 0)
  }

  get sync(): Sync {
    return this.#sync
  }

  /**
   * Time at which the records were last confirmed as current, in milliseconds by `steadyClock`.
   *
   * **Shape** an event, a bookmark or a complete initial state confirms them. For an initial state, this is the time at
   * which its first record arrived.
   */
  get provenAt(): number | undefined {
    return this.#provenAt
  }

  /** Changes whenever the records do. */
  get version(): number {
    return this.#version
  }

  /** Applies a batch in order. Returns whether an initial state was completed in it. */
  apply(changes: ReadonlyArray<Change<R>>, now: number): boolean {
    let synced = false
    for (const change of changes) {
      if (change._tag === "Restart") this.#restart()
      else if (change._tag === "Synced") synced = this.#complete() || synced
      else if (change._tag === "Resumed") this.#resume()
      else if (change._tag !== "Bookmark") this.#write(change)
      // After a restart, the new list has not been requested yet.
      if (this.#isStaging && change._tag !== "Restart") this.#stagedSince ??= now
    }
    // Staged records, and events of a watch that has not caught up, do not show that the visible records are current.
    if (!this.#isStaging && !this.#isBehind && changes.length > 0) {
      // All pages of a list reflect the moment of its first page.
      this.#provenAt = synced ? (this.#stagedSince ?? now) : now
    }
    return synced
  }

  /** Starts to collect a new initial state. Visible records stay until it is complete. */
  begin(): void {
    this.#restart()
  }

  /** Adds an observer and, if the kind is synced, calls its `whole`. Returns the function that removes the observer. */
  observe(observer: Observer<R>): () => void {
    this.#observers = [...this.#observers, observer]
    if (this.#sync._tag === "Synced") observer.whole(this.records)
    return () => {
      this.#observers = this.#observers.filter((other) => other !== observer)
    }
  }

  /** Records that the watch ended. Visible records stay. */
  fail(error: ClusterError): void {
    this.#restart()
    this.#sync = this.#sync._tag === "Synced" ? { _tag: "Synced", live: false, error } : { _tag: "Pending", error }
  }

  /**
   * Records that the watch ended and may resume. Visible records stay, and count as current again after the event
   * `Resumed`.
   */
  interrupt(error: ClusterError): void {
    if (this.#isStaging || this.#sync._tag !== "Synced") return this.fail(error)
    this.#isBehind = true
    this.#sync = { _tag: "Synced", live: false, error }
  }

  /** Records that the kind cannot be read, and removes its rows. */
  miss(error: ClusterError): void {
    this.#restart()
    this.#show(new Map())
    this.#provenAt = undefined
    this.#sync = { _tag: "Missing", error }
  }

  /** Removes everything, as before the first initial state. */
  forget(): void {
    this.#restart()
    this.#show(new Map())
    this.#provenAt = undefined
    this.#sync = { _tag: "Pending", error: undefined }
  }

  /**
   * Begins a comparison with a list that is requested now: from here on, notes which records events change.
   * **Limits** one comparison at a time.
   */
  beginComparison(): void {
    this.#touched = new Set()
  }

  /** Ends a comparison whose list failed. */
  abandonComparison(): void {
    this.#touched = undefined
  }

  /**
   * Corrects the records to match a list requested after `beginComparison`. The list confirms them as current.
   *
   * **Shape** a record that an event changed meanwhile stays, unless the list has a newer version. Returns the number
   * of corrections, or `undefined` if a new initial state replaced the records during the comparison.
   */
  endComparison(listed: ReadonlyMap<string, R>, askedAt: number): number | undefined {
    const touched = this.#touched
    this.#touched = undefined
    if (touched === undefined) return undefined

    let corrections = 0
    const records = (this.#records ??= new Map<string, R>())
    for (const [uid, record] of listed) {
      const previous = records.get(uid)
      const isNewerKnown = touched.has(uid) && (previous === undefined || !this.#isNewer(record, previous))
      // For a record without events, an older version in the list wins too: a server restored from a backup counts
      // versions from an earlier point.
      const isSame = previous !== undefined && !this.#isNewer(record, previous) && !this.#isNewer(previous, record)
      if (isNewerKnown || isSame) continue
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
      this.#notify((observer) => observer.whole(records))
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
    this.#notify((observer) => observer.whole(records))
  }

  #write(change: Extract<Change<R>, { readonly _tag: "Put" | "Delete" }>): void {
    const uid = change._tag === "Put" ? change.record.uid : change.uid
    if (this.#isStaging) {
      const staged = (this.#staged ??= new Map<string, R>())
      set(staged, uid, change)
      const evictedUid = this.#newest?.put(uid, staged)
      if (evictedUid !== undefined) staged.delete(evictedUid)
      return
    }
    const records = (this.#records ??= new Map<string, R>())
    this.#touched?.add(uid)
    const previous = records.get(uid)
    if (change._tag === "Put" && previous !== undefined && !this.#isNewer(change.record, previous)) return
    set(records, uid, change)
    this.#version++
    if (change._tag === "Put") this.#notify((observer) => observer.put(change.record, previous))
    else if (previous !== undefined) this.#notify((observer) => observer.gone(previous))
    const evictedUid = this.#newest?.put(uid, records)
    if (evictedUid !== undefined) this.#write({ _tag: "Delete", uid: evictedUid })
  }

  /** Notifies all observers, even if one throws. Then throws the first error. */
  #notify(notify: (observer: Observer<R>) => void): void {
    const defects: Array<unknown> = []
    for (const observer of this.#observers) {
      try {
        notify(observer)
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
 * Returns whether a resource version is later than another of the same object.
 *
 * **Shape** if the versions cannot be compared, the one that arrived last counts as later.
 */
export const isLaterVersion = (next: string, previous: string): boolean => {
  const compared = resourceVersion.compare(next, previous)
  return compared === undefined ? next !== previous : compared > 0
}
