import { assert, describe, it } from "@effect/vitest"
import * as Access from "../src/Access.ts"
import { admin, rule, shopAdmin, viewer } from "./samples.ts"

const operator = rule({ role: "Operator" })
const namespaceAdmin = rule({ role: "Admin", targetNamespaces: [{ namespaceNames: ["shop"] }] })
const clusterAdmin = rule({ role: "Admin", targetClusters: ["prod"] })

/** The allowed roles in the notation of the documentation. `A*` is an Admin without a scope. */
type Cell = "V O A" | "O A" | "A" | "A*" | "nobody" | "-"

const rows: ReadonlyArray<readonly [Access.Resource, Cell, Cell, Cell, Cell]> = [
  ["clusters", "V O A", "A*", "A*", "A*"],
  ["clusterCredentials", "nobody", "A*", "A*", "A*"],
  ["namespaces", "V O A", "-", "O A", "-"],
  ["workloads", "V O A", "-", "O A", "-"],
  ["pods", "V O A", "-", "O A", "-"],
  ["events", "V O A", "-", "O A", "-"],
  ["secrets", "nobody", "-", "-", "-"],
  ["environment", "nobody", "-", "-", "-"],
  ["exec", "nobody", "-", "-", "-"],
  ["podLogs", "O A", "-", "-", "-"],
  ["cost", "V O A", "-", "-", "-"],
  ["overview", "V O A", "-", "-", "-"],
  ["prices", "V O A", "A*", "A*", "A*"],
  ["apiKeys", "A", "A", "A", "A"],
  ["ownKey", "V O A", "-", "-", "V O A"],
  ["audit", "A", "-", "-", "nobody"]
]

const cells = rows.flatMap(([resource, ...row]) =>
  row.flatMap((cell, index) => {
    const verb = Access.verbs[index]
    return verb === undefined ? [] : [[`${verb} ${resource}`, cell, resource, verb] as const]
  })
)

const allowedBy = (cell: Cell) => ({
  viewer: cell === "V O A",
  operator: cell === "V O A" || cell === "O A",
  scopedAdmin: cell === "V O A" || cell === "O A" || cell === "A",
  admin: cell !== "nobody" && cell !== "-"
})

describe("access", () => {
  it("is decided for every resource of the table", () => {
    assert.deepStrictEqual(
      rows.map(([resource]) => resource),
      [...Access.resources]
    )
    assert.strictEqual(cells.length, Access.resources.length * Access.verbs.length)
  })

  it.each(cells)("%s: %s", (_name, cell, resource, verb) => {
    const refused = cell === "-" ? "unsupported" : "role_forbidden"
    const expected = allowedBy(cell)
    assert.strictEqual(Access.decide(viewer, resource, verb), expected.viewer ? "allowed" : refused)
    assert.strictEqual(Access.decide(operator, resource, verb), expected.operator ? "allowed" : refused)
    for (const scoped of [shopAdmin, namespaceAdmin, clusterAdmin]) {
      assert.strictEqual(Access.decide(scoped, resource, verb), expected.scopedAdmin ? "allowed" : refused)
    }
    assert.strictEqual(Access.decide(admin, resource, verb), expected.admin ? "allowed" : refused)
  })

  it("says of what it refuses whom it takes", () => {
    assert.strictEqual(
      Access.refusal(viewer, "apiKeys", "create"),
      "a Viewer may not create apiKeys: it takes an Admin"
    )
    assert.strictEqual(
      Access.refusal(viewer, "podLogs", "read"),
      "a Viewer may not read logs: it takes an Operator or an Admin"
    )
    assert.strictEqual(
      Access.refusal(clusterAdmin, "clusters", "create"),
      "an Admin with a scope may not create clusters: it takes an Admin without a scope"
    )
    assert.strictEqual(Access.refusal(admin, "secrets", "read"), "an Admin may not read secrets: no key may")
  })

  it.each(cells)("%s: whom a refusal names is let in", (_name, _cell, resource, verb) => {
    const takes = Access.refusal(viewer, resource, verb).split(": it takes ")[1] ?? ""
    const named = (words: string) => takes.split(" or ").includes(words)
    const isAllowed = (caller: typeof admin) => Access.decide(caller, resource, verb) === "allowed"
    assert.strictEqual(named("a Viewer"), isAllowed(viewer))
    assert.strictEqual(named("an Operator"), isAllowed(operator))
    assert.strictEqual(named("an Admin"), isAllowed(clusterAdmin))
    assert.strictEqual(named("an Admin") || named("an Admin without a scope"), isAllowed(admin))
  })
})
