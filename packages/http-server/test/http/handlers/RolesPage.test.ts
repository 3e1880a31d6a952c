/** The table of roles in docs/reference/keys.md tells what the endpoints let each role do. */
import { assert, describe, it } from "@effect/vitest"
import * as Access from "@quarterdeck/keys/Access"
import { readFileSync } from "node:fs"
import * as Endpoints from "../../../src/http/request/Endpoints.ts"

const page = readFileSync(new URL("../../../../../docs/reference/keys.md", import.meta.url), "utf8")

/** What the page calls the resources that endpoints have. */
const NAMES: Partial<Record<Access.Resource, string>> = {
  clusters: "clusters",
  namespaces: "namespaces",
  workloads: "workloads",
  podLogs: "pod logs",
  cost: "costs",
  prices: "prices",
  ownKey: "own key",
  apiKeys: "keys of others"
}

/** What the page calls a verb on a resource, where it is not the verb itself; all of the words stand where one does. */
const DONE: Partial<Record<`${Access.Resource}.${Access.Verb}`, ReadonlyArray<string>>> = {
  "clusters.create": ["register"],
  "clusters.delete": ["drop"],
  "workloads.operate": ["scale", "restart", "pause", "resume"],
  "prices.operate": ["replace"],
  "ownKey.delete": ["rotate", "revoke"],
  "apiKeys.operate": ["change", "rotate"],
  "apiKeys.delete": ["revoke"]
}

/** The cells of each resource: what a Viewer, an Operator and an Admin may. */
const cells = new Map(
  page
    .slice(page.indexOf("## Roles"), page.indexOf("## Containment"))
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((line) => {
      const [names = "", ...roles] = line.slice(2, -1).split("|")
      return names.split(",").map((name) => [name.trim(), roles.map((role) => role.trim())] as const)
    })
)

const rules = [{ role: "Viewer" }, { role: "Operator" }, { role: "Admin" }] as const

describe("the page on keys", () => {
  it.each(Endpoints.all.map((endpoint) => [endpoint.name, endpoint] as const))(
    "tells who may call %s",
    (_, endpoint) => {
      if (endpoint.policy === undefined || typeof endpoint.policy === "string") return
      const { resource, verb } = endpoint.policy
      const row = cells.get(NAMES[resource] ?? resource)
      assert.isDefined(row, `a row for ${resource}`)
      const words = DONE[`${resource}.${verb}`] ?? [verb]
      const told = row?.map((cell) => words.every((word) => new RegExp(`\\b${word}\\b`).test(cell)))
      assert.deepStrictEqual(
        told,
        rules.map((rule) => Access.decide(rule, resource, verb) === "allowed")
      )
    }
  )
})
