/**
 * The hash chain of the audit. The hash of a row covers its number, its content and the hash of the preceding row.
 *
 * This module imports nothing of the package, since both the worker thread and the verifying command load it.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** The number and the hash of a row of the chain. */
export interface Link {
  readonly number: number
  readonly hash: string
}

/** The link from which the chain starts: the first row has number 1, and this hash as its previous hash. */
export const START: Link = { number: 0, hash: "0".repeat(64) }

export const hashOf = (number: number, previousHash: string, body: string): string =>
  createHash("sha256").update(`${number}\n${previousHash}\n${body}`, "utf8").digest("hex")

/** Purpose of a signature. It is signed too, so the signature of a head is invalid for a checkpoint. */
export type Purpose = "head" | "checkpoint"

/** Signs the number and hash of a row together with an instant. */
export const sign = (key: Uint8Array, purpose: Purpose, { hash, number }: Link, atMs: number): string =>
  createHmac("sha256", key).update(`quarterdeck audit ${purpose}\n${number}\n${hash}\n${atMs}`).digest("hex")

/** Checks a signature in constant time. */
export const isSigned = (key: Uint8Array, purpose: Purpose, link: Link, atMs: number, signature: string): boolean => {
  const expected = Buffer.from(sign(key, purpose, link, atMs))
  const given = Buffer.from(signature)
  return expected.length === given.length && timingSafeEqual(expected, given)
}
