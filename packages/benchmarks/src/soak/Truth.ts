/**
 * The contents of a cluster over time, as recorded by its writer.
 */

/** The outcome of a write to one object. **Units** epoch milliseconds. **Shape** `value` is absent after a deletion. */
export interface Write {
  readonly value: number | undefined
  readonly begunAt: number
  /** The time of the server's confirmation. Absent if the answer was lost: the write may have happened or not. */
  endedAt: number | undefined
}

/** The times of a request and its answer in epoch milliseconds, and the allowed lag in milliseconds. */
export interface Span {
  readonly askedAt: number
  readonly hadAt: number
  readonly lagMs: number
}

const NEVER: Write = { value: undefined, begunAt: Number.NEGATIVE_INFINITY, endedAt: Number.NEGATIVE_INFINITY }

/** Maximum age of an answer, longer than any outage. **Units** milliseconds. */
const REMEMBERED_MS = 600_000

/** The writes to one cluster, in order. **Limits** remembers what answers of the last ten minutes may show. */
export class Truth {
  readonly #writes = new Map<string, Array<Write>>()

  /** All names ever written. */
  get names(): Iterable<string> {
    return this.#writes.keys()
  }

  begin(name: string, value: number | undefined, at: number): Write {
    const write: Write = { value, begunAt: at, endedAt: undefined }
    const writes = this.#writes.get(name) ?? [NEVER]
    const last = writes.findLastIndex(({ endedAt }) => endedAt !== undefined && endedAt < at - REMEMBERED_MS)
    this.#writes.set(name, [...writes.slice(Math.max(0, last)), write])
    return write
  }

  /** Returns the current objects. Writes with a lost answer count as not happened. */
  present(): ReadonlyArray<readonly [name: string, value: number]> {
    return [...this.#writes].flatMap(([name, writes]) => {
      const value = writes.findLast(({ endedAt }) => endedAt !== undefined)?.value
      return value === undefined ? [] : [[name, value] as const]
    })
  }

  /** Returns true if an answer may show this value for a name. `undefined` means that the object is missing. */
  allows(name: string, value: number | undefined, { askedAt, hadAt, lagMs }: Span): boolean {
    // Newest first: all writes before a superseded one are superseded too.
    let superseded = Number.POSITIVE_INFINITY
    const writes = this.#writes.get(name) ?? [NEVER]
    for (let at = writes.length - 1; at >= 0; at--) {
      const write = writes[at] ?? NEVER
      if (superseded < askedAt - lagMs) return false
      if (write.value === value && write.begunAt <= hadAt) return true
      superseded = Math.min(superseded, write.endedAt ?? Number.POSITIVE_INFINITY)
    }
    return false
  }

  /** Returns true if a name has not changed since the given time. */
  isQuiet(name: string, since: number): boolean {
    const writes = this.#writes.get(name) ?? []
    return writes.every(({ endedAt }) => endedAt !== undefined && endedAt < since)
  }
}
