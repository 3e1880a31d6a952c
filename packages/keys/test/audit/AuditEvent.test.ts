import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { fittingState, MAX_STATE_BYTES } from "../../src/AuditEvent.ts"

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe("the state of an audit event", () => {
  const Names = Schema.Array(Schema.String.check(Schema.isMaxLength(64)))
  it.prop("has at most 4 KiB of JSON, and is whole or says that it is not", [Names, Names], ([one, other]) => {
    const state = { name: "ci", many: Array.from({ length: 40 }, () => one), others: other }
    const fitting = fittingState(state)
    assert.isAtMost(bytesOf(fitting), MAX_STATE_BYTES)
    if (bytesOf(state) <= MAX_STATE_BYTES) assert.deepStrictEqual(fitting, state)
    else assert.deepInclude(fitting, { isTruncated: true, name: "ci" })
  })

  it("leaves out the fields that do not fit, and keeps those after them", () => {
    const targetClusters = Array.from({ length: 1_000 }, (_, index) => `cluster-${index}`)
    const state = { name: "wide", role: "Viewer", targetClusters, expiresAt: "2030-01-31T12:00:00Z" }
    assert.deepStrictEqual(fittingState(state), {
      isTruncated: true,
      name: "wide",
      role: "Viewer",
      expiresAt: "2030-01-31T12:00:00Z"
    })
  })
})
