/**
 * The signed head of the audit, kept outside of its database: rows that are cut from the chain's end are missed by it.
 */
import { Schema } from "effect"
import { isSigned, type Link, sign } from "./Chain.ts"

/** The head's file in the data directory. */
export const HEAD_FILE = "audit.head"

const SignedHead = Schema.fromJsonString(
  Schema.Struct({
    number: Schema.Natural,
    hash: Schema.String,
    atMs: Schema.Natural,
    signature: Schema.String
  })
)
const decode = Schema.decodeUnknownOption(SignedHead, { onExcessProperty: "error" })

/** A place in the chain that was its last at an instant. */
export interface Head extends Link {
  readonly atMs: number
}

/** Writes a head as the file holds it. */
export const print = (key: Uint8Array, { hash, number }: Link, atMs: number): string =>
  `${JSON.stringify({ number, hash, atMs, signature: sign(key, "head", { number, hash }, atMs) })}\n`

/** Reads a head. **Shape** `undefined` for a text that is none, or that the key did not sign. */
export const parse = (key: Uint8Array, text: string): Head | undefined => {
  const read = decode(text)
  if (read._tag === "None") return undefined
  const { atMs, hash, number, signature } = read.value
  return isSigned(key, "head", { number, hash }, atMs, signature) ? { number, hash, atMs } : undefined
}
