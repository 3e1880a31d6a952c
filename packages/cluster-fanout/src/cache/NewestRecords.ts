/**
 * Bounds records to the newest of them.
 */
import { Heap } from "./Heap.ts"

/** The most records to keep; `ageOf` gives a text that sorts by time. */
export interface Bound<R> {
  readonly most: number
  readonly ageOf: (record: R) => string
}

interface Entry {
  readonly uid: string
  readonly at: string
}

const byAge = (one: Entry, other: Entry): number => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)

/** The records of a map by their age. **Shape** an entry that its record has outlived stays until it is met. */
export class NewestRecords<R> {
  readonly #bound: Bound<R>
  #entries: Heap<Entry> = new Heap([], byAge)

  constructor(bound: Bound<R>) {
    this.#bound = bound
  }

  /** Notes a record that was put. **Shape** gives the uid of the one that has no place any more, if one has not. */
  put(uid: string, records: ReadonlyMap<string, R>): string | undefined {
    const { ageOf, most } = this.#bound
    const record = records.get(uid)
    if (record === undefined) return undefined
    this.#entries.push({ uid, at: ageOf(record) })
    // What was put again and again, or is gone, must not pile up.
    if (this.#entries.size > 2 * most + records.size) {
      this.#entries = new Heap(
        [...records].map(([each, held]) => ({ uid: each, at: ageOf(held) })),
        byAge
      )
    }
    if (records.size <= most) return undefined
    for (let oldest = this.#entries.first; oldest !== undefined; oldest = this.#entries.first) {
      this.#entries.drop()
      const held = records.get(oldest.uid)
      if (held !== undefined && ageOf(held) === oldest.at) return oldest.uid
    }
    return undefined
  }
}
