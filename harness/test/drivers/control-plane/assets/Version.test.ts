import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as Version from "../../../../src/drivers/control-plane/assets/Version.ts"

const Number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))

describe("Version", () => {
  it.prop("reads what it writes, with and without the v", [Number, Number, Number], ([major, minor, patch]) => {
    for (const version of [
      { major, minor },
      { major, minor, patch }
    ]) {
      const text = Version.print(version)
      assert.deepStrictEqual(Version.parse(text), Option.some(version))
      assert.deepStrictEqual(Version.parse(text.slice(1)), Option.some(version))
    }
  })

  it("refuses what names no release", () => {
    for (const text of [
      "",
      "v",
      "1",
      "1.",
      "1.33.",
      "1.33.1.1",
      "01.33",
      "v1.33.2-rc.1",
      "latest",
      " 1.33",
      "../1.33"
    ]) {
      assert.deepStrictEqual(Version.parse(text), Option.none(), text)
    }
  })

  it.prop(
    "the newest of a minor release is one of its patches, and none is newer",
    [Schema.Array(Number)],
    ([patches]) => {
      const texts = [...patches.map((patch) => `v1.33.${patch}`), "v1.34.0", "v1.33.9999-rc.0", "notes"]
      const newest = Version.newest({ major: 1, minor: 33 }, texts)
      assert.deepStrictEqual(
        newest,
        patches.length === 0 ? Option.none() : Option.some({ major: 1, minor: 33, patch: Math.max(...patches) })
      )
    }
  )
})
