/**
 * Keeps a provider's tokens so that only the browser that they belong to can have them opened.
 *
 * The store of sessions holds the hash of a session's id. The key that seals is made of the id itself, which the
 * browser alone has: a stolen file of sessions opens nothing.
 *
 * **Source** HKDF, RFC 5869.
 */
import { Option, Redacted } from "effect"
import { hkdfSync } from "node:crypto"
import * as Sealed from "../Sealed.ts"
import type { SessionId } from "./SessionId.ts"

const keyOf = (id: SessionId): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", Redacted.value(id), "", "quarterdeck session tokens", 32))

/** Seals tokens for the session of an id. */
export const seal = (id: SessionId, tokens: Redacted.Redacted): string => Sealed.seal(keyOf(id), Redacted.value(tokens))

/** Opens what {@link seal} made for the same id; `none` for anything else. */
export const open = (id: SessionId, sealed: string): Option.Option<Redacted.Redacted> =>
  Option.map(Sealed.open(keyOf(id), sealed), (text) => Redacted.make(text, { label: "IdentityTokens" }))
