/** A value that caches and maps compare by its id only. */
import { Equal, Hash } from "effect"

export class KeyedValue<A> implements Equal.Equal {
  readonly id: string
  readonly value: A

  constructor(id: string, value: A) {
    this.id = id
    this.value = value
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof KeyedValue && that.id === this.id
  }

  [Hash.symbol](): number {
    return Hash.string(this.id)
  }
}
