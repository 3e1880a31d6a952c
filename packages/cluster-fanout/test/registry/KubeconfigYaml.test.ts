import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { stringify } from "yaml"
import { parse } from "../../src/registry/KubeconfigYaml.ts"

const LIMITS = { tokens: 10_000, values: 1_000, depth: 16 }
const valueOf = (text: string) => Result.map(parse(text, LIMITS), ({ value }) => value)
const read = (text: string) => Result.getOrThrow(valueOf(text))
const faultOf = (text: string) => Result.match(valueOf(text), { onFailure: String, onSuccess: () => "none" })

describe("scalars, as kubectl reads them", () => {
  it.each<[string, unknown]>([
    ["a: yes", { a: "yes" }],
    ["insecure-skip-tls-verify: yes", { "insecure-skip-tls-verify": true }],
    ["insecure-skip-tls-verify: On", { "insecure-skip-tls-verify": true }],
    ["insecure-skip-tls-verify: off", { "insecure-skip-tls-verify": false }],
    ["insecure-skip-tls-verify: TRUE", { "insecure-skip-tls-verify": true }],
    ['insecure-skip-tls-verify: "yes"', { "insecure-skip-tls-verify": "yes" }],
    ["a: &on on\ninsecure-skip-tls-verify: *on", { a: "on", "insecure-skip-tls-verify": true }],
    ["a: ~\nb: null\nc:\nd: ''", { a: null, b: null, c: null, d: "" }],
    ["a: 1_000\nb: -0x1F\nc: +1.5e3\nd: 010", { a: "1_000", b: -31, c: 1500, d: 10 }],
    ["a: 2001-01-01\nb: 1:20\nc: 1.2.3", { a: "2001-01-01", b: "1:20", c: "1.2.3" }],
    ["a: !!str 12\nb: !own 12\nc: !!binary aGVsbG8=", { a: "12", b: "12", c: "hello" }],
    ["1: a\ntrue: b", { 1: "a", true: "b" }],
    ["__proto__: a", JSON.parse('{ "__proto__": "a" }')]
  ])("%j", (text, value) => {
    assert.deepStrictEqual(read(text), value)
  })
})

describe("merge keys, as kubectl reads them", () => {
  const X = "x: &x {s: 1, t: 1}\ny: &y {s: 2, u: 2}\nz: "
  it.each([
    ["{<<: *x}", { s: 1, t: 1 }],
    ["{<<: *x, s: 3}", { s: 3, t: 1 }],
    // A key before the merge key is overwritten, which YAML itself has otherwise.
    ["{s: 3, <<: *x}", { s: 1, t: 1 }],
    ["{<<: [*x, *y]}", { s: 1, t: 1, u: 2 }],
    ["{<<: *x, <<: *y}", { s: 2, t: 1, u: 2 }],
    ["{<<: {s: 4}}", { s: 4 }],
    ["{'<<': 5}", { "<<": 5 }]
  ])("%s", (text, value) => {
    assert.deepStrictEqual(read(X + text), { x: { s: 1, t: 1 }, y: { s: 2, u: 2 }, z: value })
  })
})

describe("documents, as kubectl reads them", () => {
  it.each([
    ["a: 1\n---\n", false],
    ["---\na: 1\n...\n", false],
    ["# comment\n---\na: 1\n---\n# comment\n...\n", false],
    ["%YAML 1.1\n---\na: 1", false],
    ["a: 1\n---\nb: 2", true],
    ["a: 1\n...\n[[[", true]
  ])("%j", (text, hasMore) => {
    assert.deepStrictEqual(Result.getOrThrow(parse(text, LIMITS)), { value: { a: 1 }, hasMore })
  })
})

describe("what is refused", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => index)
  it.each([
    ["a key twice", "a: 1\na: s3cr3t", "is not YAML: DUPLICATE_KEY at line 2, column 1"],
    ["an alias of nothing", "a: *s3cr3t", "is not YAML: an alias does not resolve at line 1, column 4"],
    ["an alias of its own mapping", "a: &a [*a]", "is not YAML: an alias does not resolve at line 1, column 8"],
    ["a merge of a list", "a: &a [1]\nb: {<<: *a}", "is not YAML: a merge key (<<) takes mappings at line 2, column 4"],
    ["a key that is a list", "? [a]\n: b", "is not YAML: a key is not text at line 1, column 1"],
    ["flow brackets without end", "[".repeat(100_000), "nests deeper than 16 levels at line 1, column 17"],
    ["dashes without end", "- ".repeat(100_000), "nests deeper than 16 levels at line 1, column 32"],
    [
      "aliases that nest",
      ["a0: &a0 [x]", ...many(20).map((n) => `a${n + 1}: &a${n + 1} [*a${n}]`)].join("\n"),
      "nests deeper than 16 levels at line 17, column 11"
    ],
    [
      "aliases that multiply",
      ["a0: &a0 [x]", ...many(12).map((n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`)].join("\n"),
      "has more than 1000 values once its aliases are expanded at line 4, column 9"
    ],
    [
      "merges that multiply",
      ["a0: &a0 {k: 1}", ...many(60).map((n) => `a${n + 1}: &a${n + 1} {<<: *a${n}, k${n}: 1}`)].join("\n"),
      "has more than 1000 values once its aliases are expanded at line 46, column 11"
    ],
    ["more tokens than the limit", `[${"a,".repeat(10_000)}]`, "has more than 10000 YAML tokens"]
  ])("%s", (_, text, fault) => {
    assert.strictEqual(faultOf(text), fault)
  })

  it("more than 100 aliases are read, as long as they stay small", () => {
    assert.deepStrictEqual(read(`a: &a x\nb: [${"*a, ".repeat(500)}]`), {
      a: "x",
      b: Array.from({ length: 500 }, () => "x")
    })
  })
})

describe("any value", () => {
  const Json = Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.String)))

  it.prop("that is written as YAML or JSON is read back", [Json], ([value]) => {
    assert.deepStrictEqual(read(stringify(value)), value)
    assert.deepStrictEqual(read(JSON.stringify(value, null, 1)), value)
  })

  it.prop("no text makes it throw", [Schema.String], ([text]) => {
    assert.isBoolean(Result.isSuccess(parse(text, LIMITS)))
  })
})
