import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { faultOf, faultOfUrl } from "../../src/registry/AddressRule.ts"

const strict = { allowLoopback: false }
const lenient = { allowLoopback: true }

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Four = Schema.Tuple([Byte, Byte, Byte, Byte])
type Four = typeof Four.Type

const dotted = (bytes: Four) => bytes.join(".")
const number = ([a, b, c, d]: Four) => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
const groups = ([a, b, c, d]: Four) => `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`

/** Ways to write one IPv4 address in a URL. */
const urlSpellings = (bytes: Four): ReadonlyArray<string> => [
  dotted(bytes),
  `${dotted(bytes)}.`,
  String(number(bytes)),
  `0x${number(bytes).toString(16)}`,
  `0${number(bytes).toString(8)}`,
  bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
  bytes.map((byte) => `0${byte.toString(8)}`).join("."),
  `${bytes[0]}.${number([0, bytes[1], bytes[2], bytes[3]])}`,
  `${bytes[0]}.${bytes[1]}.${number([0, 0, bytes[2], bytes[3]])}`
]

/** IPv6 addresses that stand for one of IPv4. */
const embeddings = (bytes: Four): ReadonlyArray<string> => {
  const inverted = groups([255 - bytes[0], 255 - bytes[1], 255 - bytes[2], 255 - bytes[3]])
  return [
    `::ffff:${dotted(bytes)}`,
    `::ffff:${groups(bytes)}`,
    `0:0:0:0:0:FFFF:${groups(bytes)}`,
    `::ffff:0:${groups(bytes)}`,
    `64:ff9b::${groups(bytes)}`,
    `64:ff9b:1::${groups(bytes)}`,
    `2002:${groups(bytes)}::1`,
    `2001::${inverted}`,
    `2001:db8::5efe:${groups(bytes)}`
  ]
}

/** What is never connected to, told in another way than by the rule: the first bytes. */
const isNever = ([a, b, c, d]: Four): boolean =>
  a === 0
  || a >= 224
  || (a === 169 && b === 254)
  || ["100.100.100.200", "168.63.129.16", "192.0.0.192"].includes(dotted([a, b, c, d]))

/** Draws from the interesting parts as often as from all. */
const Interesting = Schema.Union([
  Four,
  Schema.Tuple([Schema.Literal(169), Schema.Literal(254), Byte, Byte]),
  Schema.Tuple([Schema.Literal(127), Byte, Byte, Byte]),
  Schema.Tuple([Schema.Literal(100), Schema.Literal(100), Schema.Literal(100), Schema.Literal(200)])
])

describe("the rule for addresses of registered clusters", () => {
  it.prop("judges an IPv4 address by its bytes alone, whatever a URL spells it like", [Interesting], ([bytes]) => {
    const isLoopback = bytes[0] === 127
    for (const spelling of urlSpellings(bytes)) {
      for (const scheme of ["https", "http"]) {
        const url = `${scheme}://${spelling}:6443/k8s`
        assert.strictEqual(faultOfUrl(url, strict) !== undefined, isNever(bytes) || isLoopback, url)
        assert.strictEqual(faultOfUrl(url, lenient) !== undefined, isNever(bytes), url)
      }
    }
  })

  it.prop("judges an IPv6 address by the IPv4 one that it stands for", [Interesting], ([bytes]) => {
    for (const address of embeddings(bytes)) {
      const expected = faultOf(dotted(bytes), strict)
      assert.strictEqual(faultOf(address, strict), expected, address)
      assert.strictEqual(faultOfUrl(`https://[${address}]`, strict) === undefined, expected === undefined, address)
      assert.strictEqual(faultOf(address, lenient), faultOf(dotted(bytes), lenient), address)
    }
  })

  it.prop("lets other addresses of IPv6 pass, and none of a link", [Schema.Array(Byte)], ([bytes]) => {
    const tail = Array.from({ length: 4 }, (_, place) => (bytes[place] ?? 0).toString(16)).join(":")
    assert.isUndefined(faultOf(`2a00:1450:1:1:${tail}`, strict))
    for (const head of ["fe80", "fe9f", "febf"]) {
      assert.strictEqual(faultOf(`${head}::${tail}`, lenient), "a link-local address")
      assert.strictEqual(faultOf(`${head}::${tail}%eth0`, lenient), "a link-local address")
    }
  })

  it.each([
    ["10.0.0.1", undefined],
    ["192.168.1.1", undefined],
    ["100.64.0.1", undefined],
    ["fd12:3456::1", undefined],
    ["::1", "a loopback address"],
    ["::", "an unspecified address"],
    ["fd00:ec2::254", "an address of cloud metadata"],
    ["fd00:ec2::23", "an address of cloud metadata"],
    ["64:ff9b:1:a9fe:a9:fe00:a00:1", "a link-local address"],
    ["64:ff9b:1:7f00:0:100:a00:1", "a loopback address"],
    ["fd00:ec2:0:1::123", "an address of cloud metadata"],
    ["ff02::1", "a multicast address"],
    ["fec0::1", "a site-local address"],
    ["not an address", "not an IP address"],
    ["", "not an IP address"]
  ])("says of %s: %s", (address, expected) => {
    assert.strictEqual(faultOf(address, strict), expected)
  })

  it.each([
    ["https://prod.example.com:6443", undefined],
    ["https://localhost.example.com", undefined],
    ["https://LocalHost", "is a loopback address (clusters.allowLoopback is off), which is refused"],
    ["https://user@prod.example.com", "contains user information before the host, which is refused"],
    ["https://:secret@prod.example.com", "contains user information before the host, which is refused"],
    ["ftp://prod.example.com", "is not a URL with one of the schemes http, https"],
    ["prod.example.com", "is not a URL with one of the schemes http, https"]
  ])("says of %s: %s", (url, expected) => {
    assert.strictEqual(faultOfUrl(url, strict), expected)
  })
})
