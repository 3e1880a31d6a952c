/**
 * Short digests of the keys of series.
 */
import { hash } from "node:crypto"

/** **Units** characters. They hold 96 bits, so that a collision is improbable. */
export const DIGEST_LENGTH = 16

export const digestOf = (text: string): string => hash("sha256", text, "base64").slice(0, DIGEST_LENGTH)
