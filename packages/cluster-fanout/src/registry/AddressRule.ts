/**
 * Decides which addresses a cluster that is registered at run time may have.
 *
 * Callers who register a cluster choose the address that the service connects to. That address must not lead to hosts
 * that only the service's own machine can reach: loopback, link-local addresses, and cloud metadata services.
 */
import { isIPv4, isIPv6 } from "node:net"

/** Permitted addresses. `allowLoopback` permits 127.0.0.0/8 and ::1; all other forbidden ranges stay forbidden. */
export interface AddressRule {
  readonly allowLoopback: boolean
}

type Bytes = ReadonlyArray<number>

/** An address range: its first bytes, with `bits` significant bits in total. */
interface Range {
  readonly prefix: Bytes
  readonly bits: number
  readonly what: string
}

const LOOPBACK = "a loopback address"
const METADATA = "an address of cloud metadata"

/**
 * Forbidden IPv4 ranges. **Source** RFC 6890; the cloud providers' documentation for metadata addresses that are not
 * link-local.
 */
const IPV4: ReadonlyArray<Range> = [
  { prefix: [127], bits: 8, what: LOOPBACK },
  { prefix: [0], bits: 8, what: "an unspecified address" },
  { prefix: [169, 254], bits: 16, what: "a link-local address" },
  { prefix: [224], bits: 4, what: "a multicast address" },
  { prefix: [240], bits: 4, what: "a reserved address" },
  { prefix: [100, 100, 100, 200], bits: 32, what: METADATA },
  { prefix: [168, 63, 129, 16], bits: 32, what: METADATA },
  { prefix: [192, 0, 0, 192], bits: 32, what: METADATA }
]

const bytesOfGroups = (groups: ReadonlyArray<number>): Bytes => groups.flatMap((group) => [group >> 8, group & 0xff])

const range = (groups: ReadonlyArray<number>, bits: number, what: string): Range => ({
  prefix: bytesOfGroups(groups),
  bits,
  what
})

const IPV6: ReadonlyArray<Range> = [
  range([0, 0, 0, 0, 0, 0, 0, 1], 128, LOOPBACK),
  range([0, 0, 0, 0, 0, 0, 0, 0], 128, "an unspecified address"),
  range([0xfe80], 10, "a link-local address"),
  range([0xfec0], 10, "a site-local address"),
  range([0xff00], 8, "a multicast address"),
  range([0xfd00, 0xec2], 32, METADATA),
  range([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, METADATA),
  range([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, METADATA),
  range([0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128, METADATA)
]

/**
 * IPv6 forms that embed an IPv4 address, and the position of that address.
 *
 * **Source** RFC 4291 (mapped, compatible), RFC 2765 (translated), RFC 6052 and RFC 8215 (NAT64), RFC 3056 (6to4), RFC
 * 4380 (Teredo, which inverts the client's address), RFC 5214 (ISATAP).
 */
const EMBEDDED: ReadonlyArray<
  Pick<Range, "prefix" | "bits"> & { readonly at: number | ReadonlyArray<number>; readonly isInverted?: true }
> = [
  { prefix: bytesOfGroups([0, 0, 0, 0, 0, 0xffff]), bits: 96, at: 12 },
  { prefix: bytesOfGroups([0, 0, 0, 0, 0, 0]), bits: 96, at: 12 },
  { prefix: bytesOfGroups([0, 0, 0, 0, 0xffff, 0]), bits: 96, at: 12 },
  { prefix: bytesOfGroups([0x64, 0xff9b, 0, 0, 0, 0]), bits: 96, at: 12 },
  { prefix: bytesOfGroups([0x64, 0xff9b, 1]), bits: 48, at: 12 },
  // The prefix of the line above, if its full length of 48 bits is used: the ninth byte is not part of the address.
  { prefix: bytesOfGroups([0x64, 0xff9b, 1]), bits: 48, at: [6, 7, 9, 10] },
  { prefix: bytesOfGroups([0x2002]), bits: 16, at: 2 },
  { prefix: bytesOfGroups([0x2001, 0]), bits: 32, at: 12, isInverted: true }
]

/** Returns whether an address has the ISATAP form, with the universal/local bit set or not. */
const isIsatap = (bytes: Bytes): boolean =>
  bytes[8] !== undefined && (bytes[8] & ~0x02) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe

const isIn = (bytes: Bytes, { bits, prefix }: Pick<Range, "prefix" | "bits">): boolean =>
  Array.from({ length: Math.ceil(bits / 8) }, (_, place) => place).every((place) => {
    const bitsInByte = Math.min(8, bits - place * 8)
    const mask = (0xff << (8 - bitsInByte)) & 0xff
    return ((bytes[place] ?? 0) & mask) === ((prefix[place] ?? 0) & mask)
  })

/**
 * Returns why a connection to an IP address is forbidden; `undefined` if it is allowed.
 *
 * **Shape** a text that is not an IP address is forbidden too.
 *
 * **Example** `faultOf("::ffff:169.254.169.254", rule) // "a link-local address"`
 */
export const faultOf = (address: string, rule: AddressRule): string | undefined => {
  const [bare = ""] = address.split("%")
  if (isIPv4(bare)) return faultOfBytes(bare.split(".").map(Number), IPV4, rule)
  const bytes = isIPv6(bare) ? bytesOfIpv6(bare) : undefined
  if (bytes === undefined) return "not an IP address"
  const ipv6Fault = faultOfBytes(bytes, IPV6, rule)
  if (ipv6Fault !== undefined || bytes.slice(0, 15).every((byte) => byte === 0)) return ipv6Fault
  for (const form of EMBEDDED) {
    if (!isIn(bytes, form)) continue
    const places = typeof form.at === "number" ? [0, 1, 2, 3].map((place) => Number(form.at) + place) : form.at
    const inner = places.map((place) => (bytes[place] ?? 0) ^ (form.isInverted ? 0xff : 0))
    // This prefix allows two positions of the IPv4 address. A position whose first byte is 0 is not in use.
    const fault = typeof form.at !== "number" && inner[0] === 0 ? undefined : faultOfBytes(inner, IPV4, rule)
    if (fault !== undefined) return fault
  }
  return isIsatap(bytes) ? faultOfBytes(bytes.slice(12), IPV4, rule) : undefined
}

const faultOfBytes = (bytes: Bytes, ranges: ReadonlyArray<Range>, rule: AddressRule): string | undefined => {
  const found = ranges.find((range) => isIn(bytes, range))
  return found === undefined || (found.what === LOOPBACK && rule.allowLoopback) ? undefined : found.what
}

/** Returns the 16 bytes of an address. The URL parser normalises every spelling to groups of hexadecimal digits. */
const bytesOfIpv6 = (address: string): Bytes | undefined => {
  const text = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  if (text === undefined) return undefined
  const [head = "", tail] = text.split("::")
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)))
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")]
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return bytesOfGroups([...before, ...gap, ...after])
}

/** Returns the host of a URL, without the brackets of IPv6. */
export const hostOf = (url: string): string => (URL.parse(url)?.hostname ?? "").replace(/^\[|\]$/g, "")

const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i

/**
 * Returns why a connection to a host is forbidden, judged by its text. Names are checked again after they are resolved.
 *
 * **Shape** the host as the URL parser prints it: decimal, octal and hexadecimal IPv4 forms are already dotted.
 */
export const faultOfHost = (host: string, rule: AddressRule): string | undefined => {
  if (isIPv4(host) || isIPv6(host)) return faultOf(host, rule)
  return LOCAL_NAME.test(host) && !rule.allowLoopback ? LOOPBACK : undefined
}

/**
 * Returns why a URL is forbidden: its scheme, its address, or user information in it.
 *
 * **Shape** a clause that follows the field's name. **Example** `"is a loopback address"`
 */
export const faultOfUrl = (
  text: string,
  rule: AddressRule,
  schemes: ReadonlyArray<string> = ["http:", "https:"]
): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !schemes.includes(url.protocol)) {
    return `is not a URL with one of the schemes ${schemes.map((scheme) => scheme.slice(0, -1)).join(", ")}`
  }
  if (url.username !== "" || url.password !== "") return "contains user information before the host, which is refused"
  const fault = faultOfHost(hostOf(text), rule)
  const why = fault === LOOPBACK ? " (clusters.allowLoopback is off)" : ""
  return fault === undefined ? undefined : `is ${fault}${why}, which is refused`
}
