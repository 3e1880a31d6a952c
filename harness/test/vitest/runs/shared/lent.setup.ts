// By path: see fleet.setup.ts.
import { Embedded } from "../../../../src/index.ts"
import { lendFleets } from "../../../../src/vitest/ShareFleet.ts"

export const setup = lendFleets({
  quiet: { driver: Embedded.driver, parent: "hub", children: ["eu"], users: [{ name: "viewer" }], faults: true }
})
