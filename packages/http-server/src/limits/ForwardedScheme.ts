/**
 * By which scheme a client came, as trusted proxies tell it.
 */

export type Scheme = "http" | "https"

/**
 * Reads the scheme from the values of the header's lines, in order.
 *
 * **Shape** `undefined` where no trusted proxy stands in front, or what it wrote is neither. Proxies that add to the header
 * write one entry each, as they do in `X-Forwarded-For`: then that of the outermost trusted one counts.
 */
export const of = (forwardedProto: ReadonlyArray<string>, trustedProxies: number): Scheme | undefined => {
  if (trustedProxies === 0) return undefined
  const entries = forwardedProto.join(",").split(",")
  const scheme = entries[Math.max(0, entries.length - trustedProxies)]?.trim().toLowerCase()
  return scheme === "http" || scheme === "https" ? scheme : undefined
}
