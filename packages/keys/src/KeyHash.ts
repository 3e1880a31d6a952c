/**
 * The SHA-256 hash under which a key is stored.
 *
 * A fast hash is safe: a key has 256 random bits, so guessing is infeasible.
 */
import { Redacted, Schema } from "effect"
import { hash, timingSafeEqual } from "node:crypto"
import type { RawKey } from "./RawKey.ts"

/** The SHA-256 of a key, in 64 lowercase hexadecimal digits. */
export const KeyHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "a SHA-256 in 64 lowercase hexadecimal digits" })
).pipe(Schema.brand("KeyHash"))
export type KeyHash = typeof KeyHash.Type

/** Hashes the UTF-8 bytes of a key. **Limits** runs for every request, so the digest's format is not checked again. */
export const fromRawKey = (key: RawKey): KeyHash =>
  KeyHash.make(hash("sha256", Redacted.value(key), "hex"), { disableChecks: true })

/** The hash of an empty text, which an unset shell variable produces. No key may have it. */
export const OF_NOTHING: KeyHash = fromRawKey(Redacted.make(""))

/** Compares two hashes in constant time. */
export const equals = (one: KeyHash, other: KeyHash): boolean =>
  timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"))
