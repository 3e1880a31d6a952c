import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { BlockList, isIPv4, isIPv6 } from "node:net"
import * as AddressRange from "../src/AddressRange.ts"

const Group = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
/** Groups that are often 0, so that texts are often compressed. */
const Sparse = Schema.Union([Schema.Literals([0, 1, 0xffff]), Group])
const Ipv4 = Schema.Tuple([Sparse, Sparse])
const Ipv6 = Schema.Tuple([Sparse, Sparse, Sparse, Sparse, Sparse, Sparse, Sparse, Sparse])
const Address = Schema.Union([Ipv4, Ipv6])
const Prefix = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 128 }))

const familyOf = (address: AddressRange.Address) => (address.length === 2 ? "ipv4" : "ipv6")
const isMapped = (address: AddressRange.Address) =>
  address.length === 8 && address[5] === 0xffff && address.slice(0, 5).every((group) => group === 0)

/** Computes the network of an address by arithmetic on one number. */
const networkOf = (address: AddressRange.Address, prefix: number): AddressRange.AddressRange => {
  const bits = address.length * 16
  const length = Math.min(prefix, bits)
  const value = address.reduce((sum, group) => sum * 65_536n + BigInt(group), 0n)
  const network = (value >> BigInt(bits - length)) << BigInt(bits - length)
  return {
    address: address.map((_, index) => Number((network >> BigInt(bits - 16 * (index + 1))) & 0xffffn)),
    prefix: length
  }
}

const rangeOf = (text: string): AddressRange.AddressRange => {
  const range = AddressRange.parse(text)
  if (typeof range === "string") return assert.fail(`${text}: ${range}`)
  return range
}

describe("an address", () => {
  it.prop("is read back as it was printed", [Address], ([address]) => {
    const text = AddressRange.printAddress(address)
    assert.isTrue(address.length === 2 ? isIPv4(text) : isIPv6(text), text)
    assert.deepStrictEqual(AddressRange.parseAddress(text), isMapped(address) ? address.slice(6) : address)
  })

  it.prop("is read exactly where Node reads one", [Schema.String.check(Schema.isMaxLength(60))], ([noise]) => {
    for (const text of [
      noise,
      `::${noise}`,
      `1.2.3.${noise}`,
      `fe80::1%${noise}`,
      noise.replace(/[^0-9a-f:.]/gi, ":")
    ]) {
      const isKnown = (isIPv4(text) || isIPv6(text)) && !text.includes("%")
      assert.strictEqual(AddressRange.parseAddress(text) !== undefined, isKnown, text)
    }
  })

  it.each([
    ["1.2.3.4", "1.2.3.4"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
    ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
    ["::", "::"],
    ["1::", "1::"]
  ])("%s is %s", (text, canonical) => {
    const address = AddressRange.parseAddress(text)
    assert.strictEqual(address && AddressRange.printAddress(address), canonical)
  })

  it.each([
    ...["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4:80"],
    ...["1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", ":1", "1:", "12345::", "g::"],
    ...["1.2.3.4::", "::1.2.3.4:5", "::1.2.3", "fe80::1%eth0", "[::1]", "unknown", ":".repeat(100_000)]
  ])("%s is none", (text) => {
    assert.isUndefined(AddressRange.parseAddress(text))
  })
})

describe("a range of addresses", () => {
  it.prop("is read back as it was printed", [Address, Prefix], ([address, prefix]) => {
    const range = networkOf(address, prefix)
    const read = rangeOf(AddressRange.print(range))
    const isOfIpv4 = isMapped(range.address)
    assert.deepStrictEqual(read, isOfIpv4 ? { address: range.address.slice(6), prefix: range.prefix - 96 } : range)
  })

  it.prop("holds the addresses that Node says it does", [Address, Prefix, Address], ([address, prefix, other]) => {
    const range = networkOf(address, prefix)
    if (isMapped(range.address) || isMapped(other)) return
    const list = new BlockList()
    list.addSubnet(AddressRange.printAddress(range.address), range.prefix, familyOf(range.address))
    for (const one of [other, address]) {
      // In Node, an IPv4 subnet contains mapped IPv6 addresses; here, the two families are separate.
      const isHeld = familyOf(one) === familyOf(address) && list.check(AddressRange.printAddress(one), familyOf(one))
      assert.strictEqual(
        AddressRange.contains(range, one),
        isHeld,
        `${AddressRange.print(range)} ${AddressRange.printAddress(one)}`
      )
    }
  })

  it.prop(
    "lies inside another where that holds each of its ends",
    [Address, Prefix, Prefix, Address],
    ([address, one, other, stranger]) => {
      const [inner, outer] = [networkOf(address, Math.max(one, other)), networkOf(address, Math.min(one, other))]
      assert.isTrue(AddressRange.isWithin(inner, outer))
      assert.strictEqual(AddressRange.isWithin(outer, inner), inner.prefix === outer.prefix)
      const elsewhere = networkOf(stranger, one)
      const isInside = elsewhere.prefix >= outer.prefix && AddressRange.contains(outer, elsewhere.address)
      assert.strictEqual(AddressRange.isWithin(elsewhere, outer), isInside)
    }
  )

  it.prop("is refused with bits behind its prefix", [Address, Prefix], ([address, prefix]) => {
    const range = networkOf(address, prefix)
    const text = `${AddressRange.printAddress(address)}/${range.prefix}`
    const isNetwork = address.every((group, index) => group === range.address[index])
    assert.strictEqual(AddressRange.parse(text) === "hostBits", !isNetwork, text)
  })

  it.each([
    ["192.0.2.1", "192.0.2.1/32"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::/0", "::/0"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:0:0/96", "0.0.0.0/0"]
  ])("%s is %s", (text, canonical) => {
    assert.strictEqual(AddressRange.print(rangeOf(text)), canonical)
  })

  it.each([
    ...["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8", "10/8", "::/129", "::/1e1"],
    ...["10.0.0.0/255.0.0.0", "fe80::%eth0/64", "*", `10.0.0.0/${"8".repeat(100_000)}`]
  ])("%s is none", (text) => {
    assert.strictEqual(AddressRange.parse(text), "syntax")
  })
})
