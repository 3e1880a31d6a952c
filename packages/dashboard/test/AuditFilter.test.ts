import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AuditFilter from "../src/audit/AuditFilter.ts"

const Day = Schema.Literals(["", "2026-03-01", "2026-11-22"])
const Filter = Schema.Struct({
  range: Schema.Literals(["1h", "24h", "all", "custom"]),
  from: Day,
  to: Day,
  actor: Schema.Literals(["", "key_1", "oidc:a|b&c", "ci"]),
  object: Schema.Literals(["", "shop/web"]),
  decision: Schema.UndefinedOr(Schema.Literals(["allow", "deny"])),
  resource: Schema.UndefinedOr(Schema.Literals(["apiKeys", "podLogs"])),
  verb: Schema.UndefinedOr(Schema.Literals(["read", "delete"])),
  on: Schema.Literals(["", "prod"])
})

const NOW = Date.UTC(2026, 10, 22, 12)

describe("the filter of the audit in an address", () => {
  it.prop("is read as it was written, and leaves the clusters of the switcher alone", [Filter], ([filter]) => {
    const search = AuditFilter.write(new URLSearchParams("cluster=prod&decision=deny&range=7d"), filter)
    const days = filter.range === "custom" ? {} : { from: "", to: "" }
    assert.deepStrictEqual(AuditFilter.parse(new URLSearchParams(search.toString())), { ...filter, ...days })
    assert.deepStrictEqual(search.getAll("cluster"), ["prod"])
  })

  it("asks for the last day where nothing else is said, and for nothing that is no filter", () => {
    const filter = AuditFilter.parse(
      new URLSearchParams("range=ever&decision=maybe&verb=undo&resource=other&on=no%20name&keyId=%20")
    )
    assert.deepStrictEqual(AuditFilter.parametersOf(filter, NOW), { since: "2026-11-21T12:00:00.000Z" })
    assert.isFalse(AuditFilter.isNarrowed({ ...filter, actor: "" }))
  })

  it("finds an id exactly, as links to the events of a key do, and a name by its part", () => {
    const parametersOf = (search: string) => {
      const filter = { ...AuditFilter.parse(new URLSearchParams(search)), range: "all" } as const
      return AuditFilter.parametersOf(filter, NOW)
    }
    assert.deepStrictEqual(parametersOf("keyId=key_1"), { keyId: "key_1" })
    assert.deepStrictEqual(parametersOf("actor=oidc:anna"), { keyId: "oidc:anna" })
    assert.deepStrictEqual(parametersOf("actor=ci&object=shop%2Fweb"), { actor: "ci", object: "shop/web" })
    const next = AuditFilter.write(new URLSearchParams("keyId=key_1"), AuditFilter.NO_FILTER)
    assert.strictEqual(next.toString(), "")
  })

  it("takes whole days of the reader's, both of them", () => {
    const days = { ...AuditFilter.NO_FILTER, range: "custom", from: "2026-11-20", to: "2026-11-21" } as const
    assert.deepStrictEqual(AuditFilter.parametersOf(days, NOW), {
      since: new Date(2026, 10, 20).toISOString(),
      until: new Date(2026, 10, 22).toISOString()
    })
    assert.deepStrictEqual(AuditFilter.parametersOf({ ...days, from: "", to: "" }, NOW), {})
  })
})
