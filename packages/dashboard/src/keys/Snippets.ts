/**
 * What the holder of a new key can paste.
 */
import { DateTime } from "effect"
import type { ApiKey, Rule } from "../api/Shapes.ts"

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A first call, which works with every rule: it lists the clusters in scope. */
export const curl = (serverUrl: string, rawKey: string): string =>
  `curl -H ${quoted(`Authorization: Bearer ${rawKey}`)} ${quoted(`${serverUrl}/api/v1/clusters`)}`

/** What clients of the Model Context Protocol read, in their own settings or in `.mcp.json`. */
export const mcpEntry = (serverUrl: string, rawKey: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        quarterdeck: { type: "http", url: `${serverUrl}/mcp`, headers: { Authorization: `Bearer ${rawKey}` } }
      }
    },
    undefined,
    2
  )

/**
 * Hashes a key as the configuration wants it: SHA-256 of its UTF-8 bytes, in lowercase hexadecimal.
 *
 * **Shape** `undefined` where the browser does not hash: on a page that came by plain HTTP from another machine.
 */
export const hashOf = async (rawKey: string): Promise<string | undefined> => {
  if (!globalThis.isSecureContext) return undefined
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(rawKey))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

const ruleLines = ({ role, targetClusters, targetNamespaces }: Rule): ReadonlyArray<string> => [
  `role: ${role}`,
  ...(targetClusters === undefined ? [] : [`targetClusters: ${JSON.stringify(targetClusters)}`]),
  ...(targetNamespaces === undefined
    ? []
    : [
        "targetNamespaces:",
        ...targetNamespaces.flatMap(({ labelSelector, namespaceNames }) => [
          `  - namespaceNames: ${JSON.stringify(namespaceNames)}`,
          ...(labelSelector === undefined ? [] : [`    labelSelector: ${JSON.stringify(labelSelector)}`])
        ])
      ])
]

/** The entry of a chart's values, or of a keys file. **Shape** YAML, whose texts are written as JSON writes them. */
export const helmEntry = ({ expiresAt, name, rule }: ApiKey, hash: string): string =>
  [
    "apiKeys:",
    "  keys:",
    `    - name: ${JSON.stringify(name)}`,
    `      hash: ${JSON.stringify(hash)}`,
    // Whole seconds, as the configuration wants them; the fraction that is cut never lengthens a key's life.
    ...(expiresAt === undefined ? [] : [`      expire: ${DateTime.formatIso(expiresAt).replace(/\.\d+Z$/, "Z")}`]),
    "      rule:",
    ...ruleLines(rule).map((line) => `        ${line}`)
  ].join("\n")
