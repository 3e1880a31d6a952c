/**
 * The client address of a request that may have passed trusted proxies.
 */
import { Context } from "effect"
import { BlockList, isIP, isIPv4 } from "node:net"

/** A range of addresses. **Example** `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.1` */
export interface Range {
  readonly address: string
  readonly prefix: number
}

/** Parses an address or a range in CIDR notation. Returns `undefined` for any other text. */
export const parseRange = (text: string): Range | undefined => {
  const [address = "", length, ...more] = text.split("/")
  const widest = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || address.includes("%") || more.length > 0) return undefined
  if (length === undefined) return { address, prefix: widest }
  return /^(?:0|[1-9]\d{0,2})$/.test(length) && Number(length) <= widest
    ? { address, prefix: Number(length) }
    : undefined
}

/** The ranges of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` the server trusts. */
export const TrustedProxies = Context.Reference<ReadonlyArray<string>>("@quarterdeck/http-server/TrustedProxies", {
  defaultValue: () => []
})

/** The client of a request. **Shape** `proxies` is the number of consecutive trusted proxies in front of the server. */
interface Way {
  readonly client: string | undefined
  readonly proxies: number
}

/** Resolves the client. **Shape** `peer` is the socket's address, `forwardedFor` the values of the header lines, in order. */
export type Find = (peer: string | undefined, forwardedFor: ReadonlyArray<string>) => Way

/** Hops of `X-Forwarded-For` to read, from the right. No deployment chains so many proxies. */
const MAX_HOPS = 32

/**
 * Makes the resolver for the given trusted proxies.
 *
 * **Shape** each proxy appends the address of its peer to the header. The resolver reads the header from the right and
 * stops at the first address that is not a trusted proxy, or at an entry that is not an address. A client cannot forge
 * its address, because its own entries are further left.
 */
export const finder = (trustedProxies: ReadonlyArray<string>): Find => {
  if (trustedProxies.length === 0) {
    return (peer) => ({ client: peer === undefined ? undefined : plain(peer), proxies: 0 })
  }
  const trusted = new BlockList()
  for (const text of trustedProxies) {
    const range = parseRange(text)
    if (range !== undefined) trusted.addSubnet(range.address, range.prefix, familyOf(range.address))
  }
  const isTrusted = (address: string) => trusted.check(address, familyOf(address))
  return (peer, forwardedFor) => {
    if (peer === undefined) return { client: undefined, proxies: 0 }
    let client = plain(peer)
    let proxies = 0
    const hops = forwardedFor.join(",").split(",").slice(-MAX_HOPS)
    while (isIP(client) !== 0 && isTrusted(client)) {
      proxies++
      const hop = hopOf(hops.pop() ?? "")
      if (hop === undefined) break
      client = hop
    }
    return { client, proxies }
  }
}

/** Parses one entry. Some proxies add a port. */
const hopOf = (entry: string): string | undefined => {
  const text = entry.trim()
  const [, bracketed] = /^\[([^\]]{2,45})\](?::\d{1,5})?$/.exec(text) ?? []
  const [, withPort] = /^([\d.]{7,15}):\d{1,5}$/.exec(text) ?? []
  const address = plain(bracketed ?? withPort ?? text)
  return isIP(address) === 0 ? undefined : address
}

/** Normalizes an address: removes the IPv6 zone and converts an IPv4-mapped address to IPv4. */
const plain = (address: string): string => {
  const [text = ""] = address.split("%")
  const [, mapped] = /^::ffff:([\d.]{7,15})$/i.exec(text) ?? []
  return mapped !== undefined && isIPv4(mapped) ? mapped : text
}

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : "ipv6")

/** The name of clients whose address the host does not provide. */
const UNKNOWN = "unknown"

/**
 * Returns the name under which a client's failures count: the address, for IPv6 its /64, which one subscriber usually owns.
 *
 * **Example** `2001:db8:0:7::1` is `2001:db8:0:7::/64`
 */
export const counted = (address: string | undefined): string => {
  if (address === undefined) return UNKNOWN
  if (isIP(address) !== 6) return address
  const [head = "", tail] = address.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  // An IPv4 address at the end fills two groups.
  const groups = before.length + after.length + ((after.at(-1) ?? before.at(-1))?.includes(".") === true ? 1 : 0)
  const whole = tail === undefined ? before : [...before, ...Array<string>(8 - groups).fill("0"), ...after]
  const network = whole.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(":")}::/64`
}
