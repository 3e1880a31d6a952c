import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import * as FoldedWorkloads from "../../src/allocation/FoldedWorkloads.ts"
import * as HourBuilder from "../../src/allocation/HourBuilder.ts"
import type { HourFacts } from "../../src/allocation/HourFacts.ts"

const HOUR = Date.parse("2026-03-02T10:00:00Z")
const WHOLE = { fromMs: HOUR, toMs: HOUR + 3_600_000 }

const factsOf = (workloads: ReadonlyArray<readonly [kind: string, name: string]>): HourFacts => ({
  cluster: ClusterName.make("eu"),
  startMs: HOUR,
  seen: [WHOLE],
  nodes: [],
  pods: workloads.map(([kind, name], index) => ({
    uid: `u${index}`,
    namespace: index % 3 === 0 ? "batch" : "shop",
    name,
    node: "",
    workload: { namespace: index % 3 === 0 ? "batch" : "shop", kind, name, uid: `u${index}`, labels: { run: name } },
    containers: [
      {
        name: "main",
        role: "main",
        runs: [WHOLE],
        cpuRequestMillis: 100 + index,
        memoryRequestBytes: 0,
        gpus: 0,
        isOomKilled: false
      }
    ],
    claims: []
  })),
  volumes: [],
  loadBalancers: []
})

const namesOf = (facts: HourFacts): ReadonlyArray<string> =>
  facts.pods.map(({ workload: { kind, name, namespace } }) => `${namespace}/${kind}/${name}`)

describe("workloads that are charged together", () => {
  it("are bare pods and Jobs that begin alike, of one namespace and kind; others stay", () => {
    const facts = factsOf([
      ["Pod", "spark-1"],
      ["Pod", "spark-2"],
      ["Job", "spark-3"],
      ["Deployment", "spark-4"],
      ["Pod", "spark-sql-5"],
      ["Pod", "web"]
    ])
    const folded = FoldedWorkloads.fold(facts, ["spark-", "spark-sql-"])
    assert.deepStrictEqual(namesOf(folded), [
      "batch/Pod/spark-*",
      "shop/Pod/spark-*",
      "shop/Job/spark-*",
      "batch/Deployment/spark-4",
      "shop/Pod/spark-sql-*",
      "shop/Pod/web"
    ])
    assert.strictEqual(FoldedWorkloads.fold(facts, ["airflow-"]), facts)
  })

  const Kind = Schema.Literals(["Pod", "Job", "StatefulSet"])
  const Name = Schema.String.check(Schema.isPattern(/^[ab]{1,3}-[a-c]{1,2}$/))
  it.prop(
    "come to what each is charged for",
    [Schema.Array(Schema.Tuple([Kind, Name])).check(Schema.isMaxLength(20)), Schema.Array(Name)],
    ([drawn, prefixes]) => {
      const facts = factsOf(drawn)
      const sumOf = (one: HourFacts): number =>
        HourBuilder.build(one).columns.cpuAllocatedMilliSeconds.reduce((sum, amount) => sum + amount, 0)
      assert.strictEqual(
        sumOf(
          FoldedWorkloads.fold(
            facts,
            prefixes.map((prefix) => prefix.slice(0, 3))
          )
        ),
        sumOf(facts)
      )
    }
  )
})
