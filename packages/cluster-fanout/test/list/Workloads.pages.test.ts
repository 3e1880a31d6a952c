import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CursorInvalid } from "../../src/list/ListError.ts"
import { deployment } from "../fixture/KubeObjects.ts"
import { all, fillTwo, found, list, onFleet, where, workloadsOf } from "../fixture/Service.ts"

const both = all("a", "b")

describe("Workloads, page by page", () => {
  const Name = Schema.Literals(["a", "b", "c", "d", "e", "f", "g", "h"])
  const Churn = Schema.Array(
    Schema.Struct({ remove: Schema.Boolean, cluster: Schema.Literals(["a", "b"]), name: Name })
  )
  const Sort = Schema.Literals([
    "name",
    "namespace",
    "cluster",
    "kind",
    "status",
    "createdAt",
    "cpuRequestMillis",
    "memoryRequestBytes"
  ])

  it.effect.prop(
    "walking all pages gives each unchanged row exactly once, whatever comes and goes meanwhile",
    [
      Schema.Array(Churn).check(Schema.isMaxLength(6)),
      Sort,
      Schema.Literals(["asc", "desc"]),
      Schema.Literals([1, 2, 3])
    ],
    ([churns, sort, order, limit]) =>
      onFleet(
        ["a", "b"],
        (fleet) => {
          for (const server of fleet.servers.values()) {
            server.put(
              "Deployment",
              ...["a", "c", "e", "g"].map((name, index) => deployment(`stays-${name}`, { replicas: index % 2 }))
            )
          }
        },
        (fleet) =>
          Effect.gen(function* () {
            const walked: Array<string> = []
            const present = new Set<string>()
            let cursor: string | undefined
            let page = 0
            do {
              for (const { cluster, name, remove } of churns[page++] ?? []) {
                const uid = `Deployment/default/comes-${name}`
                if (!remove) fleet.server(cluster).put("Deployment", deployment(`comes-${name}`, { replicas: 1 }))
                else if (present.has(cluster + uid)) fleet.server(cluster).delete("Deployment", uid)
                if (remove) present.delete(cluster + uid)
                else present.add(cluster + uid)
              }
              yield* Effect.yieldNow
              const query = workloadsOf(both, {
                page: { sort, order, limit, ...(cursor === undefined ? {} : { cursor }) }
              })
              const result = yield* list(query)
              assert.isAtMost(result.items.length, limit)
              walked.push(...where(result.items))
              cursor = result.nextCursor
            } while (cursor !== undefined)
            const stays = walked.filter((row) => row.includes("stays-"))
            assert.strictEqual(stays.length, 8)
            assert.strictEqual(new Set(stays).size, 8)
          })
      ),
    { arbitrary: { runs: 40 } }
  )

  it.effect("400 for a cursor of another key, filter, sort or target, or one that was changed", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        const { nextCursor: cursor = "" } = yield* list(workloadsOf(both, { page: { limit: 2 } }))
        const next = yield* found(workloadsOf(both, { page: { limit: 2, cursor } }))
        assert.deepStrictEqual(next, ["a/shop/Deployment/cart", "a/default/Deployment/web"])

        const named = { mode: "Named" as const, clusters: both.clusters }
        const foreign = [
          workloadsOf(both, { page: { cursor }, cursorBinding: "key-2" }),
          workloadsOf(both, { page: { cursor }, filter: { name: "a" } }),
          workloadsOf(both, { page: { cursor, sort: "kind" } }),
          workloadsOf(both, { page: { cursor, order: "desc" } }),
          workloadsOf(named, { page: { cursor } }),
          workloadsOf(both, { page: { cursor: `${cursor}A` } }),
          workloadsOf(both, { page: { cursor: "" } })
        ]
        for (const query of foreign) assert.instanceOf(yield* Effect.flip(list(query)), CursorInvalid)
      })
    )
  )

  it.effect("a cursor of all clusters stays good when a cluster is added", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        const { nextCursor: cursor = "" } = yield* list(workloadsOf(all("a"), { page: { limit: 1 } }))
        const next = yield* found(workloadsOf(both, { page: { cursor } }))
        assert.deepStrictEqual(next, ["a/shop/Deployment/cart", "a/default/Deployment/web", "b/default/Deployment/web"])
      })
    )
  )

  it.effect("has no next page when everything fits exactly", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        assert.isUndefined((yield* list(workloadsOf(both, { page: { limit: 5 } }))).nextCursor)
      })
    )
  )
})
