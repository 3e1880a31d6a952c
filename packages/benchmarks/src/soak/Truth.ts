/**
 * What a cluster held at which time, as the one who wrote it knows.
 */

/** What a write made of one object. **Units** epoch milliseconds. **Shape** `value` absent: it was deleted. */
export interface Write {
  readonly value: number | undefined
  readonly begunAt: number
  /** When the server had said yes; absent for a write whose answer was lost, which may have happened or not. */
  endedAt: number | undefined
}

/** When an answer was asked for and had, and by how much it may lag. **Units** epoch milliseconds, milliseconds. */
export interface Span {
  readonly askedAt: number
  readonly hadAt: number
  readonly lagMs: number
}

const NEVER: Write = { value: undefined, begunAt: Number.NEGATIVE_INFINITY, endedAt: Number.NEGATIVE_INFINITY }

/** No answer is older than that: no outage lasts so long. **Units** milliseconds. */
const REMEMBERED_MS = 600_000

/** Writes to one cluster, one after the other. **Limits** remembers what could have been seen in the last ten minutes. */
export class Truth {
  readonly #writes = new Map<string, Array<Write>>()

  /** The names that were ever written. */
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

  /** Gives what is there now, as far as it is known: lost writes count as not happened. */
  present(): ReadonlyArray<readonly [name: string, value: number]> {
    return [...this.#writes].flatMap(([name, writes]) => {
      const value = writes.findLast(({ endedAt }) => endedAt !== undefined)?.value
      return value === undefined ? [] : [[name, value] as const]
    })
  }

  /** Tells whether an answer may say this of a name; `undefined` is that it is not there. */
  allows(name: string, value: number | undefined, { askedAt, hadAt, lagMs }: Span): boolean {
    // From the last on: what is superseded, all before it is.
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

  /** Tells whether nothing happened to a name from some time on. */
  isQuiet(name: string, since: number): boolean {
    const writes = this.#writes.get(name) ?? []
    return writes.every(({ endedAt }) => endedAt !== undefined && endedAt < since)
  }
}
