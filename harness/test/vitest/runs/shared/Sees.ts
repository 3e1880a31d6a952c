/** What every file of the run sees; each keeps to a namespace of its own. */
import { sharedFleetTest } from "@quarterdeck/harness/vitest/SharedFleetTest"
import { expectTypeOf } from "vitest"
import type { setup } from "./fleet.setup.ts"

const test = sharedFleetTest<typeof setup>()

export const seesTheFleet = (namespace: string): void => {
  test("has the clusters of the setup, prepared, and writes to them", async ({ expect, fleet }) => {
    expect(fleet.clusters.map(({ name, role }) => [name, role])).toEqual([
      ["hub", "parent"],
      ["eu", "child"],
      ["us", "child"]
    ])
    const hub = fleet.cluster("hub")
    await hub.get({ apiVersion: "v1", kind: "Namespace", name: "prepared" })
    await hub.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
    expect(fleet.kubeconfig).toContain(hub.server)
    expect(fleet.kubeconfigFor("viewer")).toContain(hub.token("viewer"))
    expect(() => hub.token("nobody")).toThrow("cluster hub: no user is named nobody")
    expect(await hub.logs()).toContain("POST /api/v1/namespaces")
  })

  test("knows the clusters' names at compile time", ({ fleet }) => {
    expectTypeOf(fleet.cluster).parameter(0).toEqualTypeOf<"hub" | "eu" | "us">()
  })
}

export { test }
