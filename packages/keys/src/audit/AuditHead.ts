/**
 * The signed head of the audit, in a file beside the database. The head reveals rows that were cut from the chain's end.
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

/** The head: number and hash of the last row of the chain at an instant. */
export interface Head extends Link {
  readonly atMs: number
}

/** Signs and prints a head as the content of its file. */
export const print = (key: Uint8Array, { hash, number }: Link, atMs: number): string =>
  `${JSON.stringify({ number, hash, atMs, signature: sign(key, "head", { number, hash }, atMs) })}\n`

/** Parses a head. **Shape** `undefined` if the text is not a head, or was not signed with the key. */
export const parse = (key: Uint8Array, text: string): Head | undefined => {
  const read = decode(text)
  if (read._tag === "None") return undefined
  const { atMs, hash, number, signature } = read.value
  return isSigned(key, "head", { number, hash }, atMs, signature) ? { number, hash, atMs } : undefined
}
