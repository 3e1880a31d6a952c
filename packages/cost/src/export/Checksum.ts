/**
 * Computes checksums of exported text, to detect changed and missing records.
 *
 * **Source** FIPS 180-4, SHA-256. It detects mistakes, not forgery, because it uses no secret.
 */
import { createHash } from "node:crypto"

/** An unfinished checksum. */
export interface Seal {
  /** Adds text. Only the concatenation of all texts matters. */
  readonly add: (text: string) => void
  /** Returns the checksum as 64 hexadecimal digits. Call it once. */
  readonly close: () => string
}

export const make = (): Seal => {
  const hash = createHash("sha256")
  return { add: (text) => void hash.update(text), close: () => hash.digest("hex") }
}
