import { assert, describe, it } from "@effect/vitest"
import * as Reference from "../../src/settings/Reference.ts"
import { rows } from "../../src/settings/Table.ts"
import { variableOf } from "../../src/settings/Variables.ts"

describe("the reference of the settings", () => {
  const lines = Reference.render().split("\n")

  it("has one line of six cells for each setting, with its flag, variable and default", () => {
    for (const row of rows) {
      const found = lines.filter((line) => line.startsWith(`| \`${row.path}\` |`))
      assert.lengthOf(found, 1)
      const cells =
        found[0]
          ?.split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()) ?? []
      assert.lengthOf(cells, 6)
      assert.strictEqual(cells[1], `\`--${row.flag}\``)
      assert.strictEqual(cells[2], `\`${variableOf(row)}\``)
      if (row.initialText !== undefined) assert.include(cells[3], row.initialText)
    }
  })

  it("holds the whole file of defaults, each section once", () => {
    assert.include(Reference.render(), Reference.yaml())
    const sections = Reference.yaml()
      .split("\n")
      .filter((line) => line.endsWith(":") && !line.startsWith(" "))
    const expected = [
      "server:",
      "clusters:",
      "keys:",
      "oidc:",
      "fanOut:",
      "limits:",
      "cost:",
      "audit:",
      "webhooks:",
      "telemetry:"
    ]
    assert.deepStrictEqual(sections, expected)
  })
})
