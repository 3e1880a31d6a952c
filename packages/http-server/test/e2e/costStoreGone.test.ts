import { assert } from "@effect/vitest"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import type { Worker } from "node:worker_threads"
import { aDay, keep } from "./costHistory.ts"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const WORKLOADS = "/detailedCostReport/getWorkloads"

const decodeReadiness = Schema.decodeUnknownEffect(Schema.fromJsonString(Readiness))

const threads: Array<Worker> = []
const note = (thread: Worker) => void threads.push(thread)

/** Keeps a history, and then notes the threads that the service starts. */
const furnish = (directory: string) =>
  Effect.andThen(
    keep(["hub"])(directory),
    Effect.acquireRelease(
      Effect.sync(() => process.on("worker", note)),
      () => Effect.sync(() => process.off("worker", note))
    )
  )

/** Ends the thread that has the history's file: of the service's threads the one with a small nursery. */
const endThread = Effect.promise(async () => {
  const own = threads.filter(({ resourceLimits, threadId }) => {
    return threadId >= 0 && resourceLimits?.maxYoungGenerationSizeMb === 8
  })
  assert.strictEqual(own.length, 1)
  for (const thread of own) await thread.terminate()
})

const readiness = Effect.gen(function* () {
  const { status, text } = yield* (yield* Deployment).call("/readyz", { key: "admin" })
  const { checks, status: said } = yield* decodeReadiness(text)
  return [status, said, checks?.keyStore, checks?.costStore]
})

onOneDriver("a cost history that dies", { children: [], furnish }, (it) => {
  it.effect("leaves the server unready, reports and prices with 503, and the rest as it was", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      assert.deepStrictEqual(yield* readiness, [200, "ready", "ok", "ok"])
      const day = yield* aDay
      const prices = yield* deployment.prices()
      assert.isNotEmpty((yield* deployment.costs(day)).aggregatedWorkloads)

      yield* endThread
      const gone = { status: 503, code: "cost_store_unavailable" } as const
      const calls = [
        [`${WORKLOADS}${day}`, { method: "POST", body: {} }],
        [`${WORKLOADS}${day}&format=csv`, { method: "POST", body: {} }],
        [`/detailedCostReport/getAggregated${day}`, { method: "POST", body: { groupBy: ["cluster"] } }],
        ["/api/v1/costExplanation?cluster=hub&id=hub/shop/Deployment/api", {}],
        ["/api/v1/prices", { method: "PUT", key: "admin", body: { ...prices, rate: 2 } }]
      ] as const
      for (const [route, call] of calls) assert.deepInclude(yield* deployment.problem(route, call), gone, route)
      yield* eventually("the probe notices", readiness, ([status]) => status === 503, { within: "10 seconds" })
      assert.deepStrictEqual(yield* readiness, [503, "unavailable", "ok", "unavailable"])

      assert.strictEqual((yield* deployment.call("/healthz", { key: null })).status, 200)
      assert.deepStrictEqual(yield* deployment.prices(), prices)
      assert.isDefined((yield* deployment.workloads()).workloads)
    })
  )
})
