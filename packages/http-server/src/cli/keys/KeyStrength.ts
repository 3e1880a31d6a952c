/** Tells texts that people think up from those that a generator makes. */
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Redacted } from "effect"

/** 16 random bytes in base64, the shortest that a generator should make, come to about 90. */
const LEAST_BITS = 80

/** Words as people write them, perhaps with a number at the end: `correct-horse-battery`, `Summer 2026!`. */
const WORD = String.raw`(?:\p{Lu}?\p{Ll}+|\p{Lu}+)`
const WORDS = new RegExp(String.raw`^${WORD}(?:[\s\p{P}]+${WORD})*[\s\p{P}]*\d{0,8}[\s\p{P}]*$`, "u")

/** One word of more different letters than this is taken for random. */
const MOST_LETTERS = 14

/**
 * Tells whether somebody who has a key's hash may find the key by trying.
 *
 * **Shape** an estimate from the text alone, on the safe side: length times the bits of its different characters, and
 * nothing for what reads as words.
 */
export const isWeak = (key: RawKey.RawKey): boolean => {
  const characters = Array.from(Redacted.value(key))
  const different = new Set(characters).size
  if (characters.length * Math.log2(different) < LEAST_BITS) return true
  const isOneWord = /^\p{L}+$/u.test(Redacted.value(key))
  return WORDS.test(Redacted.value(key)) && (!isOneWord || different <= MOST_LETTERS)
}
