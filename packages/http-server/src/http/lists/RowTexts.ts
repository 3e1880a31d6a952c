/**
 * Bounded cache of the JSON text of rows that do not change between replies.
 */
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import { Context } from "effect"

/** Maximum size of the cache. **Units** characters, which are bytes for ASCII text. */
const MOST = 64 * 2 ** 20

/**
 * Caches the JSON text of each row by the row object. A changed row is a new object, and the text of a removed row is
 * garbage collected.
 *
 * **Limits** two generations, each of half the maximum size. If the young generation is full, the old one is evicted. A
 * cache hit moves a text to the young generation.
 */
export class RowTexts {
  readonly #most: number
  #young = new WeakMap<object, string>()
  #old = new WeakMap<object, string>()
  #characters = 0
  #oldCharacters = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Upper bound of the cached characters. Removed rows count until their generation is evicted. */
  get characters(): number {
    return this.#characters + this.#oldCharacters
  }

  /**
   * Returns the JSON text of a row. Labels beyond the limits of `RowLimit` are left out. **Shape** the caller must not
   * change the row afterwards.
   */
  of(row: object): string {
    const held = this.#young.get(row)
    if (held !== undefined) return held
    const text = this.#old.get(row) ?? JSON.stringify(RowLimit.limited(row))
    this.#characters += text.length
    if (this.#characters > this.#most / 2) {
      this.#old = this.#young
      this.#oldCharacters = this.#characters - text.length
      this.#young = new WeakMap()
      this.#characters = text.length
    }
    this.#young.set(row, text)
    return text
  }
}

/** The cache of this process. */
export const Texts = Context.Reference<RowTexts>("@quarterdeck/http-server/RowTexts", {
  defaultValue: () => new RowTexts(MOST)
})
