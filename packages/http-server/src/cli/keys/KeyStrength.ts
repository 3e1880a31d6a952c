/** Estimates whether a key was made by a generator or by a person. */
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Redacted } from "effect"

/** A key with a lower estimate is weak. The shortest acceptable key, 16 random bytes in base64, has about 90 bits. */
const LEAST_BITS = 80

/** Words with an optional number at the end: `correct-horse-battery`, `Summer 2026!`. */
const WORD = String.raw`(?:\p{Lu}?\p{Ll}+|\p{Lu}+)`
const WORDS = new RegExp(String.raw`^${WORD}(?:[\s\p{P}]+${WORD})*[\s\p{P}]*\d{0,8}[\s\p{P}]*$`, "u")

/** A key that is a single word is weak if it has at most this many distinct letters. With more it counts as random. */
const MOST_LETTERS = 14

/**
 * Reports whether a key could be guessed from its hash.
 *
 * **Shape** a cautious estimate from the text: its length times the bits of its distinct characters. A text of words is always
 * weak.
 */
export const isWeak = (key: RawKey.RawKey): boolean => {
  const characters = Array.from(Redacted.value(key))
  const different = new Set(characters).size
  if (characters.length * Math.log2(different) < LEAST_BITS) return true
  const isOneWord = /^\p{L}+$/u.test(Redacted.value(key))
  return WORDS.test(Redacted.value(key)) && (!isOneWord || different <= MOST_LETTERS)
}
