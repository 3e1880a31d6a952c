/**
 * Curves in the text format of annotations.
 *
 * `flat 250m` · `wave 100m 400m every 24h at 14h` · `spike 100m 2 every 1h for 5m at 10m` · `leak 256Mi 1Gi every 6h`
 *
 * **Shape** levels are Kubernetes quantities. `at` is the offset within the period: of a wave's peak, or of the start of
 * a spike or leak. It defaults to 0. Periods are counted from midnight UTC of 1 January 1970.
 */
import { Quantity } from "@quarterdeck/embedded-cluster"
import { parseMs, printMs } from "../kubelet/GoDuration.ts"
import { type Curve, flat } from "./Curve.ts"

/** Parses a curve. Undefined for invalid text. */
export const parse = (text: string): Curve | undefined => {
  const [shape, ...words] = text.trim().split(/\s+/)
  if (shape === "flat") {
    const level = words.length === 1 ? levelOf(words[0]) : undefined
    return level === undefined ? undefined : flat(level)
  }
  const [first, second, ...options] = words
  const [low, high] = [levelOf(first), levelOf(second)]
  const lengths = lengthsOf(options)
  const periodMs = lengths?.get("every")
  if (low === undefined || high === undefined || lengths === undefined || periodMs === undefined) return undefined
  if (periodMs <= 0) return undefined
  const offsetMs = lengths.get("at") ?? 0
  const forMs = lengths.get("for")
  if (shape === "spike") {
    return forMs === undefined || forMs > periodMs ? undefined : { _tag: "Spike", low, high, periodMs, forMs, offsetMs }
  }
  if (forMs !== undefined) return undefined
  if (shape === "wave") return { _tag: "Wave", low, high, periodMs, peakMs: offsetMs }
  return shape === "leak" ? { _tag: "Leak", low, high, periodMs, offsetMs } : undefined
}

/** Formats a curve so that {@link parse} returns the same curve. Times must be whole, non-negative milliseconds. */
export const print = (curve: Curve): string => {
  switch (curve._tag) {
    case "Flat":
      return `flat ${curve.level}`
    case "Wave":
      return `wave ${curve.low} ${curve.high} every ${printMs(curve.periodMs)} at ${printMs(curve.peakMs)}`
    case "Spike": {
      const lengths = `every ${printMs(curve.periodMs)} for ${printMs(curve.forMs)} at ${printMs(curve.offsetMs)}`
      return `spike ${curve.low} ${curve.high} ${lengths}`
    }
    case "Leak":
      return `leak ${curve.low} ${curve.high} every ${printMs(curve.periodMs)} at ${printMs(curve.offsetMs)}`
  }
}

const WORDS: ReadonlySet<string> = new Set(["every", "for", "at"])

const levelOf = (word: string | undefined): number | undefined => {
  const level = word === undefined ? undefined : Quantity.parse(word)
  return level === undefined || level < 0 ? undefined : level
}

/** Parses pairs of a word and a duration, each word at most once. */
const lengthsOf = (words: ReadonlyArray<string>): ReadonlyMap<string, number> | undefined => {
  const lengths = new Map<string, number>()
  for (let at = 0; at < words.length; at += 2) {
    const [word = "", length = ""] = words.slice(at, at + 2)
    const milliseconds = parseMs(length)
    if (!WORDS.has(word) || lengths.has(word) || milliseconds === undefined) return undefined
    lengths.set(word, milliseconds)
  }
  return lengths
}
