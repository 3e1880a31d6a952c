import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, rawKey } from "./Deployment.ts"
import { callTool, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"

onOneDriver("mcp", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect("lists tools and calls them", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const { client } = yield* connect(url, rawKey("viewer"))
      const { tools } = yield* Effect.promise(() => client.listTools())
      console.log(JSON.stringify(tools, null, 1).slice(0, 6000))
      for (const [name, args] of [["list_clusters", {}], ["list_workloads", { clusters: ["*"], limit: 2 }], ["cost_by_workload", {clusters:["*"], limit: 1}], ["cost_by_group", {groupBy: ["cluster"]}], ["whoami", {}], ["can_i", {resource: "cost", verb: "read"}], ["list_workloads", {clusters: ["nowhere"]}], ["list_workloads", {clusters: "prod"}], ["explain_cost", {}]] as const) {
        console.log(name, JSON.stringify(yield* callTool(client, name, args)).slice(0, 1500))
      }
      console.log(JSON.stringify(yield* Effect.promise(() => client.listResourceTemplates())))
      console.log(JSON.stringify(yield* Effect.promise(() => client.readResource({uri: "quarterdeck://clusters"}))).slice(0,500))
      console.log(JSON.stringify(yield* Effect.promise(() => client.getPrompt({name: "what_is_unhealthy"}))).slice(0,500))
      assert.isTrue(true)
    })
  )
})
