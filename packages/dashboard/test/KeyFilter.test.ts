import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as KeyFilter from "../src/keys/KeyFilter.ts"
import { MARKS, SORTS } from "../src/keys/KeyMarks.ts"

const Filter = Schema.Struct({
  name: Schema.Literals(["", "ci", "a b", "ü&="]),
  status: Schema.UndefinedOr(Schema.Literals(["active", "revoked"])),
  createdBy: Schema.Literals(["", "key_1", "oidc:a|b"]),
  marks: Schema.Array(Schema.Literals(MARKS)),
  sort: Schema.UndefinedOr(Schema.Literals(SORTS)),
  order: Schema.Literals(["asc", "desc"])
})

describe("the filter of keys in an address", () => {
  it.prop("is read as it was written, and leaves the clusters alone", [Filter], ([filter]) => {
    const search = KeyFilter.write(new URLSearchParams("cluster=prod&name=old&status=expired&mark=x"), filter)
    const order = filter.sort === undefined ? "asc" : filter.order
    const marks = MARKS.filter((mark) => filter.marks.includes(mark))
    assert.deepStrictEqual(KeyFilter.parse(new URLSearchParams(search.toString())), { ...filter, marks, order })
    assert.deepStrictEqual(search.getAll("cluster"), ["prod"])
  })

  it("asks for nothing that it does not say", () => {
    const filter = KeyFilter.parse(new URLSearchParams("name=%20&status=lost&cluster=prod"))
    assert.deepStrictEqual(KeyFilter.parametersOf(filter), {})
    assert.isFalse(KeyFilter.isNarrowed(filter))
  })
})
