/**
 * Keeps a provider's tokens so that only the browser that they belong to can have them opened.
 *
 * The store of sessions holds the hash of a session's id. The key that seals is made of the id itself, which the
 * browser alone has: a stolen file of sessions opens nothing.
 *
 * **Source** AES-256-GCM (NIST SP 800-38D) under a key by HKDF (RFC 5869).
 */
import { Option, Redacted, Result } from "effect"
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type { SessionId } from "./SessionId.ts"

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

const keyOf = (id: SessionId): Buffer =>
  Buffer.from(hkdfSync("sha256", Redacted.value(id), "", "quarterdeck session tokens", 32))

/** Seals a text. **Shape** base64url of nonce, tag and ciphertext. */
export const seal = (id: SessionId, tokens: Redacted.Redacted): string => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyOf(id), nonce, { authTagLength: TAG_BYTES })
  const sealed = Buffer.concat([cipher.update(Redacted.value(tokens), "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
}

/** Opens what {@link seal} made for the same id; `none` for anything else. */
export const open = (id: SessionId, sealed: string): Option.Option<Redacted.Redacted> => {
  const bytes = Buffer.from(sealed, "base64url")
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return Option.none()
  return Result.getSuccess(
    Result.try(() => {
      const decipher = createDecipheriv(ALGORITHM, keyOf(id), bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES
      })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
      return Redacted.make(text.toString("utf8"), { label: "IdentityTokens" })
    })
  )
}
