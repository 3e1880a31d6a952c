/**
 * The chain of the audit: each row's hash covers its number, its content and the hash of the row before.
 *
 * It imports nothing of the package: the worker thread and the command that verifies stand on it alike.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** A place in the chain. */
export interface Link {
  readonly number: number
  readonly hash: string
}

/** What stands before the first row. */
export const START: Link = { number: 0, hash: "0".repeat(64) }

export const hashOf = (number: number, previousHash: string, body: string): string =>
  createHash("sha256").update(`${number}\n${previousHash}\n${body}`, "utf8").digest("hex")

/** What a signature is for: a head can not be shown as a checkpoint. */
export type Purpose = "head" | "checkpoint"

/** Signs a place in the chain, at an instant. */
export const sign = (key: Uint8Array, purpose: Purpose, { hash, number }: Link, atMs: number): string =>
  createHmac("sha256", key).update(`quarterdeck audit ${purpose}\n${number}\n${hash}\n${atMs}`).digest("hex")

/** Tells whether a signature is one of ours. */
export const isSigned = (key: Uint8Array, purpose: Purpose, link: Link, atMs: number, signature: string): boolean => {
  const expected = Buffer.from(sign(key, purpose, link, atMs))
  const given = Buffer.from(signature)
  return expected.length === given.length && timingSafeEqual(expected, given)
}
