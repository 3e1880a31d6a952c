import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AggregateBody } from "../../src/report/Aggregate.ts"
import * as CostQuery from "../../src/report/CostQuery.ts"

const faultOf = (body: Parameters<typeof CostQuery.decode>[0], input: unknown) =>
  Result.match(CostQuery.decode(body, input), { onSuccess: () => undefined, onFailure: ({ field }) => field })

describe("the body of a report", () => {
  it("may be empty, and may name namespaces, kinds and clusters", () => {
    for (const body of [
      {},
      { namespaces: ["shop"], workloadTypes: ["Deployment", "Rollout"], multiCluster: true, clusters: ["prod"] }
    ]) {
      assert.deepStrictEqual(CostQuery.decode(CostQuery.WorkloadsBody, body), Result.succeed(body))
    }
  })

  it("is refused with the name of the field that is wrong", () => {
    const refusals: ReadonlyArray<readonly [input: unknown, field: string]> = [
      [{ namespaces: "shop" }, "namespaces"],
      [{ namespaces: [] }, "namespaces"],
      [{ namespaces: null }, "namespaces"],
      [{ namespaces: ["shop", 1] }, "namespaces[1]"],
      [{ namespaces: ["Shop"] }, "namespaces[0]"],
      [{ workloadTypes: [] }, "workloadTypes"],
      [{ workloadTypes: ["Deployment", "deployment"] }, "workloadTypes[1]"],
      [{ workloadTypes: { kind: "Deployment" } }, "workloadTypes"],
      [{ multiCluster: "true" }, "multiCluster"],
      [{ clusters: [1] }, "clusters[0]"],
      [{ namespace: ["shop"] }, "namespace"],
      [[], ""]
    ]
    for (const [input, field] of refusals) assert.strictEqual(faultOf(CostQuery.WorkloadsBody, input), field)
  })

  it("groups by any dimension, each once", () => {
    const groupBy = ["cluster", "namespace", "kind", "workload", "label:app.kubernetes.io/name"]
    assert.isTrue(Result.isSuccess(CostQuery.decode(AggregateBody, { groupBy, stepSize: "week", idle: "share" })))
    assert.isTrue(Result.isSuccess(CostQuery.decode(AggregateBody, { groupBy: [] })))
    const refusals: ReadonlyArray<readonly [input: unknown, field: string]> = [
      [{}, "groupBy"],
      [{ groupBy: "cluster" }, "groupBy"],
      [{ groupBy: ["cluster", "node"] }, "groupBy[1]"],
      [{ groupBy: ["label:"] }, "groupBy[0]"],
      [{ groupBy: ["label:a b"] }, "groupBy[0]"],
      [{ groupBy: ["kind", "kind"] }, "groupBy[1]"],
      [{ groupBy: [], stepSize: "month" }, "stepSize"],
      [{ groupBy: [], idle: true }, "idle"]
    ]
    for (const [input, field] of refusals) assert.strictEqual(faultOf(AggregateBody, input), field)
  })
})
