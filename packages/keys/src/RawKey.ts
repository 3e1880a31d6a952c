/**
 * The secret itself, as its owner holds it: made once, shown once, never stored.
 */
import { Redacted } from "effect"
import * as Base62 from "./Base62.ts"
import { crc32 } from "./Crc32.ts"

/** Finds a leaked key in a repository or a log. */
export const PREFIX = "qd_"
/** 62^43 is just above 2^256. */
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
/** 62^6 is above 2^32. */
const LENGTH = PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH
const START_LENGTH = 9
const TAIL = /^[0-9A-Za-z]*$/

/** What must stay secret: hand it on as it is, and unwrap it only to hash it or to show it to its owner. */
export type RawKey = Redacted.Redacted

/**
 * Makes a new key.
 *
 * **Shape** `qd_`, 43 base 62 characters (256 bit), 6 base 62 digits of the CRC-32 of all before them.
 *
 * **Example** `generate(randomBytes)` with `randomBytes` of `node:crypto`
 */
export const generate = (randomBytes: Base62.RandomBytes): RawKey => {
  const body = PREFIX + Base62.draw(SECRET_LENGTH, randomBytes)
  return Redacted.make(body + checksumOf(body), { label: "RawKey" })
}

/** The part that may be stored and shown, so that a person can tell keys apart: the first 9 characters. */
export const startOf = (key: RawKey): string => Redacted.value(key).slice(0, START_LENGTH)

/**
 * What is wrong with a key; `length`: cut short or run on; `alphabet`: a character that no key has; `checksum`:
 * mistyped.
 */
export type Fault = "length" | "alphabet" | "checksum"

/**
 * Tells what is wrong with a text that begins like a key of ours, to explain a refusal.
 *
 * **Shape** `undefined` for a sound key, and for any other text: keys of the configuration can have any form.
 * It never decides whether a key is valid.
 */
export const faultOf = (key: RawKey): Fault | undefined => {
  const text = Redacted.value(key)
  if (!text.startsWith(PREFIX)) return undefined
  if (!TAIL.test(text.slice(PREFIX.length))) return "alphabet"
  if (text.length !== LENGTH) return "length"
  return text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LENGTH))) ? undefined : "checksum"
}

const checksumOf = (body: string): string => Base62.print(crc32(body), CHECKSUM_LENGTH)
