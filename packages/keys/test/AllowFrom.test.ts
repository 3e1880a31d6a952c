import { assert, describe, it } from "@effect/vitest"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Result, Schema } from "effect"
import * as AllowFrom from "../src/AllowFrom.ts"

const faultOf = (input: unknown): string => {
  const decoded = Schema.decodeUnknownResult(AllowFrom.AllowFrom)(input)
  return Result.isFailure(decoded) ? SchemaFault.print(SchemaFault.fromIssue(decoded.failure.issue)) : "none"
}

describe("the addresses that a key may be used from", () => {
  it("are ranges of IPv4 and IPv6, at most 32", () => {
    assert.strictEqual(faultOf(["203.0.113.0/24", "2001:db8::/32", "192.0.2.1"]), "none")
    assert.strictEqual(faultOf(Array<string>(32).fill("203.0.113.0/24")), "none")
    assert.include(faultOf(Array<string>(33).fill("203.0.113.0/24")), "at most 32 ranges")
    for (const none of [[], null, {}, "203.0.113.0/24", [1]]) assert.notStrictEqual(faultOf(none), "none")
  })

  it("are refused by the place of the range that is none", () => {
    assert.strictEqual(
      faultOf(["203.0.113.0/24", "10.0.0.5/8"]),
      "[1]: has bits set after its prefix; write the first address of the range, such as 10.0.0.0/8"
    )
    assert.include(faultOf(["internal"]), "[0]: expected an address or a range in CIDR notation")
  })

  it("hold an address of IPv4 however it is written, and never one that is not known", () => {
    const list = ["10.0.0.0/8", "2001:db8::/32"]
    for (const inside of ["10.1.2.3", "::ffff:10.1.2.3", "::ffff:a01:203", "2001:db8::1"]) {
      assert.isTrue(AllowFrom.permits(list, inside), inside)
    }
    for (const outside of ["11.0.0.1", "::ffff:11.0.0.1", "2001:db9::1", "::a01:203", "", "unknown", undefined]) {
      assert.isFalse(AllowFrom.permits(list, outside), String(outside))
    }
    assert.isFalse(AllowFrom.permits(["::/0"], "10.1.2.3"))
    assert.isFalse(AllowFrom.permits(["0.0.0.0/0", "::/0"], undefined))
    assert.isTrue(AllowFrom.permits(undefined, undefined))
  })

  it("lie inside others where each range lies inside one of theirs", () => {
    const outer = ["10.0.0.0/8", "2001:db8::/32"]
    assert.isTrue(AllowFrom.isWithin(["10.1.0.0/16", "10.0.0.0/8"], outer))
    assert.isTrue(AllowFrom.isWithin(["::ffff:10.1.0.0/112"], outer))
    assert.isTrue(AllowFrom.isWithin(outer, undefined))
    assert.isTrue(AllowFrom.isWithin(undefined, undefined))
    assert.isFalse(AllowFrom.isWithin(undefined, outer))
    assert.isFalse(AllowFrom.isWithin(["10.0.0.0/7"], outer))
    assert.isFalse(AllowFrom.isWithin(["10.1.0.0/16", "192.0.2.1"], outer))
    assert.isFalse(AllowFrom.isWithin(["::/0"], ["0.0.0.0/0"]))
  })

  it("are kept once each, in their canonical form", () => {
    assert.deepStrictEqual(AllowFrom.canonical(["::FFFF:10.0.0.0/104", "10.0.0.0/8", "2001:DB8:0::/32", "192.0.2.1"]), [
      "10.0.0.0/8",
      "2001:db8::/32",
      "192.0.2.1/32"
    ])
  })
})
