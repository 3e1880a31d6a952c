/** The fixtures as their users write them: plain vitest, no Effect. */
import { get } from "node:https"
import { describe, expectTypeOf, test as plain } from "vitest"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { Fleet, type FleetOptions } from "../../src/fleet/Fleet.ts"
import type { StartedCluster, StartedFleet } from "../../src/fleet/StartedFleet.ts"
import { fleetTest } from "../../src/vitest/FleetTest.ts"

const CONFIG_MAPS = { apiVersion: "v1", kind: "ConfigMap", namespace: "default" }
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } })

/** The status that a client gets who comes as the kubeconfig says, over a connection of its own. */
const statusFor = ({ caPem, server }: StartedCluster): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${server}/readyz`, { ca: caPem, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once("error", reject)
  })

const clusters = { driver: Embedded.driver, parent: "hub", children: ["eu", "us"] } as const

// vitest takes what lives as long as a file only outside of `describe`.
const testOfFile = fleetTest({
  ...clusters,
  per: "file",
  faults: true,
  prepare: async (fleet) => void (await fleet.cluster("eu").create(configMap("prepared")))
})

describe("a fleet that is started by a call", () => {
  plain("knows its clusters' names at compile time, and any name where they are not known", () => {
    const named = () => Fleet.start({ driver: Embedded.driver, parent: "hub", children: ["eu", "us"] })
    expectTypeOf<Awaited<ReturnType<typeof named>>["cluster"]>().parameter(0).toEqualTypeOf<"hub" | "eu" | "us">()
    const lone = () => Fleet.start({ driver: Embedded.driver, parent: "hub" })
    expectTypeOf<Awaited<ReturnType<typeof lone>>["cluster"]>().parameter(0).toEqualTypeOf<"hub">()
    const open = (options: FleetOptions) => Fleet.start(options)
    expectTypeOf<Awaited<ReturnType<typeof open>>["cluster"]>().parameter(0).toEqualTypeOf<string>()
    expectTypeOf<Awaited<ReturnType<typeof named>>>().toExtend<StartedFleet>()
  })
})

describe("a fleet for each test", () => {
  const test = fleetTest({
    ...clusters,
    prepare: async (fleet) => void (await fleet.cluster("eu").create(configMap("prepared")))
  })

  test("has the clusters that were asked for, prepared", async ({ fleet, expect }) => {
    expect(fleet.clusters.map(({ name }) => name)).toEqual(["hub", "eu", "us"])
    expect(await fleet.cluster("eu").get({ ...CONFIG_MAPS, name: "prepared" })).toHaveProperty("kind", "ConfigMap")
    await fleet.cluster("hub").create(configMap("left"))
  })

  test("is another one in the next test", async ({ fleet, expect }) => {
    const { items } = await fleet.cluster("hub").list(CONFIG_MAPS)
    expect(items.map(({ metadata }) => metadata.name)).not.toContain("left")
  })

  test("knows its clusters' names at compile time", ({ fleet }) => {
    expectTypeOf(fleet.cluster).parameter(0).toEqualTypeOf<"hub" | "eu" | "us">()
  })

  test("refuses faults when it was started without", async ({ fleet, expect }) => {
    await expect(fleet.cluster("eu").inject(Fault.cut)).rejects.toThrow(
      "cluster eu: the fleet was started without faults"
    )
  })
})

describe("a fleet for a file", () => {
  const seen: Array<string> = []

  testOfFile("is used by one test", async ({ fleet, expect }) => {
    seen.push(fleet.parent.server)
    await fleet.cluster("eu").delete({ ...CONFIG_MAPS, name: "prepared" })
    await fleet.cluster("eu").create(configMap("left"))
    await fleet.cluster("us").kill()
    await fleet.cluster("hub").inject(Fault.cut)
    await expect(statusFor(fleet.cluster("hub"))).rejects.toThrow()
  })

  testOfFile(
    "is the same in the next, as it was prepared: reset, healed, and with every cluster up",
    async ({ fleet, expect }) => {
      expect(seen).toEqual([fleet.parent.server])
      const { items } = await fleet.cluster("eu").list(CONFIG_MAPS)
      const names = items.map(({ metadata }) => metadata.name)
      expect(names).toContain("prepared")
      expect(names).not.toContain("left")
      for (const cluster of fleet.clusters) expect(await statusFor(cluster)).toBe(200)
    }
  )

  testOfFile("has faults that end when they are disposed", async ({ fleet, expect }) => {
    {
      await using fault = await fleet.cluster("eu").inject(Fault.cut)
      expect(fault.fault).toEqual(Fault.cut)
      await expect(statusFor(fleet.cluster("eu"))).rejects.toThrow()
    }
    expect(await statusFor(fleet.cluster("eu"))).toBe(200)
  })
})
