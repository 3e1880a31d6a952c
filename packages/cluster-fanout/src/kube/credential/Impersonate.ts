/**
 * Writes an impersonation as request headers.
 */
import type { Impersonation } from "../../registry/Cluster.ts"

/** Header lines by name; a list is sent as one line each, never joined. */
export type HeaderLines = Readonly<Record<string, string | Array<string>>>

/**
 * Gives the `Impersonate-*` headers.
 *
 * **Shape** several groups are several lines; the key of an extra is percent-encoded where a header name needs it.
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

/** Headers are bytes: UTF-8 is written one character per byte, as Go sends it. */
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
