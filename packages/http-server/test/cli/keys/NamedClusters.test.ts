import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cluster, problem, quarterdeck, service } from "../program.ts"

const SECRET = "qd_the-secret-itself"

const apiKey = (id: string, { rule }: { readonly rule: object }) => ({
  id,
  name: "ci",
  start: "qd_Ab3dEf",
  rule,
  status: "active",
  source: "created",
  createdAt: "2026-01-02T03:04:05.000Z"
})

describe("the clusters that a key names", () => {
  it.live("create tells of clusters that nobody registered, and what may have been meant", () =>
    Effect.gen(function* () {
      const targetClusters = ["prdo", "stage", "later"]
      const { env, seen } = yield* service(({ url }) =>
        url.pathname === "/api/v1/clusters"
          ? { body: { clusters: ["prod", "stage"].map((name) => cluster(name)), partial: false } }
          : { status: 201, body: { key: SECRET, apiKey: apiKey("k1", { rule: { role: "Viewer", targetClusters } }) } }
      )
      const { status, stderr, stdout } = yield* quarterdeck(
        ["key", "create", "--name", "ci", "--role", "Viewer", "--clusters", targetClusters.join(",")],
        { env }
      )
      assert.deepStrictEqual([status, stdout], [0, `${SECRET}\n`])
      assert.deepStrictEqual(stderr.split("\n").slice(1), [
        "quarterdeck: no cluster is registered as prdo: the key reaches it once there is one; did you mean prod?",
        "quarterdeck: no cluster is registered as later: the key reaches it once there is one",
        ""
      ])
      assert.strictEqual(seen[1]?.headers["x-service-cluster"], "*")
    })
  )

  it.live("create tells the key also where the clusters cannot be read", () =>
    Effect.gen(function* () {
      const rule = { role: "Viewer", targetClusters: ["prod"] }
      const { env } = yield* service(({ url }) =>
        url.pathname === "/api/v1/clusters"
          ? problem(429, "rate_limited", { detail: "too many requests" })
          : { status: 201, body: { key: SECRET, apiKey: apiKey("k1", { rule }) } }
      )
      const { status, stderr, stdout } = yield* quarterdeck(
        ["key", "create", "--name", "ci", "--role", "Viewer", "--clusters", "prod"],
        { env }
      )
      assert.deepStrictEqual([status, stdout], [0, `${SECRET}\n`])
      assert.match(stderr, /whether its clusters are registered cannot be told: Refused: too many requests \(HTTP 429/)
    })
  )

  it.live("update tells of a cluster that nobody registered", () =>
    Effect.gen(function* () {
      const rule = { role: "Viewer", targetClusters: ["Prod"] }
      const { env } = yield* service(({ url }) =>
        url.pathname === "/api/v1/clusters"
          ? { body: { clusters: [cluster("prod")], partial: false } }
          : { body: apiKey("k1", { rule }) }
      )
      const { stderr } = yield* quarterdeck(["key", "update", "k1", "--clusters", "Prod"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: changed k1: ci, Viewer\n"
          + "quarterdeck: no cluster is registered as Prod: the key reaches it once there is one; did you mean prod?\n"
      )
    })
  )
})
