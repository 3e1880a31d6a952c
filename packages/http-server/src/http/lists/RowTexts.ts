/**
 * The JSON text of rows that stay the same from one reply to the next: made once, and held within a bound.
 */
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import { Context } from "effect"

/** The most characters of all texts that are held; of plain rows, as many bytes. */
const MOST = 64 * 2 ** 20

/**
 * Holds texts by the row itself, so that one that changed, or is gone, takes its text with it.
 *
 * **Limits** two generations of half the bound each: when the younger is full the older goes, and what is asked for again
 * is young again.
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

  /** How many characters are held at most: those of rows that are gone count until their generation goes. */
  get characters(): number {
    return this.#characters + this.#oldCharacters
  }

  /** Returns the text of a row, its labels cut. **Shape** The caller never changes the row afterwards. */
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

/** The texts of this process. */
export const Texts = Context.Reference<RowTexts>("@quarterdeck/http-server/RowTexts", {
  defaultValue: () => new RowTexts(MOST)
})
