/**
 * Keeps members in insertion order.
 *
 * A `Set` also keeps insertion order. But when its table is resized, V8 keeps a pointer from the old table to the new
 * one for running iterators. Once an old table is in the old generation, removed members stay in memory until a full
 * garbage collection. Here those members hold whole HTTP exchanges (ADR 0031).
 *
 * **Source** V8, `OrderedHashTable::Rehash`.
 */

/** A member's position in the roster. */
export class Place<A> {
  #value: A | undefined
  #roster: Roster<A> | undefined
  /** Used by the roster only. */
  before: Place<A> | undefined
  after: Place<A> | undefined

  constructor(value: A, roster: Roster<A>, before: Place<A> | undefined) {
    this.#value = value
    this.#roster = roster
    this.before = before
  }

  /** The member, until it leaves. */
  get value(): A | undefined {
    return this.#value
  }

  /** Removes the member. Idempotent. */
  leave(): void {
    const roster = this.#roster
    if (roster === undefined) return
    roster.unlink(this)
    // Clear all references: other code may still hold this place.
    this.#roster = undefined
    this.#value = undefined
    this.before = undefined
    this.after = undefined
  }
}

export class Roster<A> {
  #size = 0
  #first: Place<A> | undefined
  #last: Place<A> | undefined

  get size(): number {
    return this.#size
  }

  /** The member that joined first. */
  get first(): A | undefined {
    return this.#first?.value
  }

  /** Adds a member. A value may join several times. */
  join(value: A): Place<A> {
    const place = new Place(value, this, this.#last)
    if (this.#last === undefined) this.#first = place
    else this.#last.after = place
    this.#last = place
    this.#size++
    return place
  }

  /** Returns a copy of the current members. */
  members(): ReadonlyArray<A> {
    const members: Array<A> = []
    for (let place = this.#first; place !== undefined; place = place.after) {
      if (place.value !== undefined) members.push(place.value)
    }
    return members
  }

  /** Used by `Place.leave`. */
  unlink({ after, before }: Place<A>): void {
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    this.#size--
  }
}
