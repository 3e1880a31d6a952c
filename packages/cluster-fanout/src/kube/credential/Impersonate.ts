/**
 * Makes the request headers of an impersonation.
 */
import type { Impersonation } from "../../registry/Cluster.ts"

/** Header lines by name. A list is sent as one line for each element, never joined. */
export type HeaderLines = Readonly<Record<string, string | Array<string>>>

/**
 * Makes the `Impersonate-*` headers.
 *
 * **Shape** several groups are several lines. The key of an extra is percent-encoded where a header name requires it.
 *
 * **Source** Kubernetes, "User impersonation"; client-go `transport.SetHeaders`.
 *
 * **Example**
 *
 * ```ts
 * headers({ user: "jane", groups: ["dev", "ops"], extra: { "acme.com/project": ["a"] } })
 * // { "impersonate-user": "jane", "impersonate-group": ["dev", "ops"], "impersonate-extra-acme.com%2Fproject": ["a"] }
 * ```
 */
export const headers = ({ extra, groups, uid, user }: Impersonation): HeaderLines => ({
  "impersonate-user": toHeaderText(user),
  ...(uid !== undefined && { "impersonate-uid": toHeaderText(uid) }),
  ...(groups.length > 0 && { "impersonate-group": groups.map(toHeaderText) }),
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escapeKey(key)}`, values.map(toHeaderText)])
  )
})

/** Encodes text as UTF-8 with one character per byte, as Go sends it, because headers are bytes. */
const toHeaderText = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const escapeKey = (key: string): string =>
  [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")
