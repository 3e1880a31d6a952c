import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import * as Output from "../../../src/cli/print/Output.ts"
import * as PlainText from "../../../src/cli/print/PlainText.ts"

const COLUMNS: ReadonlyArray<Output.Column<readonly [string, string]>> = [
  { title: "one", cell: ([one]) => one },
  { title: "two", cell: ([, two]) => two }
]

/** Reads CSV as RFC 4180 has it. */
const readCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = []
  let line: Array<string> = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\n)/y
  while (field.lastIndex < text.length) {
    const match = field.exec(text)
    if (match === null) throw new Error("not CSV")
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "")
    if (match[3] === "\n") {
      lines.push(line)
      line = []
    }
  }
  return lines
}

const Cell = Schema.Union([
  Schema.String,
  Schema.TemplateLiteral([Schema.Literals(["=", "+", "-", "@", "\t", "\r", "\n", "＝", '"', ","]), Schema.String])
])

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

const Key = Schema.String.check(Schema.makeFilter((text) => text !== "__proto__" && text !== "<<"))
const Value = Schema.Record(
  Key,
  Schema.Union([Schema.String, Schema.Int, Schema.Boolean, Schema.Null, Schema.Array(Cell), Schema.Record(Key, Cell)])
)

describe("Output", () => {
  it.prop(
    "csv gives back every cell, what cannot be seen as escapes, and none that a spreadsheet would run",
    [Schema.Array(Schema.Tuple([Cell, Cell]))],
    ([rows]) => {
      const text = Output.csv(COLUMNS, rows)
      assert.notMatch(text.replaceAll("\n", ""), UNSEEN)
      const [titles, ...lines] = readCsv(text)
      assert.deepStrictEqual(titles, ["one", "two"])
      assert.strictEqual(lines.length, rows.length)
      for (const [index, line] of lines.entries()) {
        for (const [column, cell] of line.entries()) {
          assert.notMatch(cell, /^[=+\-@＝＋－＠\t\r\n]/)
          const given = PlainText.oneLine(rows[index]?.[column] ?? "")
          assert.include([given, `'${given}`], cell)
          if (!/^[=+\-@＝＋－＠\t\r\n]/.test(given)) assert.strictEqual(cell, given)
        }
      }
    }
  )

  it.prop("yaml gives back every value, and shows what cannot be seen as escapes", [Value], ([value]) => {
    const text = Output.yaml(value)
    assert.notMatch(text.replaceAll("\n", ""), UNSEEN)
    assert.deepStrictEqual(parse(text), value)
    assert.deepStrictEqual(parse(text, { version: "1.1" }), value, "a reader of YAML 1.1 finds the same")
  })

  it.prop(
    "table keeps one line a row, whatever the cells hold",
    [Schema.Array(Schema.Tuple([Cell, Cell]))],
    ([rows]) => {
      const text = Output.table(COLUMNS, rows)
      assert.lengthOf(text.split("\n"), rows.length + 2)
      assert.notMatch(text.replaceAll("\n", ""), UNSEEN)
    }
  )

  it.prop("json is the same value, and holds nothing that cannot be seen", [Schema.Array(Cell)], ([cells]) => {
    const text = Output.json(cells)
    assert.notMatch(text.replaceAll("\n", ""), UNSEEN)
    assert.deepStrictEqual(JSON.parse(text), cells)
  })

  it("table aligns wide characters by the cells that they take", () => {
    assert.strictEqual(
      Output.table(COLUMNS, [
        ["日本", "x"],
        ["a", "y"]
      ]),
      "one   two\n日本  x\na     y\n"
    )
  })

  it.each([
    [0, "0"],
    [1, "1"],
    [1023, "1023"],
    [1024, "1Ki"],
    [1536, "1.5Ki"],
    [3 * 1024 ** 3, "3Gi"],
    [1024 ** 6, "1024Pi"]
  ])("shows %d bytes as %s", (count, text) => {
    assert.strictEqual(PlainText.bytes(count), text)
  })

  it.each([
    [0, "0"],
    [5, "0.005"],
    [1500, "1.5"],
    [2000, "2"]
  ])("shows %d thousandths of a core as %s", (millis, text) => {
    assert.strictEqual(PlainText.cores(millis), text)
  })
})
