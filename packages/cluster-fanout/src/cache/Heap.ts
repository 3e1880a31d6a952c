/**
 * A binary heap: the least item is first.
 */

export class Heap<A> {
  readonly #all: Array<A>
  readonly #compare: (one: A, other: A) => number

  /** Takes ownership of the array and reorders it. **Limits** linear time. */
  constructor(all: Array<A>, compare: (one: A, other: A) => number) {
    this.#all = all
    this.#compare = compare
    for (let place = (all.length >> 1) - 1; place >= 0; place--) this.#sinkFrom(place)
  }

  /** The least item. */
  get first(): A | undefined {
    return this.#all[0]
  }

  get size(): number {
    return this.#all.length
  }

  push(item: A): void {
    this.#all.push(item)
    this.#rise(this.#all.length - 1, 0, item)
  }

  /** Removes the least item. */
  drop(): void {
    const last = this.#all.pop()
    if (last === undefined || this.#all.length === 0) return
    this.#all[0] = last
    this.#sinkFrom(0)
  }

  /** Restores the order after the first item became greater. */
  sink(): void {
    this.#sinkFrom(0)
  }

  /**
   * Moves an item down to a leaf along the lesser children, then up to its place. The way up is mostly short,
   * because an item put on top mostly belongs near the bottom.
   */
  #sinkFrom(top: number): void {
    const all = this.#all
    const moved = all[top]
    if (moved === undefined) return
    let place = top
    for (;;) {
      const leftPlace = 2 * place + 1
      const left = all[leftPlace]
      if (left === undefined) break
      const right = all[leftPlace + 1]
      const isRight = right !== undefined && this.#compare(right, left) < 0
      all[place] = isRight ? right : left
      place = isRight ? leftPlace + 1 : leftPlace
    }
    this.#rise(place, top, moved)
  }

  #rise(from: number, top: number, moved: A): void {
    const all = this.#all
    let place = from
    while (place > top) {
      const up = (place - 1) >> 1
      const above = all[up]
      if (above === undefined || this.#compare(moved, above) >= 0) break
      all[place] = above
      place = up
    }
    all[place] = moved
  }
}
