/**
 * Snippets that use a new key.
 */
import { DateTime } from "effect"
import type { ApiKey, Rule } from "../api/Shapes.ts"

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A request that every rule allows: it lists the clusters in scope. */
export const curl = (serverUrl: string, rawKey: string): string =>
  `curl -H ${quoted(`Authorization: Bearer ${rawKey}`)} ${quoted(`${serverUrl}/api/v1/clusters`)}`

/** The entry for a client of the Model Context Protocol, in its settings or in `.mcp.json`. */
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
 * Returns the hash of a key for the configuration: SHA-256 of its UTF-8 bytes, in lowercase hexadecimal.
 *
 * **Shape** `undefined` without a secure context: a page over plain HTTP from another machine cannot hash.
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
    // The configuration requires whole seconds. Cutting the fraction never lengthens a key's lifetime.
    ...(expiresAt === undefined ? [] : [`      expire: ${DateTime.formatIso(expiresAt).replace(/\.\d+Z$/, "Z")}`]),
    "      rule:",
    ...ruleLines(rule).map((line) => `        ${line}`)
  ].join("\n")
