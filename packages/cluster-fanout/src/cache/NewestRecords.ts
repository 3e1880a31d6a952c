/**
 * Limits a collection to its newest records.
 */
import { Heap } from "./Heap.ts"

/** Capacity of a table. `ageOf` returns a text that sorts by time. */
export interface Bound<R> {
  readonly max: number
  readonly ageOf: (record: R) => string
}

interface Entry {
  readonly uid: string
  readonly at: string
}

const byAge = (left: Entry, right: Entry): number => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0)

/**
 * Index of a map's records by age. **Shape** entries of replaced or removed records stay in the index, and are skipped
 * when they are reached.
 */
export class NewestRecords<R> {
  readonly #bound: Bound<R>
  #entries: Heap<Entry> = new Heap([], byAge)

  constructor(bound: Bound<R>) {
    this.#bound = bound
  }

  /** Adds a record. Returns the uid of the record to evict, if the map exceeds the capacity. */
  put(uid: string, records: ReadonlyMap<string, R>): string | undefined {
    const { ageOf, max } = this.#bound
    const record = records.get(uid)
    if (record === undefined) return undefined
    this.#entries.push({ uid, at: ageOf(record) })
    // Rebuild the index before entries of updated or deleted records pile up.
    if (this.#entries.size > 2 * max + records.size) {
      this.#entries = new Heap(
        [...records].map(([recordUid, current]) => ({ uid: recordUid, at: ageOf(current) })),
        byAge
      )
    }
    if (records.size <= max) return undefined
    for (let oldest = this.#entries.first; oldest !== undefined; oldest = this.#entries.first) {
      this.#entries.drop()
      const current = records.get(oldest.uid)
      if (current !== undefined && ageOf(current) === oldest.at) return oldest.uid
    }
    return undefined
  }
}
