/**
 * The credential that a request presents in its Authorization header.
 *
 * **Source** RFC 6750 (Bearer), RFC 7617 (Basic).
 */
import { Redacted, Result } from "effect"
import type { RawKey } from "./RawKey.ts"

/**
 * Result of reading the header.
 *
 * **Shape** `Present` carries the key, which is not authenticated yet. `Missing` (HTTP 401 `missing_credential`): no header,
 * an empty key, or an unsupported scheme. `Malformed` (HTTP 400): two credentials, or one that cannot be decoded.
 */
export type Credential =
  | { readonly _tag: "Present"; readonly key: RawKey }
  | { readonly _tag: "Missing"; readonly detail: string }
  | { readonly _tag: "Malformed"; readonly detail: string }

/** Visible ASCII except the comma, which separates credentials. */
const TOKEN = /^[!-+\--~]+$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Reads the raw values of all Authorization lines of a request.
 *
 * **Shape** `Bearer <key>`: one token without space or comma. `Basic <base64>`: the password is the key, and the username
 * is ignored. The password may contain characters that a token may not. Schemes are case-insensitive.
 *
 * **Limits** pure; linear in the length of the header, which the server bounds.
 *
 * **Example** `fromAuthorization(["Bearer qd_…"]) // Present`
 */
export const fromAuthorization = (values: ReadonlyArray<string>): Credential => {
  const [value, ...others] = values
  if (value === undefined) return missing("send the key as Authorization: Bearer, or as the password of Basic")
  if (others.length > 0) return malformed("the Authorization header may be sent once")
  const text = trim(value)
  const end = endOfWord(text)
  const rest = trim(text.slice(end))
  switch (text.slice(0, end).toLowerCase()) {
    case "bearer":
      return fromBearer(rest)
    case "basic":
      return fromBasic(rest)
    default:
      return missing("the scheme of the Authorization header is neither Bearer nor Basic")
  }
}

const fromBearer = (token: string): Credential => {
  if (token === "") return missing("no key follows Bearer")
  return TOKEN.test(token)
    ? present(token)
    : malformed("a Bearer key is one token without space or comma; send other keys as the password of Basic")
}

const fromBasic = (encoded: string): Credential => {
  const pair = Result.flatMap(decodeBase64(encoded), decodeUtf8)
  if (Result.isFailure(pair)) return malformed(pair.failure)
  const colon = pair.success.indexOf(":")
  if (colon < 0) return malformed("the decoded Basic credential has no colon between username and password")
  const password = pair.success.slice(colon + 1)
  return password === ""
    ? missing("the password of Basic is empty; the key is the password, not the username")
    : present(password)
}

const decodeBase64 = (encoded: string): Result.Result<Buffer, string> => {
  const bytes = Buffer.from(encoded, "base64")
  // Stray bits after the last byte would let two texts encode the same credential.
  return encoded !== "" && BASE64.test(encoded) && bytes.toString("base64") === encoded
    ? Result.succeed(bytes)
    : Result.fail("Basic is not followed by base64")
}

const decodeUtf8 = (bytes: Buffer): Result.Result<string, string> =>
  Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => "the username and password of Basic are not UTF-8"
  })

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

/** Returns the index at which the first word ends. */
const endOfWord = (text: string): number => {
  let end = 0
  while (end < text.length && !isBlank(text[end])) end++
  return end
}

/** Trims spaces and tabs in linear time. A regular expression for trailing blanks would take quadratic time. */
const trim = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

const present = (key: string): Credential => ({ _tag: "Present", key: Redacted.make(key, { label: "RawKey" }) })
const missing = (detail: string): Credential => ({ _tag: "Missing", detail })
const malformed = (detail: string): Credential => ({ _tag: "Malformed", detail })
