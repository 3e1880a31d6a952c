import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"

const combine = (yaml: string, variables = {}) => Settings.combine({}, variables, SettingsFile.parse("q.yaml", yaml))
const fanOut = (yaml: string) => Result.getOrThrow(combine(yaml)).settings.fanOut
const lines = (yaml: string, variables = {}) =>
  Result.match(combine(yaml, variables), { onSuccess: () => [], onFailure: (error) => error.lines })

describe("Settings of the fan-out", () => {
  it("has the documented defaults", () => {
    assert.deepStrictEqual(fanOut(""), {
      timeoutMs: 3_000,
      maxTimeoutMs: 30_000,
      perCluster: 4,
      maxNames: 64,
      maxObjects: 500_000
    })
  })

  it("takes another bound of objects", () => {
    assert.strictEqual(fanOut("fanOut: { maxObjects: 1000 }").maxObjects, 1_000)
  })

  it.each([
    "fanOut: { maxTimeoutMs: 30001 }",
    "fanOut: { perCluster: 0 }",
    "fanOut: { maxObjects: 0 }",
    "fanOut: { maxObjects: 10000001 }"
  ])("refuses the file %s with one line", (yaml) => {
    assert.lengthOf(lines(yaml), 1)
  })

  it("wants the default deadline not above the longest", () => {
    assert.deepStrictEqual(lines("", { QUARTERDECK_FAN_OUT_MAX_TIMEOUT_MS: "1000" }), [
      "QUARTERDECK_FAN_OUT_MAX_TIMEOUT_MS: fanOut.timeoutMs (3000) must not be above fanOut.maxTimeoutMs (1000)"
    ])
    assert.strictEqual(fanOut("fanOut: { timeoutMs: 9, maxTimeoutMs: 9 }").timeoutMs, 9)
  })
})
