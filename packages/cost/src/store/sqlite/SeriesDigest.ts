/**
 * Short digests of the keys of series.
 */
import { hash } from "node:crypto"

/** Length of a digest. It has 96 bits, so that a collision is improbable. **Units** characters. */
export const DIGEST_LENGTH = 16

export const digestOf = (text: string): string => hash("sha256", text, "base64").slice(0, DIGEST_LENGTH)
