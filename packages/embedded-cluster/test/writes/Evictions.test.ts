import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, type JsonObject, numberAt, objectAt, textAt } from "../../src/core/Json.ts"
import { patching, pod, started } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"

/** A server with running pods and a disruption budget. */
const guarded = Effect.gen(function* () {
  const made = yield* started()
  const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
  for (const name of ["a", "b"]) {
    yield* made.call("POST", PODS, { body: { ...pod(name), metadata: { name, labels: { app: "web" } } } })
    yield* made.call("PATCH", `${PODS}/${name}/status`, patching({ status: running }))
  }
  const spec = { minAvailable: 1, selector: { matchLabels: { app: "web" } } }
  yield* made.call("POST", BUDGETS, { body: { metadata: { name: "guard" }, spec } })
  const status = (values: JsonObject) =>
    made.call("PATCH", `${BUDGETS}/guard/status`, patching({ status: { observedGeneration: 1, ...values } }))
  const evict = (name: string) => made.call("POST", `${PODS}/${name}/eviction`, { body: { metadata: { name } } })
  return { ...made, status, evict }
})

const causeOf = (json: JsonObject): string => textAt(arrayAt(json, "details", "causes")[0], "message")

describe("an eviction", () => {
  it.live("deletes pods while the budget allows it, and records them in the budget", () =>
    Effect.gen(function* () {
      const { call, evict, status } = yield* guarded
      yield* status({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 })
      assert.strictEqual((yield* evict("a")).status, 201)
      assert.strictEqual((yield* call("GET", `${PODS}/a`)).status, 404)
      const { json } = yield* call("GET", `${BUDGETS}/guard`)
      assert.strictEqual(numberAt(json, "status", "disruptionsAllowed"), 0)
      assert.deepStrictEqual(Object.keys(objectAt(json, "status", "disruptedPods")), ["a"])
      assert.strictEqual((yield* evict("b")).status, 429)
    })
  )

  it.live("is refused while the budget needs the pod, with the number of pods that it needs", () =>
    Effect.gen(function* () {
      const { call, evict, status } = yield* guarded
      yield* status({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 })
      const refused = yield* evict("a")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(
        causeOf(refused.json),
        "disruption budget guard needs 1 healthy pods and has 1, and allows no disruption"
      )
      assert.strictEqual((yield* call("GET", `${PODS}/a`)).status, 200)
    })
  )

  it.live("is refused until the budget's status is current, with a retry delay", () =>
    Effect.gen(function* () {
      const { evict } = yield* guarded
      const refused = yield* evict("a")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "10")
    })
  )

  it.live("of a pod that does not run ignores the budget", () =>
    Effect.gen(function* () {
      const { call, evict } = yield* guarded
      yield* call("PATCH", `${PODS}/a/status`, patching({ status: { phase: "Succeeded" } }))
      assert.strictEqual((yield* evict("a")).status, 201)
    })
  )
})
