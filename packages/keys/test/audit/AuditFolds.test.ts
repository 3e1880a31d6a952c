import { assert, describe, it } from "@effect/vitest"
import * as AddressBlock from "../../src/audit/AddressBlock.ts"
import * as AuditFolds from "../../src/audit/AuditFolds.ts"
import type { AuditFacts } from "../../src/AuditEvent.ts"
import { factsAt } from "./facts.ts"

const anonymous = (ms: number, address: string, fields: Partial<AuditFacts> = {}) =>
  factsAt(ms, { decision: "deny", status: 401, code: "invalid_key", actor: { kind: "anonymous" }, address, ...fields })

const ofKey = (ms: number, keyId: string, asked = "prod") =>
  factsAt(ms, {
    decision: "deny",
    status: 403,
    code: "cluster_forbidden",
    actor: { kind: "key", keyId },
    target: { asked, clusters: [] }
  })

/** Adds denials. Returns how many are recorded singly, and into how many events the others are folded. */
const offer = (denials: Iterable<AuditFacts>) => {
  const folds = AuditFolds.make()
  let singles = 0
  let offered = 0
  for (const denial of denials) {
    offered++
    const exceeds = folds.exceeds(denial)
    assert.strictEqual(folds.exceeds(denial), exceeds)
    const isOver = folds.isOver(denial)
    assert.strictEqual(exceeds, isOver)
    if (isOver) folds.add(denial)
    else singles++
  }
  const folded = folds.take()
  assert.strictEqual(
    folded.reduce((sum, { count = 0 }) => sum + count, singles),
    offered
  )
  return { singles, folded }
}

const times = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))

describe("denials of a minute", () => {
  it("are kept singly up to ten a key", () => {
    const { folded, singles } = offer(times(1_000, (index) => ofKey(index, "key_a")))
    assert.strictEqual(singles, 10)
    assert.deepStrictEqual(
      folded.map(({ count, target }) => [target.asked, count]),
      [["prod", 990]]
    )
  })

  it("are kept singly once an address, whatever route and name it asks for", () => {
    const probes = times(5_000, (index) =>
      anonymous(index, "192.0.2.1", { route: `/api/v1/${index % 60}`, target: { asked: `c${index}`, clusters: [] } })
    )
    const { folded, singles } = offer(probes)
    assert.strictEqual(singles, 1)
    assert.deepStrictEqual(
      folded.map(({ address, count, route, target }) => ({ address, count, route, target })),
      [{ address: "192.0.2.1", count: 4_999, route: "*", target: { asked: "", clusters: [] } }]
    )
  })

  it("are kept singly once an IPv6 network of 64 bits", () => {
    const { folded, singles } = offer(times(5_000, (index) => anonymous(index, `2001:db8:1:2::${index.toString(16)}`)))
    assert.strictEqual(singles, 1)
    assert.deepStrictEqual(
      folded.map(({ address, count }) => [address, count]),
      [["2001:db8:1:2::/64", 4_999]]
    )
  })

  it("are kept singly up to 600 in all, and folded into 2,001 events at most", () => {
    const { folded, singles } = offer(
      times(20_000, (index) => anonymous(1, `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`))
    )
    assert.strictEqual(singles, 600)
    assert.strictEqual(folded.length, 2_001)
  })

  it("of one key that asks for ever other targets are folded into 11 events", () => {
    const { folded } = offer(times(5_000, (index) => ofKey(index, "key_a", `c${index}`)))
    assert.strictEqual(folded.length, 11)
  })
})

describe("the block of an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["::ffff:255.255.255.255", "255.255.255.255"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:0DB8:0:0:ffff::", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["", ""],
    ["unknown", "unknown"]
  ])("%s is %s", (address, block) => assert.strictEqual(AddressBlock.of(address), block))
})
