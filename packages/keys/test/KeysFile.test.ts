import { assert, describe, it } from "@effect/vitest"
import { DateTime, Redacted, Result, Schema } from "effect"
import * as KeyHash from "../src/KeyHash.ts"
import * as KeysFile from "../src/KeysFile.ts"
import { hashOf } from "./samples.ts"

const a = hashOf("a")
const b = hashOf("b")
const entry = (fields: string, hash: string = a) => `- name: ci\n  hash: ${hash}\n${fields}`
const viewer = "  rule: { role: Viewer }\n"

const read = (text: string): KeysFile.KeysFile => Result.getOrThrow(KeysFile.parse(text))
const problemOf = (text: string): string => {
  const file = KeysFile.parse(text)
  return Result.isFailure(file) ? file.failure.message : "none"
}

describe("the list of deploy-time keys", () => {
  it("loads keys with every field", () => {
    const { keys, refused } = read(`
- name: ci
  hash: ${a}
  expire: 2030-01-31T12:00:00Z
  rule:
    role: Operator
    targetClusters: [prod, stage]
    targetNamespaces:
      - namespaceNames: [shop]
        labelSelector: { matchLabels: { team: "1" } }
- name: dashboard
  hash: "${b}"
  rule: { role: Viewer }
`)
    assert.deepStrictEqual(refused, [])
    assert.deepStrictEqual(
      keys.map(({ hash, index, name }) => ({ hash, index, name })),
      [
        { hash: a, index: 0, name: "ci" },
        { hash: b, index: 1, name: "dashboard" }
      ]
    )
    assert.deepStrictEqual(keys[0]?.expiresAt, DateTime.makeUnsafe("2030-01-31T12:00:00Z"))
    assert.isFalse(Object.hasOwn(keys[1] ?? {}, "expiresAt"))
    assert.deepStrictEqual(keys[0]?.rule.targetNamespaces, [
      { namespaceNames: ["shop"], labelSelector: { matchLabels: { team: "1" } } }
    ])
  })

  it("may be empty, and says so in two characters", () => {
    assert.deepStrictEqual(read("[]\n"), { keys: [], refused: [] })
  })

  it("may be JSON, which is YAML", () => {
    assert.strictEqual(read(JSON.stringify([{ name: "ci", hash: a, rule: { role: "Admin" } }])).keys.length, 1)
  })

  it("may share a rule by an anchor", () => {
    const { keys } = read(
      `${entry("  rule: &rule { role: Operator, targetClusters: [prod] }\n")}- name: x\n  hash: ${b}\n  rule: *rule\n`
    )
    assert.deepStrictEqual(keys[1]?.rule, keys[0]?.rule)
  })

  it.each<[string, string, string, string]>([
    ["no name", `- hash: ${a}\n${viewer}`, "name", "is required"],
    ["an empty name", `- name: ""\n  hash: ${a}\n${viewer}`, "name", "name of 1 to 128 characters"],
    ["a number for a name", `- name: 7\n  hash: ${a}\n${viewer}`, "name", "expected a string"],
    ["no hash", `- name: ci\n${viewer}`, "hash", "is required"],
    ["a hash in capitals", entry(viewer, "A".repeat(64)), "hash", "64 lowercase hexadecimal digits"],
    ["a key in place of its hash", entry(viewer, "qd_raw"), "hash", "64 lowercase hexadecimal digits"],
    ["a hash with a prefix", entry(viewer, `"sha256:${a}"`), "hash", "64 lowercase hexadecimal digits"],
    [
      "the hash of an empty text",
      entry(viewer, KeyHash.fromRawKey(Redacted.make(""))),
      "hash",
      "is the hash of an empty text"
    ],
    ["no rule", entry(""), "rule", "is required"],
    ["an empty rule", entry("  rule: {}\n"), "rule.role", "is required"],
    ["a rule that is null", entry("  rule:\n"), "rule", "expected an object"],
    [
      "a misspelt scope",
      entry("  rule: { role: Admin, targetCluster: [prod] }\n"),
      "rule.targetCluster",
      "is not known here"
    ],
    [
      "a scope that is null",
      entry("  rule: { role: Admin, targetClusters: }\n"),
      "rule.targetClusters",
      "expected an array"
    ],
    [
      "a scope that is empty",
      entry("  rule: { role: Admin, targetNamespaces: [] }\n"),
      "rule.targetNamespaces",
      "at least one"
    ],
    [
      "a cluster that is true",
      entry("  rule: { role: Admin, targetClusters: [a, true] }\n"),
      "rule.targetClusters[1]",
      "expected a string"
    ],
    ["an unknown field", entry(`  expires: 2030-01-01T00:00:00Z\n${viewer}`), "expires", "is not known here"],
    ["a length of time", entry(`  expire: 1y\n${viewer}`), "expire", "UTC"],
    ["a local time", entry(`  expire: 2030-01-01T00:00:00+02:00\n${viewer}`), "expire", "UTC"],
    ["a date alone", entry(`  expire: 2030-01-01\n${viewer}`), "expire", "UTC"],
    ["30 February", entry(`  expire: 2030-02-30T00:00:00Z\n${viewer}`), "expire", "does not exist"],
    ["an expiry that is null", entry(`  expire:\n${viewer}`), "expire", "expected a string"],
    [
      "a merge key",
      `- &base { name: base, hash: ${b}, rule: { role: Viewer } }\n- { <<: *base, name: ci, hash: ${a} }\n`,
      '"<<"',
      "is not known here"
    ],
    ["a text in place of an entry", "- ci\n", "", "expected an object"],
    ["a list in place of an entry", "- []\n", "", "expected an object"]
  ])("refuses an entry with %s and names the field", (_name, text, field, problem) => {
    const { refused } = read(text)
    assert.strictEqual(refused.length, 1)
    const [fault] = refused[0]?.faults ?? []
    assert.strictEqual(fault?.field, field)
    assert.include(fault?.problem, problem)
  })

  it("tells every fault of an entry, a misspelling first", () => {
    const { refused } = read(`- nme: ci\n  hash: ${KeyHash.OF_NOTHING}\n  expire: 90d\n  rule: { role: Root }\n`)
    assert.deepStrictEqual(
      refused.map(({ faults }) => faults.map(({ field }) => field)),
      [["nme", "name", "rule.role", "hash", "expire"]]
    )
  })

  it("tells the first 32 faults of an entry, and how many more there are", () => {
    const clusters = `[${"true, ".repeat(40)}]`
    const [entryRefused] = read(entry(`  rule: { role: Viewer, targetClusters: ${clusters} }\n`)).refused
    assert.deepStrictEqual(entryRefused?.faults.at(-1), {
      field: "rule.targetClusters[31]",
      problem: "expected a string"
    })
    assert.strictEqual(entryRefused?.faults.length, 32)
    assert.strictEqual(entryRefused?.moreFaults, 8)
  })

  const Line = Schema.Literals([
    "- nonsense",
    "- name: two",
    "-\n  name: three",
    "- &a\n  name: four",
    "- []",
    "-",
    "# none"
  ])

  it.prop("names the line at which each refused entry begins", [Schema.Array(Line)], ([lines]) => {
    const text = `${lines.join("\n")}\n`
    const rows = text.split("\n")
    const { refused } = lines.some((line) => line !== "# none") ? read(text) : { refused: [] }
    assert.strictEqual(refused.length, lines.filter((line) => line !== "# none").length)
    for (const { index, label, line } of refused) {
      const item = lines.filter((one) => one !== "# none")[index] ?? ""
      const name = /name: (.*)/.exec(item)?.[1]
      assert.strictEqual(label, `entry ${name === undefined ? index : `"${name}"`} (line ${line})`)
      if (name !== undefined) assert.include(rows[line - 1], name)
    }
    const begins = refused.map(({ line }) => line)
    assert.deepStrictEqual(
      begins,
      begins.toSorted((one, other) => one - other)
    )
  })

  it("loads the good entries around a bad one", () => {
    const { keys, refused } = read(`${entry(viewer)}- nonsense\n- name: x\n  hash: ${b}\n${viewer}`)
    assert.deepStrictEqual(
      keys.map(({ index }) => index),
      [0, 2]
    )
    assert.deepStrictEqual(
      refused.map(({ index }) => index),
      [1]
    )
  })

  it("loads none of several entries with one hash, even if all but one are wrong otherwise", () => {
    const twins = {
      field: "hash",
      problem: 'is shared by entry "ci" (line 1) and entry "ci" (line 4); none of them is loaded'
    }
    const { keys, refused } = read(`${entry(viewer)}${entry("  rule: nonsense\n")}- name: x\n  hash: ${b}\n${viewer}`)
    assert.deepStrictEqual(
      keys.map(({ name }) => name),
      ["x"]
    )
    assert.deepStrictEqual(
      refused.map(({ faults, line }) => ({ faults, line })),
      [
        { faults: [twins], line: 1 },
        { faults: [{ field: "rule", problem: "expected an object" }, twins], line: 4 }
      ]
    )
  })

  it("gives a key an id that follows its name, and tells two of one name apart", () => {
    const ids = read(`${entry(viewer)}${entry(viewer, b)}`).keys.map(({ id }) => id)
    assert.match(ids[0] ?? "", /^cfg_[0-9a-f]{20}$/)
    assert.strictEqual(ids[1], `${ids[0]}_2`)
    assert.strictEqual(read(entry("  rule: { role: Admin }\n", hashOf("c"))).keys[0]?.id, ids[0])
  })

  it.each([
    ["nothing", "", "must be a list of keys"],
    ["a comment", "# none\n", "must be a list of keys"],
    ["a map", "keys: []\n", "must be a list of keys"],
    ["broken YAML", "- name: [\n", "is not YAML"],
    ["a field that stands twice", entry(`  name: other\n${viewer}`), "line 3: a map has the same key twice"],
    ["a custom tag", entry("  rule: !admin { role: Admin }\n"), "tags are not allowed"],
    ["a timestamp tag", entry(`  expire: !!timestamp 2030-01-01T00:00:00Z\n${viewer}`), "tags are not allowed"],
    ["a binary tag", entry(viewer, "!!binary aGVsbG8="), "tags are not allowed"],
    ["a map for a key", "- ? { a: b }\n  : c\n", "is not YAML"],
    ["two documents", "[]\n---\n[]\n", "must be one document"],
    ["YAML 1.1", "%YAML 1.1\n---\n[]\n", "must be YAML 1.2"],
    ["an alias of nothing", entry("  rule: *nothing\n"), "has an alias without an anchor"]
  ])("is refused as a whole as %s", (_name, text, problem) => {
    assert.include(problemOf(text), problem)
  })

  it("is refused when anchors make a small text big", () => {
    const levels = Array.from({ length: 9 }, (_, level) => `- &l${level + 1} [${`*l${level},`.repeat(9)}]`)
    assert.include(problemOf(`- &l0 [x]\n${levels.join("\n")}\n`), "or more than 100 aliases")
  })

  it("is refused when it is nested without end, and the program lives on", () => {
    assert.notStrictEqual(problemOf("[".repeat(200_000)), "none")
    const deep = KeysFile.parse(`- ${"[".repeat(500)}${"]".repeat(500)}`)
    assert.strictEqual(Result.isSuccess(deep) ? deep.success.keys.length : 0, 0)
  })

  it("never repeats what it refused: a raw key may stand there by mistake", () => {
    const secret = "qd_0123456789abcdefghijkl"
    for (const text of [
      entry(viewer, secret),
      entry(`  expire: ${secret}\n${viewer}`),
      entry(`  rule: { role: ${secret} }\n`)
    ]) {
      assert.notInclude(JSON.stringify(read(text).refused), secret)
    }
    for (const text of [`- *${secret}`, `- !${secret} x`, `- "${secret}`, `{ ${secret}: 1, ${secret}: 2 }`]) {
      assert.notInclude(problemOf(text), secret)
      assert.notStrictEqual(problemOf(text), "none")
    }
  })

  it.prop("is read or refused, whatever the text", [Schema.String], ([text]) => {
    const file = KeysFile.parse(text)
    if (Result.isSuccess(file)) assert.deepStrictEqual(file.success.keys, [])
  })
})
