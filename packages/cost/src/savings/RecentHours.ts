/**
 * A bit set of the hours with usage in the last eight days.
 */

/** Number of hours covered, the newest included. */
export const REACH_HOURS = 192

const WORD_HOURS = 32
const WORDS = REACH_HOURS / WORD_HOURS

/**
 * One bit per hour of the last eight days.
 *
 * **Shape** `last` is the newest hour, in hours since the epoch. Bit n, from the lowest bit of the first word, is the hour
 * `last - n`.
 */
export interface RecentHours {
  last: number
  readonly words: Array<number>
}

/** Creates a set with a single hour. */
export const make = (hour: number): RecentHours => ({ last: hour, words: [1, 0, 0, 0, 0, 0] })

/** Adds an hour. Hours older than the covered range are ignored. */
export const note = (hours: RecentHours, hour: number): void => {
  if (hour > hours.last) {
    shift(hours, hour - hours.last)
    hours.last = hour
  }
  const back = hours.last - hour
  if (back >= REACH_HOURS) return
  const word = Math.floor(back / WORD_HOURS)
  hours.words[word] = (hours.words[word] ?? 0) | (1 << (back % WORD_HOURS))
}

/** Adds the hours of another set. */
export const merge = (into: RecentHours, other: RecentHours): void => {
  for (let back = REACH_HOURS - 1; back >= 0; back--) {
    if (((other.words[Math.floor(back / WORD_HOURS)] ?? 0) >>> (back % WORD_HOURS)) & 1) note(into, other.last - back)
  }
}

export const count = ({ words }: RecentHours): number => {
  let sum = 0
  for (const word of words) sum += bitsOf(word)
  return sum
}

const shift = ({ words }: RecentHours, by: number): void => {
  const whole = Math.floor(by / WORD_HOURS)
  const rest = by % WORD_HOURS
  for (let word = WORDS - 1; word >= 0; word--) {
    const high = words[word - whole] ?? 0
    const low = words[word - whole - 1] ?? 0
    words[word] = rest === 0 ? high : (high << rest) | (low >>> (WORD_HOURS - rest))
  }
}

/** Counts the 1-bits of a word. **Source** Warren, Hacker's Delight, 5-1. */
const bitsOf = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
