/**
 * Signs and verifies service account tokens: JSON Web Tokens under ES256.
 *
 * **Source** RFC 7515, RFC 7517 to 7519.
 */
import { Redacted, Result } from "effect"
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto"
import { isObject, type JsonObject, parse, textAt } from "./Json.ts"

/** Signs and verifies a cluster's tokens. Each cluster has its own key pair, so no cluster accepts another's tokens. */
export interface TokenKeys {
  readonly sign: (claims: JsonObject) => string
  /** Claims of a token that this cluster signed. Returns `undefined` for any other text. */
  readonly verify: (token: string) => JsonObject | undefined
  /** The public key, in the form of `/openid/v1/jwks`. */
  readonly publicKeys: JsonObject
  /** The private key as PEM, for a cluster that starts from the saved state of this cluster. */
  readonly privateKeyPem: Redacted.Redacted<string>
}

const ENCODING = "ieee-p1363"

/** Makes token keys from a private key, or from a new one. */
export const make = (pem?: string): TokenKeys => {
  const privateKey =
    pem === undefined ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : createPrivateKey(pem)
  const publicKey = createPublicKey(privateKey)
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  // The real server also names a key by the digest of its public part.
  const kid = createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("base64url")
  const header = encode({ alg: "ES256", kid })
  return {
    sign: (claims) => {
      const signed = `${header}.${encode(claims)}`
      const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: ENCODING })
      return `${signed}.${signature.toString("base64url")}`
    },
    verify: (token) => {
      const [head = "", claims = "", signature = "", ...rest] = token.split(".")
      if (rest.length > 0 || textAt(decode(head), "alg") !== "ES256" || textAt(decode(head), "kid") !== kid) {
        return undefined
      }
      const key = { key: publicKey, dsaEncoding: ENCODING } as const
      const isOurs = verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))
      return isOurs ? decode(claims) : undefined
    },
    privateKeyPem: Redacted.make(privateKey.export({ type: "sec1", format: "pem" }).toString()),
    publicKeys: { keys: [{ use: "sig", kty: "EC", kid, crv: "P-256", alg: "ES256", x, y }] }
  }
}

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const decode = (part: string): JsonObject | undefined => {
  const value = Result.try(() => parse(Buffer.from(part, "base64url").toString()))
  return Result.isSuccess(value) && isObject(value.success) ? value.success : undefined
}
