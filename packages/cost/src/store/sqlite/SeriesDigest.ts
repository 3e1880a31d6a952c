/**
 * Tells the keys of series apart in little room.
 */
import { hash } from "node:crypto"

/** 96 bits: two keys will not meet. */
export const DIGEST_LENGTH = 16

export const digestOf = (text: string): string => hash("sha256", text, "base64").slice(0, DIGEST_LENGTH)
