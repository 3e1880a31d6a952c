import { assert, describe, it } from "@effect/vitest"
import { DateTime, Redacted, Result, Schema } from "effect"
import * as ApiKey from "../src/ApiKey.ts"
import { at, shopAdmin } from "./samples.ts"

const now = at("2026-03-01T12:00:00Z")

const key: ApiKey.ApiKey = {
  id: "key_1",
  name: "ci",
  start: "qd_abcdef",
  rule: shopAdmin,
  status: "active",
  source: "created",
  createdAt: now,
  createdBy: "key_0",
  expiresAt: at("2027-03-01T12:00:00.5Z")
}

describe("a key as it is shown", () => {
  it("has instants in RFC 3339", () => {
    const { createdAt, expiresAt } = Schema.encodeSync(ApiKey.ApiKey)(key)
    assert.strictEqual(createdAt, "2026-03-01T12:00:00.000Z")
    assert.strictEqual(expiresAt, "2027-03-01T12:00:00.500Z")
  })

  it("is read back as it was shown", () => {
    assert.deepStrictEqual(Schema.decodeSync(ApiKey.ApiKey)(Schema.encodeSync(ApiKey.ApiKey)(key)), key)
  })

  it.each(["1", "2026-02-30", "2026-03-01T12:00:00", "2026-03-01T12:00:00+01:00", ""])(
    "is not read with %j for an instant",
    (createdAt) => {
      const encoded = { ...Schema.encodeSync(ApiKey.ApiKey)(key), createdAt }
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(ApiKey.ApiKey)(encoded)))
    }
  )

  it("carries its secret only in the reply to the create call, and hides it in logs", () => {
    const created: ApiKey.CreatedApiKey = { key: Redacted.make("qd_secret"), apiKey: key }
    assert.strictEqual(Schema.encodeSync(ApiKey.CreatedApiKey)(created).key, "qd_secret")
    assert.notInclude(JSON.stringify(created), "qd_secret")
  })
})

describe("the name of a key", () => {
  const accepts = Schema.is(ApiKey.KeyName)

  it.each(["x", "x".repeat(128), "\u{1F511}".repeat(128), "Größe <b>'\"", "a b"])("may be %j", (name) =>
    assert.isTrue(accepts(name))
  )

  it.each(["", "x".repeat(129), "\u{1F511}".repeat(129), "a\nb", "a\u0000", "a\u007f", "a\u0085", "\ud800"])(
    "may not be %j",
    (name) => assert.isFalse(accepts(name))
  )
})

describe("the status of a key", () => {
  const in7Days = DateTime.add(now, { days: 7 })

  it.each<[ApiKey.Status, string, ApiKey.Lifespan]>([
    ["active", "without an end", {}],
    ["active", "with more than 7 days left", { expiresAt: DateTime.add(in7Days, { milliseconds: 1 }) }],
    ["expiring", "with 7 days left", { expiresAt: in7Days }],
    ["expiring", "with a millisecond left", { expiresAt: DateTime.add(now, { milliseconds: 1 }) }],
    ["expired", "at its end", { expiresAt: now }],
    ["expired", "after its end", { expiresAt: DateTime.subtract(now, { milliseconds: 1 }) }],
    ["revoked", "once revoked", { revokedAt: now }],
    ["revoked", "once revoked, though it has also expired", { revokedAt: now, expiresAt: now }]
  ])("is %s %s", (status, _name, lifespan) => {
    assert.strictEqual(ApiKey.statusAt(lifespan, now), status)
  })
})
