import type { StartedFleet } from "@quarterdeck/harness"
import * as Fault from "@quarterdeck/harness/Fault"
import { get } from "node:https"
import { seesTheFleet, test } from "./Sees.ts"

/** The status that a client gets who comes as the kubeconfig says, over a connection of its own. */
const statusFor = ({ caPem, server }: StartedFleet.StartedCluster): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${server}/readyz`, { ca: caPem, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once("error", reject)
  })

seesTheFleet("one")

test("kills a cluster and brings it back", async ({ expect, fleet }) => {
  const us = fleet.cluster("us")
  await us.kill()
  await expect(us.list({ apiVersion: "v1", kind: "Pod" })).rejects.toThrow()
  await us.restart()
  expect((await us.list({ apiVersion: "v1", kind: "Pod" })).items).toEqual([])
})

test("takes a cluster back to its checkpoint", async ({ expect, fleet }) => {
  const us = fleet.cluster("us")
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "later", namespace: "default" } }
  await us.create(configMap)
  await us.reset()
  await expect(us.get({ ...configMap, name: "later", namespace: "default" })).rejects.toThrow("404 NotFound")
})

test("has faults that heal on demand, and leaves one behind", async ({ expect, fleet }) => {
  const eu = fleet.cluster("eu")
  {
    await using _ = await eu.inject(Fault.unauthorized())
    expect(await statusFor(eu)).toBe(401)
    expect((await eu.list({ apiVersion: "v1", kind: "Pod" })).items).toEqual([])
  }
  expect(await statusFor(eu)).toBe(200)
  await eu.inject(Fault.unauthorized())
})

test("cuts a cluster off, and lets it back", async ({ expect, fleet }) => {
  const eu = fleet.cluster("eu")
  {
    await using _ = await eu.inject(Fault.cut)
    await expect(statusFor(eu)).rejects.toThrow()
    await expect(statusFor(eu)).rejects.toThrow()
  }
  expect(await statusFor(eu)).toBe(200)
})

test("meets no fault of the test before", async ({ expect, fleet }) => {
  expect(await statusFor(fleet.cluster("eu"))).toBe(200)
})

test("gets the errors that the fleet itself would give", async ({ expect, fleet }) => {
  // As plain data, since the constructor would refuse it here.
  await expect(fleet.cluster("eu").inject({ _tag: "Latency", ms: -1 })).rejects.toThrow(/^cluster eu: /)
})
