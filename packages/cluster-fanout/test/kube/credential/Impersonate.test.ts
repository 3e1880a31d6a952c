import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { headers } from "../../../src/kube/credential/Impersonate.ts"

const Lines = Schema.Array(Schema.String)

describe("Impersonate", () => {
  it("keys of extras are escaped as the API server expects", () => {
    const written = headers({
      user: "jane",
      groups: [],
      extra: { scopes: ["a"], "acme.com/project": ["b"], "100%": ["c"] }
    })
    assert.deepStrictEqual(written, {
      "impersonate-user": "jane",
      "impersonate-extra-scopes": ["a"],
      "impersonate-extra-acme.com%2Fproject": ["b"],
      "impersonate-extra-100%25": ["c"]
    })
  })

  it.prop(
    "every header name is a token and decodes to its key; every value is bytes that decode to its text",
    [Schema.String, Schema.Record(Schema.String, Lines), Lines],
    ([user, extra, groups]) => {
      const written = headers({ user, groups, extra })
      const prefix = "impersonate-extra-"
      const read = new Map<string, ReadonlyArray<string>>()
      for (const [name, value] of Object.entries(written)) {
        assert.match(name, /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/)
        const texts = [value].flat().map((text) => Buffer.from(text, "latin1").toString("utf8"))
        if (name.startsWith(prefix)) read.set(decodeURIComponent(name.slice(prefix.length)), texts)
        if (name === "impersonate-group") assert.deepStrictEqual(texts, groups.map(wellFormed))
        if (name === "impersonate-user") assert.deepStrictEqual(texts, [wellFormed(user)])
      }
      const expected = new Map(Object.entries(extra).map(([key, values]) => [wellFormed(key), values.map(wellFormed)]))
      assert.deepStrictEqual(read, expected)
    }
  )
})

/** Half a surrogate pair has no UTF-8. */
const wellFormed = (text: string) => text.toWellFormed()
