import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as WorkloadFilter from "../src/workloads/WorkloadFilter.ts"

const Filter = Schema.Struct({
  name: Schema.Literals(["", "web", "a b", "ü&="]),
  kinds: Schema.Array(Schema.Literals(["Deployment", "Rollout"])),
  namespaces: Schema.Array(Schema.Literals(["shop", "kube-system"])),
  labels: Schema.Literals(["", "app=web,tier!=cache"]),
  // An address holds each status once, the worst first.
  statuses: Schema.Union([
    Schema.Tuple([]),
    Schema.Tuple([Schema.Literal("failed")]),
    Schema.Tuple([Schema.Literal("failed"), Schema.Literal("degraded")])
  ]),
  sort: Schema.Literals(WorkloadFilter.SORTS.map(([sort]) => sort)),
  order: Schema.Literals(["asc", "desc"])
})

describe("the filter of an address", () => {
  it.prop("is read as it was written, and leaves the clusters alone", [Filter], ([filter]) => {
    const search = WorkloadFilter.write(new URLSearchParams("cluster=prod&name=old"), filter)
    assert.deepStrictEqual(WorkloadFilter.parse(new URLSearchParams(search.toString())), filter)
    assert.deepStrictEqual(search.getAll("cluster"), ["prod"])
  })

  it("asks for nothing that it does not say", () => {
    const parameters = WorkloadFilter.parametersOf(
      WorkloadFilter.parse(new URLSearchParams("name=%20&sort=age&order=up"))
    )
    assert.deepStrictEqual(parameters, { sort: "name", order: "asc" })
  })

  it("reads the statuses that exist, the worst first, and asks for them", () => {
    const filter = WorkloadFilter.parse(new URLSearchParams("status=degraded&status=failed&status=broken"))
    assert.deepStrictEqual(filter.statuses, ["failed", "degraded"])
    assert.isTrue(WorkloadFilter.isNarrowed(filter))
    assert.deepStrictEqual(WorkloadFilter.parametersOf(filter).status, ["failed", "degraded"])
  })
})
