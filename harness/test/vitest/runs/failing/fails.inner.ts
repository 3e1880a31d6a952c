import { Embedded } from "@quarterdeck/harness"
import { fleetTest } from "@quarterdeck/harness/vitest/FleetTest"

const test = fleetTest({ driver: Embedded.driver, parent: "hub", children: ["eu"] })

test("passes, and its logs are nobody's business", async ({ expect, fleet }) => {
  await fleet.cluster("hub").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "quiet" } })
  expect(fleet.clusters).toHaveLength(2)
})

test("fails, and its logs explain it", async ({ expect, fleet }) => {
  await fleet.cluster("eu").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "telling" } })
  expect(fleet.clusters).toHaveLength(3)
})
