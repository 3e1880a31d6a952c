// By path: vitest asks for what a global setup imports without the conditions of its configuration, so by name it would
// be the build, which a fresh clone has not got.
import { Embedded } from "../../../../src/index.ts"
import { shareFleet } from "../../../../src/vitest/ShareFleet.ts"

export const setup = shareFleet({
  driver: Embedded.driver,
  parent: "hub",
  children: ["eu", "us"],
  users: [{ name: "viewer" }],
  faults: true,
  prepare: async (fleet) => {
    await fleet.cluster("hub").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "prepared" } })
  }
})
