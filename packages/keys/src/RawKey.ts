/**
 * The secret text of an API key. It is shown once, at creation, and never stored.
 */
import { Redacted } from "effect"
import * as Base62 from "./Base62.ts"

/** The prefix of every generated key. Secret scanners can search for it. */
export const PREFIX = "qd_"
/** Number of base 62 characters for 256 random bits: 62^43 is just above 2^256. */
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
/** Length of a generated key. Six characters hold the CRC-32, since 62^6 is above 2^32. */
const LENGTH = PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH
const START_LENGTH = 9
const TAIL = /^[0-9A-Za-z]*$/

/** A secret. Pass it on redacted; unwrap it only to hash it or to show it to its owner. */
export type RawKey = Redacted.Redacted

/**
 * Generates a key.
 *
 * **Shape** `qd_`, 43 base 62 characters (256 bits), and the CRC-32 of these 46 characters in 6 base 62 digits.
 *
 * **Example** `generate(randomBytes)` with `randomBytes` of `node:crypto`
 */
export const generate = (randomBytes: Base62.RandomBytes): RawKey => {
  const body = PREFIX + Base62.draw(SECRET_LENGTH, randomBytes)
  return Redacted.make(body + checksumOf(body), { label: "RawKey" })
}

/** Returns the first 9 characters, which may be stored and shown so that people can identify a key. */
export const startOf = (key: RawKey): string => Redacted.value(key).slice(0, START_LENGTH)

/**
 * Fault of a text that starts like a key. `length`: too short or too long. `alphabet`: contains an invalid character.
 * `checksum`: contains a mistyped character.
 */
export type Fault = "length" | "alphabet" | "checksum"

/**
 * Finds the fault of a text that starts like a generated key, to explain a refusal.
 *
 * **Shape** `undefined` for a well-formed key, and for a text without the prefix, since configured keys may have any form.
 * The result never decides whether a key is valid.
 */
export const faultOf = (key: RawKey): Fault | undefined => {
  const text = Redacted.value(key)
  if (!text.startsWith(PREFIX)) return undefined
  if (!TAIL.test(text.slice(PREFIX.length))) return "alphabet"
  if (text.length !== LENGTH) return "length"
  return text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LENGTH))) ? undefined : "checksum"
}

const checksumOf = (body: string): string => Base62.print(crc32(body), CHECKSUM_LENGTH)

/** CRC-32 remainder of each byte. **Source** IEEE 802.3: reflected polynomial 0xEDB88320. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

/** CRC-32 of ASCII text: initial value and final complement are all ones. */
const crc32 = (ascii: string): number => {
  let remainder = 0xffffffff
  for (let at = 0; at < ascii.length; at++) {
    remainder = (remainder >>> 8) ^ (CRC_TABLE[(remainder ^ ascii.charCodeAt(at)) & 0xff] ?? 0)
  }
  return (remainder ^ 0xffffffff) >>> 0
}
