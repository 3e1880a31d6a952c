import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClientAddress from "../../src/limits/ClientAddress.ts"

const find = ClientAddress.finder(["10.0.0.0/8", "192.0.2.1", "2001:db8:ffff::/48"])

describe("the client's address", () => {
  it.each<[string, string, ReadonlyArray<string>, string]>([
    ["without a proxy", "198.51.100.7", [], "198.51.100.7"],
    ["what a stranger writes is not read", "198.51.100.7", ["203.0.113.9"], "198.51.100.7"],
    ["what a trusted proxy writes", "10.1.2.3", ["203.0.113.9"], "203.0.113.9"],
    ["through several proxies", "10.1.2.3", ["203.0.113.9, 192.0.2.1, 10.9.9.9"], "203.0.113.9"],
    ["what the client wrote before is not read", "10.1.2.3", ["10.0.0.1, 1.1.1.1, 203.0.113.9"], "203.0.113.9"],
    ["several lines are one list", "10.1.2.3", ["203.0.113.9", "192.0.2.1"], "203.0.113.9"],
    ["who is trusted all the way", "10.1.2.3", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"],
    ["what is no address ends the walk", "10.1.2.3", ["203.0.113.9, unknown, 10.0.0.2"], "10.0.0.2"],
    ["a trusted proxy that writes none", "10.1.2.3", [], "10.1.2.3"],
    ["with a port", "10.1.2.3", ["203.0.113.9:4711"], "203.0.113.9"],
    ["IPv6 with a port", "2001:db8:ffff::1", ["[2001:db8::7]:4711"], "2001:db8::7"],
    ["IPv4 that came as IPv6", "::ffff:10.1.2.3", ["::ffff:203.0.113.9"], "203.0.113.9"],
    ["IPv6 with a zone", "fe80::1%eth0", [], "fe80::1"]
  ])("%s", (_name, peer, forwardedFor, client) => {
    assert.strictEqual(find(peer, forwardedFor).client, client)
  })

  it("is the peer's while nobody is trusted", () => {
    assert.strictEqual(ClientAddress.finder([])("::ffff:10.1.2.3", ["203.0.113.9"]).client, "10.1.2.3")
    assert.isUndefined(find(undefined, ["203.0.113.9"]).client)
  })

  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["2001:db8:0:7::1", "2001:db8:0:7::/64"],
    ["2001:0db8:0000:0007:1:2:3:4", "2001:db8:0:7::/64"],
    ["2001:db8::7:0:0:1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["64:ff9b::192.0.2.33", "64:ff9b:0:0::/64"],
    [undefined, "unknown"]
  ])("%s is counted as %s", (address, counted) => {
    assert.strictEqual(ClientAddress.counted(address), counted)
  })

  const Group = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
  it.prop("all of one /64 are counted as one", [Schema.Array(Group)], ([host]) => {
    const tail = [...host, 1, 2, 3, 4].slice(0, 4).map((group) => group.toString(16))
    assert.strictEqual(ClientAddress.counted(`2001:db8:1:2:${tail.join(":")}`), "2001:db8:1:2::/64")
  })

  it.each(["10.0.0.0/8", "192.0.2.1", "::1", "2001:db8::/32", "0.0.0.0/0"])("takes %s as a range", (text) => {
    assert.isDefined(ClientAddress.parseRange(text))
  })

  it.each(["", "10.0.0.0/33", "10.0.0/8", "example.com", "10.0.0.0/8/8", "fe80::1%eth0", "10.0.0.0/08", "::/129"])(
    "refuses %j as a range",
    (text) => {
      assert.isUndefined(ClientAddress.parseRange(text))
    }
  )
})
