/** The test of the harness's README: plain vitest, without Effect. */
import { Embedded } from "@quarterdeck/harness"
import { fleetTest } from "@quarterdeck/harness/vitest/FleetTest"

const test = fleetTest({ driver: Embedded.driver, parent: "hub", children: ["eu", "us"] })

test("finds the deployments of every cluster but the one that is gone", async ({ expect, fleet }) => {
  const deployments = { apiVersion: "apps/v1", kind: "Deployment" }
  await fleet.cluster("us").kill()
  const answers = await Promise.allSettled(fleet.clusters.map((cluster) => cluster.list(deployments)))
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"])

  await fleet.cluster("us").restart()
  expect((await fleet.cluster("us").list(deployments)).items).toEqual([])
})
