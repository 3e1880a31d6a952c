import { Embedded } from "@quarterdeck/harness"
import { shareFleet } from "@quarterdeck/harness/vitest/ShareFleet"

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
