/**
 * The scheme of the client's connection, from the `X-Forwarded-Proto` of trusted proxies.
 */

export type Scheme = "http" | "https"

/**
 * Returns the scheme from the values of the header lines, in order.
 *
 * **Shape** proxies that append to the header write one entry each. The entry of the outermost trusted proxy applies.
 * `undefined` without a trusted proxy, or if that entry is neither `http` nor `https`.
 */
export const of = (forwardedProto: ReadonlyArray<string>, trustedProxies: number): Scheme | undefined => {
  if (trustedProxies === 0) return undefined
  const entries = forwardedProto.join(",").split(",")
  const scheme = entries[Math.max(0, entries.length - trustedProxies)]?.trim().toLowerCase()
  return scheme === "http" || scheme === "https" ? scheme : undefined
}
