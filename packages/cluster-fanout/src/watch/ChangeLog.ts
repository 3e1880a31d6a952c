/**
 * Numbered log of the latest row changes, and the ids of positions in it, so that a reader that reconnects receives what
 * it missed.
 */
import { hash } from "node:crypto"

/** A row before and after a change. **Shape** at least one of them is defined. */
export interface Change<Row> {
  readonly previous: Row | undefined
  readonly next: Row | undefined
}

export interface NumberedChange<Row> extends Change<Row> {
  readonly number: number
}

/** Upper bound of the kept changes. */
const MAX_CHANGES = 10_000

/** Number of changes that are added to a trimmed log before it is trimmed again. */
const SLACK = 2_000

export class ChangeLog<Row> {
  /** Identifies this log: its numbers have no meaning in another log. */
  readonly name: string
  readonly #keyOf: ((row: Row) => string) | undefined
  #changes: Array<NumberedChange<Row>> = []
  #last = 0
  /** Number of the newest change that was dropped because the log was full; 0 if there is none. */
  #dropped = 0
  #trimAt = SLACK

  /** Makes an empty log. With `keyOf`, a change replaces the earlier ones of the same row. */
  constructor(name: string, keyOf?: (row: Row) => string) {
    this.name = name
    this.#keyOf = keyOf
  }

  /** The number of the last change; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** Numbers changes and adds them to the log. */
  append(changes: ReadonlyArray<Change<Row>>): ReadonlyArray<NumberedChange<Row>> {
    const numbered = changes.map(({ previous, next }) => ({ number: ++this.#last, previous, next }))
    // Append in place: copying the array at each change would burden the garbage collector.
    for (const change of numbered) this.#changes.push(change)
    if (this.#changes.length > this.#trimAt) this.#trim()
    if (this.#keyOf === undefined) this.#dropped = Math.max(0, this.#last - MAX_CHANGES)
    return numbered
  }

  /**
   * Returns the changes after a number; with `keyOf`, the last one of each row.
   *
   * **Shape** `undefined` if the number is not from this log or older than the last {@link MAX_CHANGES} changes.
   */
  since(number: number): ReadonlyArray<NumberedChange<Row>> | undefined {
    if (!Number.isSafeInteger(number) || number < this.#dropped || number > this.#last) return undefined
    return this.#latest(this.#changes.slice(this.#changes.findLastIndex((change) => change.number <= number) + 1))
  }

  #trim(): void {
    const kept = this.#latest(this.#changes)
    this.#dropped = Math.max(this.#dropped, kept.at(-MAX_CHANGES - 1)?.number ?? 0)
    this.#changes = kept.slice(-MAX_CHANGES)
    this.#trimAt = this.#changes.length + SLACK
  }

  #latest(changes: Array<NumberedChange<Row>>): Array<NumberedChange<Row>> {
    const keyOf = this.#keyOf
    if (keyOf === undefined) return changes
    const latest = new Map<string, NumberedChange<Row>>()
    for (const change of changes) {
      const row = change.next ?? change.previous
      if (row === undefined) continue
      latest.delete(keyOf(row))
      latest.set(keyOf(row), change)
    }
    return [...latest.values()]
  }
}

/** Long enough to distinguish watches. The binding is no secret: access is decided by the key. */
const BINDING_CHARACTERS = 16

/** Returns the binding of one watch: a hash of its key and query. */
export const bindingOf = (facts: unknown): string =>
  hash("sha256", JSON.stringify(facts), "base64url").slice(0, BINDING_CHARACTERS)

/** Encodes a position in a log for one watch. **Example** `k3v9x0.1f4.Zk3_9aQ2xLm0pQ_r` */
export const printId = (log: string, number: number, binding: string): string =>
  `${log}.${number.toString(36)}.${binding}`

/** Returns an id without a position, for events before the first set is complete. A watch cannot resume from it. */
export const idNowhere = (log: string): string => `${log}..`

/** Decodes the number of a position. Returns `undefined` for a position of another log or watch. */
export const parseId = (text: string, log: string, binding: string): number | undefined => {
  const [ofLog, number = "", ofWatch, ...more] = text.split(".")
  if (ofLog !== log || ofWatch !== binding || more.length > 0 || !/^[0-9a-z]{1,10}$/.test(number)) return undefined
  return Number.parseInt(number, 36)
}
