import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { combine } from "../../src/settings/Settings.ts"
import * as Nearest from "../../src/settings/Nearest.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"
import { rows } from "../../src/settings/Table.ts"

/** The mistakes of a file and of variables, a line each. */
const lines = ({ variables, yaml }: { readonly variables: Record<string, string>; readonly yaml: string }) =>
  Result.match(combine({}, variables, SettingsFile.parse("q.yaml", yaml)), {
    onFailure: (error) => error.lines,
    onSuccess: () => []
  })

describe("Nearest", () => {
  it("tells the setting or variable that is nearest to a misspelt one", () => {
    const yaml = "sever: {}\nport: 1\nkeys: { bootstrapfile: a }\ncost: { hourlyDay: 3, qqqqqq: 1 }\n"
    const found = lines({
      yaml,
      variables: { QUARTERDECK_KEYFILE: "a", QUARTERDECK_API_KEYS: "a", QUARTERDECK_XYZZY: "a" }
    })
    const told = found.map((line) =>
      line.replace(/[?;] (?:the file|server|keys|cost) may contain .*/, "").replace(/\?$/, "")
    )
    assert.sameMembers(
      told.map((line) => line.replace(/; the server's variables are .*/, "")),
      [
        "q.yaml:1:1: sever is not a setting; did you mean server",
        "q.yaml:2:1: port is not a setting; did you mean server.port",
        "q.yaml:3:9: keys.bootstrapfile is not a setting; did you mean keys.bootstrapFile",
        "q.yaml:4:9: cost.hourlyDay is not a setting; did you mean cost.hourlyDays",
        "q.yaml:4:23: cost.qqqqqq is not a setting",
        "QUARTERDECK_KEYFILE: is not a variable of Quarterdeck; did you mean QUARTERDECK_KEYS_FILE",
        "QUARTERDECK_API_KEYS: is not a variable of Quarterdeck; did you mean QUARTERDECK_API_KEY",
        "QUARTERDECK_XYZZY: is not a variable of Quarterdeck"
      ]
    )
  })

  it.each([
    ["qa", ["db"], undefined],
    ["db", ["dbs"], "dbs"],
    ["web", ["dev"], undefined],
    ["prdo", ["prod"], "prod"],
    ["shpo", ["shop"], "shop"],
    ["a".repeat(60), [`${"a".repeat(54)}${"b".repeat(6)}`], undefined]
  ] as const)("of %s among %j means %s", (text, names, meant) => {
    assert.strictEqual(Nearest.find(text, names), meant)
  })

  it("finds every setting with its last two letters changed about", () => {
    const names = rows.map(({ path }) => path)
    const swapped = names
      .map((path) => ({ path, text: path.slice(0, -2) + path.slice(-1) + path.slice(-2, -1) }))
      .filter(({ text }) => !names.includes(text))
    assert.deepStrictEqual(
      swapped.map(({ text }) => Nearest.find(text, names)),
      swapped.map(({ path }) => path)
    )
  })
})
