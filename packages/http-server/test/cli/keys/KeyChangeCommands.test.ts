import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { json, problem, quarterdeck, service } from "../program.ts"
import { apiKey } from "./keyReply.ts"

const SECRET = "qd_the-secret-itself"

layer(NodeServices.layer)("quarterdeck key", (it) => {
  it.effect("rotate prints the new key alone on standard output, and which key it takes the place of", () =>
    Effect.gen(function* () {
      const made = apiKey("k2", { rotatedFrom: "k1" })
      const { env, seen } = yield* service(() => ({ status: 201, body: { key: SECRET, apiKey: made } }))
      const finished = yield* quarterdeck(["key", "rotate", "k1", "--grace", "24h", "--expire", "90d"], { env })
      assert.deepStrictEqual(finished, {
        stdout: `${SECRET}\n`,
        stderr:
          "quarterdeck: rotated k1: created k2, Viewer, never expires; the key is shown only once\n"
          + "quarterdeck: k1 ends after 24h\n",
        status: 0
      })
      assert.deepInclude(seen[0], { method: "POST" })
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/apiKeys/k1/rotate")
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { grace: "24h", expire: "90d" })
    })
  )

  it.effect("rotate without an id rotates the key that asks, and says that it has ended", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(({ method }) =>
        method === "GET"
          ? { body: apiKey("own") }
          : { status: 201, body: { key: SECRET, apiKey: apiKey("k2", { rotatedFrom: "own" }) } }
      )
      const { status, stderr } = yield* quarterdeck(["key", "rotate"], { env })
      assert.strictEqual(status, 0)
      assert.match(stderr, /\nquarterdeck: own has ended; set QUARTERDECK_API_KEY to the new key\n$/)
      assert.deepStrictEqual(
        seen.map(({ method, url }) => `${method} ${url.pathname}`),
        ["GET /api/v1/whoami", "POST /api/v1/apiKeys/own/rotate"]
      )
      assert.deepStrictEqual(json(seen[1]?.body ?? ""), {})
    })
  )

  it.effect("rotate tells a grace that is refused by its flag", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(400, "invalid_body", { field: "grace", detail: "must be less" }))
      const { status, stderr } = yield* quarterdeck(["key", "rotate", "k1", "--grace", "31d"], { env })
      assert.strictEqual(stderr, "quarterdeck: --grace: must be less (HTTP 400, code invalid_body, request r-1)\n")
      assert.strictEqual(status, 2)
    })
  )

  it.effect("update renames without reading the key, and leaves its rule out", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: apiKey("k1", { name: "renamed" }) }))
      const finished = yield* quarterdeck(["key", "update", "k1", "--name", "renamed"], { env })
      assert.deepStrictEqual(finished, {
        stdout: "",
        stderr: "quarterdeck: changed k1: renamed, Viewer\n",
        status: 0
      })
      assert.lengthOf(seen, 1)
      assert.strictEqual(seen[0]?.method, "PATCH")
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { name: "renamed" })
    })
  )

  it.effect("update narrows what a flag names, and keeps the rest of the rule as it is", () =>
    Effect.gen(function* () {
      const present = { role: "Operator", targetNamespaces: [{ namespaceNames: ["shop"] }] }
      const { env, seen } = yield* service(() => ({ body: apiKey("k1", { rule: present }) }))
      yield* quarterdeck(["key", "update", "k1", "--clusters", "prod", "--force"], { env })
      assert.strictEqual(seen[1]?.url.search, "?force=true")
      assert.deepStrictEqual(json(seen[1]?.body ?? ""), { rule: { ...present, targetClusters: ["prod"] } })
      yield* quarterdeck(["key", "update", "k1", "--role", "Viewer", "--namespaces", "a"], { env })
      assert.deepStrictEqual(json(seen[3]?.body ?? ""), {
        rule: { role: "Viewer", targetNamespaces: [{ namespaceNames: ["a"] }] }
      })
    })
  )

  it.effect.each([
    [
      ["key", "update", "k1"],
      "quarterdeck: nothing to change: give --name, --description, --allow-from, or flags that narrow the rule\n"
    ],
    [
      ["key", "update", "k1", "--clusters", ""],
      "quarterdeck: --clusters, name 1: expected a cluster name: 1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit\n"
    ]
  ] as const)("update asks for nothing that would change nothing or mean all: %j", ([args, said]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: apiKey("k1") }))
      const { status, stderr } = yield* quarterdeck(args, { env })
      assert.strictEqual(stderr, said)
      assert.strictEqual(status, 2)
      assert.isTrue(seen.every(({ method }) => method === "GET"))
    })
  )
})
