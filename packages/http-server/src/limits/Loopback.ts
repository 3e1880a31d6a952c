/**
 * Recognizes loopback hosts.
 */
import { BlockList, isIP, isIPv6 } from "node:net"

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/**
 * Returns true for a loopback address, with or without brackets, and for the name `localhost`.
 */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, "$1")
  if (isIP(bare) === 0) return bare.toLowerCase() === "localhost"
  return loopback.check(bare, isIPv6(bare) ? "ipv6" : "ipv4")
}
