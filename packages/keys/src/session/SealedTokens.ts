/**
 * Encryption of a provider's tokens, so that they can be decrypted only while the browser presents the session id.
 *
 * The encryption key is derived from the session id, which only the browser has. The session store contains only the hash of
 * the id, so a stolen session store does not reveal the tokens.
 *
 * **Source** HKDF, RFC 5869.
 */
import { Option, Redacted } from "effect"
import { hkdfSync } from "node:crypto"
import * as Sealed from "../Sealed.ts"
import type { SessionId } from "./SessionId.ts"

const keyOf = (id: SessionId): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", Redacted.value(id), "", "quarterdeck session tokens", 32))

/** Encrypts tokens for a session. */
export const seal = (id: SessionId, tokens: Redacted.Redacted): string => Sealed.seal(keyOf(id), Redacted.value(tokens))

/** Decrypts tokens that {@link seal} encrypted for the same session. Returns `none` for any other text. */
export const open = (id: SessionId, sealed: string): Option.Option<Redacted.Redacted> =>
  Option.map(Sealed.open(keyOf(id), sealed), (text) => Redacted.make(text, { label: "IdentityTokens" }))
