/**
 * Entity tags, by which a client avoids downloading an unchanged reply again.
 *
 * **Source** RFC 9110, "ETag" and "If-None-Match".
 */
import { createHash, hash } from "node:crypto"

/** Makes the weak tag of a reply's content. **Limits** linear: about 1 ms per MB. */
export const weak = (content: string | Uint8Array): string => `W/"${hash("sha256", content, "base64url").slice(0, 22)}"`

/** Makes the weak tag of the concatenated parts. */
export const weakOfParts = (parts: ReadonlyArray<string | Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return `W/"${hash.digest("base64url").slice(0, 22)}"`
}

/** Returns true if `If-None-Match` contains the tag. **Shape** weak comparison; `*` matches any tag. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined
  && ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || `W/${tag.trim().replace(/^W\//, "")}` === etag)
