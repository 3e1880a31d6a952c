/**
 * The secret id of a browser session. Only the browser has the id; the server stores its hash.
 */
import { Option, Redacted, Schema } from "effect"
import { hash } from "node:crypto"
import * as Base62 from "../Base62.ts"

/** Number of base 62 characters for 256 random bits: 62^43 is just above 2^256. */
const LENGTH = 43
const FORM = /^[0-9A-Za-z]{43}$/

/** A secret: any client that presents it is signed in. */
export type SessionId = Redacted.Redacted

/** The SHA-256 of a session id, in 64 lowercase hexadecimal digits. */
export const SessionHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "a SHA-256 in 64 lowercase hexadecimal digits" })
).pipe(Schema.brand("SessionHash"))
export type SessionHash = typeof SessionHash.Type

/**
 * Generates an id of 256 random bits.
 *
 * **Example** `generate(randomBytes)` with `randomBytes` of `node:crypto`
 */
export const generate = (randomBytes: Base62.RandomBytes): SessionId =>
  Redacted.make(Base62.draw(LENGTH, randomBytes), { label: "SessionId" })

/** Parses the id that a browser sent. Returns `none` for a malformed id. */
export const fromText = (text: string): Option.Option<SessionId> =>
  FORM.test(text) ? Option.some(Redacted.make(text, { label: "SessionId" })) : Option.none()

/** Hashes an id. A fast hash is safe: guessing 256 random bits is infeasible. */
export const hashOf = (id: SessionId): SessionHash =>
  SessionHash.make(hash("sha256", Redacted.value(id), "hex"), { disableChecks: true })
