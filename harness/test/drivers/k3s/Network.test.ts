import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { labelFrom } from "../../../src/drivers/k3s/Network.ts"

/** **Source** RFC 1035, section 2.3.1. */
const LABEL = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/

describe("labelFrom", () => {
  it.prop("makes a DNS label of any name", [Schema.String], ([name]) => {
    const label = labelFrom(name)
    assert.match(label, LABEL)
    assert.isAtMost(label.length, 63)
  })

  it("keeps a name that is one already", () => {
    assert.strictEqual(labelFrom("prod-eu-1"), "prod-eu-1")
  })
})
