/**
 * The block of addresses that one client can use: a single IPv4 address, or a /64 network of IPv6.
 */
import { isIPv6 } from "node:net"

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/**
 * Returns the block of an address.
 *
 * **Shape** an IPv4 address is its own block, even if it is mapped into IPv6. A text that is not an address is returned
 * unchanged.
 *
 * **Example** `of("2001:db8::1") // "2001:db8:0:0::/64"`
 */
export const of = (address: string): string => {
  const [bare = ""] = address.split("%", 1)
  if (!isIPv6(bare)) return address
  // The URL parser normalizes every spelling to groups of hexadecimal digits.
  const text = URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) ?? bare
  const mapped = MAPPED.exec(text)
  if (mapped !== null) {
    const bits = Number.parseInt(mapped[1] ?? "", 16) * 0x1_0000 + Number.parseInt(mapped[2] ?? "", 16)
    return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".")
  }
  const [head = "", tail] = text.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const gap = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  return `${[...before, ...gap, ...after].slice(0, 4).join(":")}::/64`
}
