import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cluster, problem, quarterdeck, service } from "../program.ts"
import { apiKey } from "./keyReply.ts"

const SECRET = "qd_the-secret-itself"

describe("the clusters that a key names", () => {
  it.live("create tells of clusters that are not there, and what may have been meant", () =>
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
        "quarterdeck: no cluster is named prdo: the key applies to it once it is registered; did you mean prod?",
        "quarterdeck: no cluster is named later: the key applies to it once it is registered",
        ""
      ])
      assert.strictEqual(seen[1]?.headers["x-service-cluster"], "*")
    })
  )

  it.live("create tells of five at most, suggests none that the key names already, and leaves its JSON alone", () =>
    Effect.gen(function* () {
      const targetClusters = Array.from({ length: 9 }, (_, index) => `eu-${index + 1}`)
      const reply = { key: SECRET, apiKey: apiKey("k1", { rule: { role: "Viewer", targetClusters } }) }
      const { env, seen } = yield* service(({ url }) => {
        if (url.pathname !== "/api/v1/clusters") return { status: 201, body: reply }
        const page = { clusters: [cluster(url.searchParams.has("cursor") ? "eu-2" : "eu-1")], partial: false }
        return { body: url.searchParams.has("cursor") ? page : { ...page, nextCursor: "next" } }
      })
      const { stderr, stdout } = yield* quarterdeck(
        ["key", "create", "--name", "ci", "--role", "Viewer", "--clusters", targetClusters.join(","), "-o", "json"],
        { env }
      )
      assert.deepStrictEqual(JSON.parse(stdout), reply)
      assert.deepStrictEqual(stderr.trimEnd().split("\n"), [
        ...[3, 4, 5, 6, 7].map(
          (n) => `quarterdeck: no cluster is named eu-${n}: the key applies to it once it is registered`
        ),
        "quarterdeck: 2 more of the key's clusters do not exist"
      ])
      assert.lengthOf(seen, 3)
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
      assert.match(stderr, /cannot check whether the clusters of the key exist: Refused: too many requests \(HTTP 429/)
    })
  )

  it.live("update tells of a cluster that is not there", () =>
    Effect.gen(function* () {
      const rule = { role: "Viewer", targetClusters: ["Prod"] }
      const { env } = yield* service(({ url }) =>
        url.pathname === "/api/v1/clusters"
          ? { body: { clusters: [cluster("prod")], partial: false } }
          : { body: apiKey("k1", { rule }) }
      )
      const { status, stderr } = yield* quarterdeck(["key", "update", "k1", "--clusters", "Prod"], { env })
      assert.strictEqual(status, 0)
      assert.strictEqual(
        stderr,
        "quarterdeck: changed k1: ci, Viewer\n"
          + "quarterdeck: no cluster is named Prod: the key applies to it once it is registered; did you mean prod?\n"
      )
    })
  )
})
