/**
 * Authenticated encryption of texts: a store of sealed texts can neither read nor change them without the key.
 *
 * **Source** AES-256-GCM, NIST SP 800-38D.
 */
import { Option, Result } from "effect"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text with a key of 32 bytes.
 *
 * **Shape** base64url of nonce, tag and ciphertext. `about` is additional authenticated data, which is not stored. Opening
 * requires the same `about`, so one sealed text cannot replace another.
 */
export const seal = (key: Uint8Array, text: string, about = ""): string => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(about, "utf8"))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
}

/** Decrypts a text that {@link seal} encrypted with the same key and the same `about`. Returns `none` for any other text. */
export const open = (key: Uint8Array, sealed: string, about = ""): Option.Option<string> => {
  const bytes = Buffer.from(sealed, "base64url")
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return Option.none()
  return Result.getSuccess(
    Result.try(() => {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(about, "utf8"))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]
      return Buffer.concat(text).toString("utf8")
    })
  )
}
