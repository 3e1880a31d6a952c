import { Embedded } from "@quarterdeck/harness"
import { fleetTest } from "@quarterdeck/harness/vitest/FleetTest"
import { describe } from "vitest"

describe("a suite", () => {
  const test = fleetTest({ driver: Embedded.driver, parent: "hub", per: "file" })

  test("is never reached", async ({ expect, fleet }) => {
    expect(fleet.clusters).toHaveLength(1)
  })
})
