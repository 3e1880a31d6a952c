/**
 * Finds the proxy that the environment sets for an API server, as kubectl does.
 *
 * **Source** Go's `golang.org/x/net/http/httpproxy`, which client-go uses for a cluster without `proxy-url`.
 */
import { BlockList, isIP, isIPv4 } from "node:net"

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The lower-case name takes precedence over the upper-case one, as in Go. */
const valueOf = (variables: Variables, name: string): string => variables[name.toLowerCase()] || variables[name] || ""

/**
 * Returns the URL of a server's proxy; `undefined` if the server is reached directly.
 *
 * **Shape** `HTTPS_PROXY` for `https:` servers, `HTTP_PROXY` for `http:` ones. A value without a scheme is an `http:`
 * proxy. `localhost`, loopback addresses and entries of `NO_PROXY` are never proxied.
 */
export const find = (server: string, variables: Variables): string | undefined => {
  const url = URL.parse(server)
  if (url === null) return undefined
  const value = valueOf(variables, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY").trim()
  if (value === "" || !isProxied(url, valueOf(variables, "NO_PROXY"))) return undefined
  return value.includes("://") ? value : `http://${value}`
}

const isProxied = (url: URL, noProxy: string): boolean => {
  const host = hostname(url)
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  if (host === "localhost" || isLoopback(host)) return false
  return !noProxy.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port))
}

/** Returns the host without brackets, and without the trailing dot of a fully qualified name. */
const hostname = ({ hostname }: URL): string => {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return bare.endsWith(".") ? bare.slice(0, -1) : bare
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : "ipv6")

const isLoopback = (host: string): boolean => isIP(host) !== 0 && loopback.check(host, familyOf(host))

/**
 * Returns whether an entry of `NO_PROXY` matches a host: `*`, a CIDR range, an address or a domain. Addresses and
 * domains may have a port.
 */
const matches = (entry: string, host: string, port: string): boolean => {
  if (entry === "") return false
  if (entry === "*") return true
  if (entry.includes("/")) return isIP(host) !== 0 && isInRange(entry, host)
  const { name, onPort } = entryOf(entry)
  if (onPort !== undefined && onPort !== port) return false
  if (isIP(name) !== 0) return isIP(host) !== 0 && isSameAddress(name, host)
  // ".example.com" and "*.example.com" match subdomains only; "example.com" also matches the domain itself.
  const matchesSubdomainsOnly = name.startsWith(".") || name.startsWith("*.")
  const domain = name.startsWith("*.") ? name.slice(2) : matchesSubdomainsOnly ? name.slice(1) : name
  return domain !== "" && ((!matchesSubdomainsOnly && host === domain) || host.endsWith(`.${domain}`))
}

const entryOf = (entry: string): { readonly name: string; readonly onPort: string | undefined } => {
  if (isIP(entry) !== 0) return { name: entry, onPort: undefined }
  const [, bracketed, bracketedPort] = /^\[([^\]]{1,64})\](?::(\d{1,5}))?$/.exec(entry) ?? []
  if (bracketed !== undefined) return { name: bracketed, onPort: bracketedPort }
  const at = entry.lastIndexOf(":")
  return at === -1 ? { name: entry, onPort: undefined } : { name: entry.slice(0, at), onPort: entry.slice(at + 1) }
}

const isInRange = (range: string, host: string): boolean => {
  const [address = "", bits = ""] = range.split("/")
  const widest = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > widest) return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), familyOf(address))
  return list.check(host, familyOf(host))
}

const isSameAddress = (left: string, right: string): boolean => {
  const list = new BlockList()
  list.addAddress(left, familyOf(left))
  return list.check(right, familyOf(right))
}
