import { sharedFleetTest } from "@quarterdeck/harness/vitest/SharedFleetTest"

const test = sharedFleetTest()

test("has no fleet, because no setup shares one", async ({ expect, fleet }) => {
  expect(fleet.clusters).toHaveLength(1)
})
