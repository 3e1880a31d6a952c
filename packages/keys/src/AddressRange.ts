/**
 * IP addresses and ranges of them in CIDR notation.
 *
 * Pure text, without `node:net`, so that a browser reads ranges by the same rules as the server.
 *
 * **Source** RFC 4291 §2.2 (text of IPv6), RFC 4632 §3.1 (CIDR), RFC 5952 §4 (canonical text).
 */

/** An address as 16-bit groups. **Shape** 2 groups: IPv4; 8 groups: IPv6. */
export type Address = ReadonlyArray<number>

/** A range of addresses. **Units** `prefix`: bits, at most 16 for each group. */
export interface AddressRange {
  readonly address: Address
  readonly prefix: number
}

const GROUP_BITS = 16
const IPV6_GROUPS = 8
/** Length of the longest range: `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128`. */
const MAX_LENGTH = 49
/** The bits before the IPv4 address in `::ffff:192.0.2.1`. */
const MAPPED_BITS = 96

/** Parses an IPv4 address. Leading zeros are refused: some programs read them as octal. */
const parseIpv4 = (text: string): Address | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part))) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number)
  return Math.max(a, b, c, d) > 255 ? undefined : [a * 256 + b, c * 256 + d]
}

/** Parses the groups on one side of `::`. Only the last one may be an IPv4 address. */
const parseGroups = (text: string): Address | undefined => {
  if (text === "") return []
  const groups: Array<number> = []
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    if (part.includes(".")) {
      const tail = index === parts.length - 1 ? parseIpv4(part) : undefined
      if (tail === undefined) return undefined
      groups.push(...tail)
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16))
    } else {
      return undefined
    }
  }
  return groups
}

const parseIpv6 = (text: string): Address | undefined => {
  const [head = "", tail, ...more] = text.split("::")
  const before = parseGroups(head)
  const after = parseGroups(tail ?? "")
  if (before === undefined || after === undefined || more.length > 0) return undefined
  if (tail === undefined) return before.length === IPV6_GROUPS ? before : undefined
  // An IPv4 address can only end the text, so it never precedes `::`.
  const missing = IPV6_GROUPS - before.length - after.length
  if (missing < 1 || head.includes(".")) return undefined
  return [...before, ...Array<number>(missing).fill(0), ...after]
}

const isMapped = (address: Address): boolean =>
  address.length === IPV6_GROUPS && address[5] === 0xffff && address.slice(0, 5).every((group) => group === 0)

const parseGiven = (text: string): Address | undefined =>
  text.length > MAX_LENGTH ? undefined : text.includes(":") ? parseIpv6(text) : parseIpv4(text)

/**
 * Parses an address. `::ffff:192.0.2.1` becomes the IPv4 address `192.0.2.1`.
 *
 * **Limits** linear; texts over 49 characters are refused without parsing. A zone (`%eth0`) is refused.
 */
export const parseAddress = (text: string): Address | undefined => {
  const address = parseGiven(text)
  return address !== undefined && isMapped(address) ? address.slice(6) : address
}

/** The part of a group that a prefix covers. */
const masked = (group: number, bits: number): number =>
  bits >= GROUP_BITS ? group : bits <= 0 ? 0 : group & (0xffff << (GROUP_BITS - bits))

const startsWith = (address: Address, { address: network, prefix }: AddressRange): boolean =>
  network.every((group, index) => {
    const bits = prefix - index * GROUP_BITS
    return masked(address[index] ?? 0, bits) === masked(group, bits)
  })

/** The reason why a text is not a range. */
export type RangeProblem = "syntax" | "hostBits"

/**
 * Parses a range. A single address is a range of one.
 *
 * **Shape** bits after the prefix must be 0: `10.0.0.5/8` is refused, since it names one host but permits 16 million.
 * `::ffff:10.0.0.0/104` is `10.0.0.0/8`. `::/0` contains no IPv4 address.
 */
export const parse = (text: string): AddressRange | RangeProblem => {
  const [given = "", length, ...more] = text.length > MAX_LENGTH ? [] : text.split("/")
  const address = parseGiven(given)
  if (address === undefined || more.length > 0) return "syntax"
  const widest = address.length * GROUP_BITS
  if (length !== undefined && !/^(?:0|[1-9][0-9]{0,2})$/.test(length)) return "syntax"
  const prefix = length === undefined ? widest : Number(length)
  if (prefix > widest) return "syntax"
  const isNetwork = address.every((group, index) => masked(group, prefix - index * GROUP_BITS) === group)
  if (!isNetwork) return "hostBits"
  return isMapped(address) ? { address: address.slice(6), prefix: prefix - MAPPED_BITS } : { address, prefix }
}

/** Prints an address in its canonical form. */
export const printAddress = (address: Address): string => {
  if (address.length < IPV6_GROUPS) {
    return address.flatMap((group) => [group >> 8, group & 0xff]).join(".")
  }
  const { length, start } = longestZeros(address)
  const hex = (groups: Address) => groups.map((group) => group.toString(16)).join(":")
  return length < 2 ? hex(address) : `${hex(address.slice(0, start))}::${hex(address.slice(start + length))}`
}

/** Finds the longest run of zero groups. Of equally long runs, the first wins. */
const longestZeros = (address: Address): { readonly start: number; readonly length: number } => {
  let longest = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of address.entries()) {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start }
  }
  return longest
}

/** Prints a range in its canonical form. **Example** `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.1/32` */
export const print = ({ address, prefix }: AddressRange): string => `${printAddress(address)}/${prefix}`

/** Checks whether a range contains an address. A range of one IP version contains no address of the other. */
export const contains = (range: AddressRange, address: Address): boolean =>
  range.address.length === address.length && startsWith(address, range)

/** Checks whether a range lies within another. */
export const isWithin = (inner: AddressRange, outer: AddressRange): boolean =>
  inner.prefix >= outer.prefix && contains(outer, inner.address)
