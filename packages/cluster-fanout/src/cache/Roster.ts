/**
 * Keeps members in the order in which they came.
 *
 * A `Set` does so too, but each time its table grows or shrinks the old table goes on to point to the new one, for iterators that
 * may be at it. Once one of them is among V8's old objects, all members at each such time outlive their use until the whole heap is
 * collected, with all that leads from them: here the objects of whole exchanges (ADR 0031).
 *
 * **Source** V8, `OrderedHashTable::Rehash`.
 */

/** A member's place, given up with `leave`. */
export class Place<A> {
  #value: A | undefined
  #roster: Roster<A> | undefined
  /** For the roster alone. */
  before: Place<A> | undefined
  after: Place<A> | undefined

  constructor(value: A, roster: Roster<A>, before: Place<A> | undefined) {
    this.#value = value
    this.#roster = roster
    this.before = before
  }

  /** The member, while it has its place. */
  get value(): A | undefined {
    return this.#value
  }

  /** Gives up the place; more than once is the same as once. */
  leave(): void {
    const roster = this.#roster
    if (roster === undefined) return
    roster.unlink(this)
    // What has left must lead nowhere, wherever it is still known.
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

  /** The member that has been there longest. */
  get first(): A | undefined {
    return this.#first?.value
  }

  /** Adds a member, as often as it is given. */
  join(value: A): Place<A> {
    const place = new Place(value, this, this.#last)
    if (this.#last === undefined) this.#first = place
    else this.#last.after = place
    this.#last = place
    this.#size++
    return place
  }

  /** Gives the members of now. */
  members(): ReadonlyArray<A> {
    const members: Array<A> = []
    for (let place = this.#first; place !== undefined; place = place.after) {
      if (place.value !== undefined) members.push(place.value)
    }
    return members
  }

  /** For a place that is left. */
  unlink({ after, before }: Place<A>): void {
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    this.#size--
  }
}
