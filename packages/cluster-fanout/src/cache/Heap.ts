/**
 * Things of which the least is at hand.
 */

export class Heap<A> {
  readonly #all: Array<A>
  readonly #compare: (one: A, other: A) => number

  /** Takes the array over, in time linear in it. */
  constructor(all: Array<A>, compare: (one: A, other: A) => number) {
    this.#all = all
    this.#compare = compare
    for (let place = (all.length >> 1) - 1; place >= 0; place--) this.#sinkFrom(place)
  }

  /** The least of all. */
  get first(): A | undefined {
    return this.#all[0]
  }

  get size(): number {
    return this.#all.length
  }

  push(one: A): void {
    this.#all.push(one)
    this.#rise(this.#all.length - 1, 0, one)
  }

  /** Takes the least away. */
  drop(): void {
    const last = this.#all.pop()
    if (last === undefined || this.#all.length === 0) return
    this.#all[0] = last
    this.#sinkFrom(0)
  }

  /** Restores the order after the first became greater. */
  sink(): void {
    this.#sinkFrom(0)
  }

  /** Goes down by the lesser children to the end, then up: what is put on top mostly belongs to the bottom. */
  #sinkFrom(top: number): void {
    const all = this.#all
    const moved = all[top]
    if (moved === undefined) return
    let place = top
    for (;;) {
      const left = 2 * place + 1
      const one = all[left]
      if (one === undefined) break
      const other = all[left + 1]
      const isRight = other !== undefined && this.#compare(other, one) < 0
      all[place] = isRight ? other : one
      place = isRight ? left + 1 : left
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
