import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { checkVersion } from "../../../../src/drivers/control-plane/assets/GoToolchain.ts"

const Part = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))

describe("checkVersion", () => {
  it.prop("takes 1.26 and everything newer, and nothing older", [Part, Part, Part], ([major, minor, patch]) => {
    const enough = major > 1 || (major === 1 && minor >= 26)
    const checked = checkVersion(`go version go${major}.${minor}.${patch} linux/amd64\n`)
    assert.strictEqual(Result.isSuccess(checked), enough)
  })

  it("reads release candidates", () => {
    assert.isTrue(Result.isSuccess(checkVersion("go version go1.27rc1 linux/arm64")))
  })

  it("refuses what is no version, and says so", () => {
    const checked = checkVersion("command not found")
    assert.isTrue(Result.isFailure(checked))
    assert.strictEqual(
      Result.isFailure(checked) ? checked.failure.message : "",
      "Go of unknown version is too old; version 1.26 or newer is needed"
    )
  })
})
