import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { stringify } from "yaml"
import * as StrictYaml from "../../src/settings/StrictYaml.ts"

const faults = (text: string) =>
  Result.match(StrictYaml.parse(text), {
    onSuccess: () => [],
    onFailure: (all) => all.map(({ message, place }) => `${place.line}:${place.column} ${message}`)
  })

describe("StrictYaml", () => {
  it.each([
    ["a duplicate key", "a: 1\nb: 2\na: 3\n", ["3:1 duplicate key"]],
    ["a duplicate key of a nested map", "a:\n  b: 1\n  b: 2\n", ["3:3 duplicate key"]],
    ["keys that differ in quotes only", 'a: 1\n"a": 2\n', ["2:1 duplicate key"]],
    ["an anchor and its alias", "a: &x 1\nb: *x\n", ["1:7 anchors are not allowed", "2:4 aliases are not allowed"]],
    ["a merge key", "a:\n  <<: { b: 1 }\n", ["2:3 merge keys are not allowed"]],
    ["a custom tag", "a: !secret b\n", ["1:12 tags are not allowed"]],
    ["a standard tag", "a: !!str 1\n", ["1:10 tags are not allowed"]],
    ["the tag of a map", "a: !!map { b: 1 }\n", ["1:10 tags are not allowed"]],
    ["directives", "%YAML 1.1\n---\na: yes\n", ["1:1 directives are not allowed"]],
    ["a tag directive", "%TAG !x! tag:example.com,2000:\n---\na: 1\n", ["1:1 directives are not allowed"]]
  ])("refuses %s", (_, text, expected) => {
    assert.deepStrictEqual(faults(text), expected)
  })

  it.each([
    ["a second document", "a: 1\n---\nb: 2\n"],
    ["a key that is a map", "? { a: 1 }\n: b\n"],
    ["an open bracket", "a: [1, 2\n"],
    ["a tab as indentation", "a:\n\t- b\n"],
    ["an unknown escape", 'a: "\\q"\n'],
    ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`],
    ["100,000 levels", "[".repeat(100_000)]
  ])("refuses %s with one line each", (_, text) => {
    const found = faults(text)
    assert.isNotEmpty(found)
    for (const line of found) assert.notInclude(line, "\n")
  })

  it("takes twice the processor time for twice the keys", () => {
    const msOf = (keys: number) => {
      const text = Array.from({ length: keys }, (_, index) => `k${index}: 1`).join("\n")
      const times = Array.from({ length: 3 }, () => {
        const before = process.threadCpuUsage()
        assert.deepStrictEqual(faults(text), [])
        const { system, user } = process.threadCpuUsage(before)
        return (system + user) / 1_000
      })
      return Math.min(...times)
    }
    assert.isBelow(msOf(16_000) / msOf(8_000), 3)
  })

  it("keeps __proto__ a plain key", () => {
    const value = StrictYaml.toValue(Result.getOrThrow(StrictYaml.parse("__proto__: { a: 1 }\n")))
    assert.strictEqual(JSON.stringify(value), '{"__proto__":{"a":1}}')
    assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "a"))
  })

  it("keeps what would be a merge key a plain key where it stands in quotes", () => {
    const value = StrictYaml.toValue(Result.getOrThrow(StrictYaml.parse('"<<": { a: 1 }\n')))
    assert.deepStrictEqual(value, { "<<": { a: 1 } })
  })

  it("reads what YAML 1.1 took for booleans and dates as text", () => {
    const value = StrictYaml.toValue(Result.getOrThrow(StrictYaml.parse("[yes, on, 2026-01-01, 1:30, 010]")))
    assert.deepStrictEqual(value, ["yes", "on", "2026-01-01", "1:30", 10])
  })

  it.prop(
    "reads back every plain value",
    [
      Schema.Record(
        Schema.String,
        Schema.Union([Schema.String, Schema.Int, Schema.Boolean, Schema.Array(Schema.String)])
      )
    ],
    ([value]) => {
      const text = stringify(value, { aliasDuplicateObjects: false, defaultKeyType: "QUOTE_DOUBLE" })
      assert.deepStrictEqual(StrictYaml.toValue(Result.getOrThrow(StrictYaml.parse(text))), value)
    }
  )

  it.prop("answers every text with a value or with faults", [Schema.String], ([text]) => {
    assert.isDefined(StrictYaml.parse(text))
  })
})
