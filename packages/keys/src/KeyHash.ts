/**
 * What is kept of a secret: its SHA-256, enough to know it again and too little to guess it.
 *
 * A fast hash is right here: a key has 256 random bits, so there is no dictionary to try.
 */
import { Redacted, Schema } from "effect"
import { hash, timingSafeEqual } from "node:crypto"
import type { RawKey } from "./RawKey.ts"

/** The SHA-256 of a key, in 64 lowercase hexadecimal digits. */
export const KeyHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "a SHA-256 in 64 lowercase hexadecimal digits" })
).pipe(Schema.brand("KeyHash"))
export type KeyHash = typeof KeyHash.Type

/** Hashes the UTF-8 bytes of a key. **Limits** on the path of every request, so the digest's shape is not checked again. */
export const fromRawKey = (key: RawKey): KeyHash =>
  KeyHash.make(hash("sha256", Redacted.value(key), "hex"), { disableChecks: true })

/** What an unset variable hashes to: never a key. */
export const OF_NOTHING: KeyHash = fromRawKey(Redacted.make(""))

/** Compares in a time that does not tell where two hashes differ. */
export const equals = (one: KeyHash, other: KeyHash): boolean =>
  timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"))
