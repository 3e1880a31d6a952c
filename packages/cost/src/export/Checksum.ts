/**
 * Sums texts up, so that one that was changed, or is missing, is found out.
 *
 * **Source** FIPS 180-4, SHA-256. Tells mistakes, not forgery: who changes a text on purpose can seal it again.
 */
import { createHash } from "node:crypto"

/** A sum that is not finished. */
export interface Seal {
  /** Takes the next text, however it was cut. */
  readonly add: (text: string) => void
  /** Gives the sum of what was taken, once: 64 hexadecimal digits. */
  readonly close: () => string
}

/** Begins a sum. */
export const make = (): Seal => {
  const hash = createHash("sha256")
  return { add: (text) => void hash.update(text), close: () => hash.digest("hex") }
}
