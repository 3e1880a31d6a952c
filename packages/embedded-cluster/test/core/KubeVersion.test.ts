import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { compareVersions } from "../../src/core/KubeVersion.ts"

const Version = Schema.Literals([
  "v1",
  "v2",
  "v10",
  "v1beta1",
  "v1beta2",
  "v3beta1",
  "v12alpha1",
  "v11alpha2",
  "foo1",
  "foo10"
])

describe("the order of API versions", () => {
  it("equals the order in the documentation of CustomResourceDefinitions", () => {
    const shown = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    assert.deepStrictEqual(
      shown.toReversed().toSorted((left, right) => compareVersions(right, left)),
      shown
    )
  })

  it.prop("is an order", [Version, Version, Version], ([a, b, c]) => {
    assert.strictEqual(Math.sign(compareVersions(a, b)), -Math.sign(compareVersions(b, a)) + 0)
    assert.strictEqual(compareVersions(a, b) === 0, a === b)
    if (compareVersions(a, b) > 0 && compareVersions(b, c) > 0) assert.isAbove(compareVersions(a, c), 0)
  })
})
