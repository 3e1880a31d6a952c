import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { json, problem, quarterdeck, service } from "../program.ts"

layer(NodeServices.layer)("quarterdeck can-i", (it) => {
  it.effect("says yes, and ends with 0", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: { allowed: true } }))
      const finished = yield* quarterdeck(["can-i", "read", "workloads", "-c", "prod", "-n", "shop"], {
        env
      })
      assert.deepStrictEqual(finished, { stdout: "yes\n", stderr: "", status: 0 })
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/accessReviews")
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), {
        resource: "workloads",
        verb: "read",
        cluster: "prod",
        namespace: "shop"
      })
    })
  )

  it.effect("says no with the code of the refusal, and ends with 1", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: { allowed: false, code: "role_forbidden" } }))
      const finished = yield* quarterdeck(["can-i", "create", "apiKeys"], { env })
      assert.deepStrictEqual(finished, { stdout: "no: role_forbidden\n", stderr: "", status: 1 })
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { resource: "apiKeys", verb: "create" })
      const printed = yield* quarterdeck(["can-i", "create", "apiKeys", "-o", "json"], { env })
      assert.deepStrictEqual(json(printed.stdout), { allowed: false, code: "role_forbidden" })
      assert.strictEqual(printed.status, 1)
    })
  )

  it.effect.each<[string, string]>([
    ["get", "read"],
    ["list", "read"],
    ["watch", "read"],
    ["create", "create"],
    ["update", "operate"],
    ["patch", "operate"],
    ["delete", "delete"]
  ])("takes kubectl's %s for %s", ([word, verb]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: { allowed: true } }))
      assert.strictEqual((yield* quarterdeck(["can-i", word, "workloads"], { env })).stdout, "yes\n")
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { resource: "workloads", verb })
    })
  )

  it.effect("says which verbs there are to one that is none, and in its help which mean the same", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: { allowed: true } }))
      const { status, stderr } = yield* quarterdeck(["can-i", "escalate", "workloads"], { env })
      assert.strictEqual(status, 2)
      for (const word of ["read", "operate", "get", "patch"]) assert.include(stderr, word)
      assert.lengthOf(seen, 0)
      const { stdout } = yield* quarterdeck(["can-i", "--help"], { env })
      assert.include(stdout, "get, list and watch mean read, update and patch mean operate")
    })
  )

  it.effect("tells a name that is none by its flag, and a resource that is none before it asks", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => problem(400, "invalid_body", { field: "cluster", detail: "is none" }))
      const refused = yield* quarterdeck(["can-i", "read", "pods", "--cluster", "a|b"], { env })
      assert.strictEqual(refused.stderr, "quarterdeck: --cluster: is none (HTTP 400, code invalid_body, request r-1)\n")
      assert.strictEqual(refused.status, 2)
      assert.strictEqual((yield* quarterdeck(["can-i", "read", "secrets"], { env })).status, 2)
      assert.lengthOf(seen, 1)
    })
  )
})
