import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as LabelSelector from "../src/LabelSelector.ts"
import { CursorInvalid, FanOutFailed, NamespaceForbidden } from "../src/ListError.ts"
import type { WorkloadSort } from "../src/ListQuery.ts"
import type { WorkloadRow } from "../src/Row.ts"
import type { WorkloadFilter, WorkloadQuery } from "../src/Workloads.ts"
import { clusterOf, type FakeFleet } from "./fixture/FakeFleet.ts"
import { deployment, namespace, object, pod } from "./fixture/KubeObjects.ts"
import { all, list, onFleet, workloadsOf } from "./fixture/Service.ts"
import { becomes, comesTrue, settles } from "./fixture/Settling.ts"

const fill = (fleet: FakeFleet) => {
  fleet.server("a")
    .put("Namespace", namespace("default"), namespace("shop", { team: "a" }))
    .put("Deployment", deployment("web", { labels: { app: "web" } }), deployment("cart", { namespace: "shop", replicas: 3 }))
    .put("Pod", pod("bare"))
  fleet.server("b")
    .put("Namespace", namespace("default", { team: "a" }), namespace("shop"))
    .put("Deployment", deployment("web"), deployment("api", { namespace: "shop" }))
}
const both = all("a", "b")
const where = (rows: ReadonlyArray<WorkloadRow>) => rows.map((row) => `${row.cluster}/${row.namespace}/${row.kind}/${row.name}`)
const found = (query: WorkloadQuery) => Effect.map(list(query), ({ items }) => where(items))
const selector = (text: string) => Result.getOrThrow(LabelSelector.parse(text))
const shopByName = anyOf([{ namespaceNames: ["shop"] }])
const teamA = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(fiber)
  })

describe("Workloads", () => {
  it.effect("lists the workloads of several clusters as one, sorted, with each cluster's coverage", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function*() {
        const { clusters, items, nextCursor, partial } = yield* list(workloadsOf(both))
        assert.deepStrictEqual(where(items), [
          "b/shop/Deployment/api",
          "a/default/Pod/bare",
          "a/shop/Deployment/cart",
          "a/default/Deployment/web",
          "b/default/Deployment/web"
        ])
        assert.deepStrictEqual(clusters.map(({ count, name, source, status }) => ({ count, name: String(name), source, status })), [
          { count: 3, name: "a", source: "cache", status: "ok" },
          { count: 2, name: "b", source: "cache", status: "ok" }
        ])
        assert.isFalse(partial)
        assert.isUndefined(nextCursor)
      })))

  it.effect.each<[string, WorkloadFilter, ReadonlyArray<string>]>([
    ["a namespace", { namespace: ["shop"] }, ["b/shop/Deployment/api", "a/shop/Deployment/cart"]],
    ["a kind", { kind: ["Pod"] }, ["a/default/Pod/bare"]],
    ["a part of the name", { name: "a" }, ["b/shop/Deployment/api", "a/default/Pod/bare", "a/shop/Deployment/cart"]],
    ["labels", { labelSelector: selector("app=web") }, ["a/default/Deployment/web"]],
    ["all of them", { namespace: ["shop"], kind: ["Deployment"], name: "ar", labelSelector: selector("!app") }, ["a/shop/Deployment/cart"]],
    ["a namespace that does not exist", { namespace: ["nowhere"] }, []]
  ])("filters by %s", ([_, filter, expected]) =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* found(workloadsOf(both, { filter })), expected)
      })))

  it.effect.each<[WorkloadSort, "asc" | "desc", string]>([
    ["cpuRequestMillis", "desc", "cart"],
    ["memoryRequestBytes", "asc", "web"],
    ["cluster", "desc", "api"],
    ["kind", "desc", "bare"],
    ["namespace", "asc", "web"],
    ["status", "asc", "web"],
    ["createdAt", "asc", "web"]
  ])("sorts by %s %s", ([sort, order, first]) =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function*() {
        const { items } = yield* list(workloadsOf(both, { page: { sort, order } }))
        const values = items.map((row) => row[sort])
        const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
        assert.deepStrictEqual(values, order === "asc" ? sorted : sorted.toReversed())
        assert.include(items.filter((row) => row[sort] === values[0]).map((row) => row.name), first)
      })))

  it.effect("counts a cluster's matches before paging", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function*() {
        const { clusters, items, nextCursor } = yield* list(workloadsOf(both, { page: { limit: 1 } }))
        assert.strictEqual(items.length, 1)
        assert.isDefined(nextCursor)
        assert.deepStrictEqual(clusters.map(({ count }) => count), [3, 2])
      })))

  describe("namespace scope", () => {
    it.effect("shows what the key's namespaces hold, by name", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: shopByName })), [
            "b/shop/Deployment/api",
            "a/shop/Deployment/cart"
          ])
        })))

    it.effect("decides labels by each cluster's own namespaces", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
          const expected = ["a/shop/Deployment/cart", "b/default/Deployment/web"]
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: teamA })), expected)
          const { clusters } = yield* list(workloadsOf(both, { namespaces: teamA }))
          assert.deepStrictEqual(clusters.map(({ count }) => count), [1, 1])
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: teamA, page: { consistency: "live" } })), expected)
        })))

    it.effect("403 for a namespace asked for by name that is out of scope everywhere, whether it exists or not", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
          for (const [namespaces, name] of [[shopByName, "default"], [shopByName, "nowhere"], [teamA, "nowhere"]] as const) {
            for (const consistency of ["cache", "live"] as const) {
              const query = workloadsOf(both, { namespaces, filter: { namespace: [name] }, page: { consistency } })
              const error = yield* Effect.flip(list(query))
              assert.instanceOf(error, NamespaceForbidden)
              assert.strictEqual(error.namespace, name)
            }
          }
        })))

    it.effect("shows a namespace asked for by name where it is in scope", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
          const filter = { namespace: ["shop"] }
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: teamA, filter })), ["a/shop/Deployment/cart"])
          const only = yield* Effect.flip(list(workloadsOf(all("b"), { namespaces: teamA, filter })))
          assert.instanceOf(only, NamespaceForbidden)
        })))
  })

  describe("failures", () => {
    it.effect("a dead cluster is a coverage row, never a zero", () =>
      onFleet(["a", "b"], (fleet) => {
        fill(fleet)
        fleet.server("b").trouble = "dead"
      }, () =>
        Effect.gen(function*() {
          const { clusters, items, partial } = yield* timed(list(workloadsOf(both)))
          assert.strictEqual(items.length, 3)
          assert.isTrue(partial)
          assert.deepStrictEqual(clusters.map(({ status }) => status), ["ok", "unreachable"])
          assert.strictEqual(clusters[1]?.error?.code, "cluster_unreachable")
          assert.notInclude(JSON.stringify(clusters), "internal.example")
        })))

    it.effect("a cluster that never answers times out at the deadline, and alone fails the whole", () =>
      onFleet(["a"], (fleet) => {
        fleet.server("a").trouble = "hanging"
      }, () =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a"), { page: { timeoutMs: 1_000 } }))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.code, "cluster_timeout")
          assert.isAtMost(error.coverages[0]?.latencyMs ?? Infinity, 1_000)
        })))

    it.effect.each(["cache", "live"] as const)("refused credentials are told as such at once: %s", (consistency) =>
      onFleet(["a"], (fleet) => {
        fleet.server("a").trouble = "unauthorized"
      }, () =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a"), { page: { consistency } }))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.code, "cluster_unreachable")
          assert.strictEqual(error.coverages[0]?.status, "unauthorized")
          assert.isBelow(error.coverages[0]?.latencyMs ?? Infinity, 1_000)
        })))

    it.effect("a throttling cluster says how long to wait", () =>
      onFleet(["a"], (fleet) => {
        fleet.server("a").trouble = "throttled"
      }, () =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a"), { page: { consistency: "live" } }))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.code, "cluster_throttled")
          assert.strictEqual(error.coverages[0]?.error?.retryAfterMs, 2_000)
        })))

    it.effect.each(["cache", "live"] as const)("kinds that may not be read are missing, and forbidden only when all are: %s", (consistency) =>
      onFleet(["a", "b"], (fleet) => {
        fill(fleet)
        fleet.server("a").forbidden.add("Pod").add("Job")
        for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"]) {
          fleet.server("b").forbidden.add(kind)
        }
      }, () =>
        Effect.gen(function*() {
          const { clusters, items, partial } = yield* timed(list(workloadsOf(both, { page: { consistency } })))
          assert.deepStrictEqual(where(items), ["a/shop/Deployment/cart", "a/default/Deployment/web"])
          assert.isTrue(partial)
          assert.deepStrictEqual(clusters.map(({ missingKinds, status }) => [status, missingKinds]), [
            ["ok", ["Job", "Pod"]],
            ["forbidden", undefined]
          ])
          const { partial: stillPartial } = yield* timed(list(workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page: { consistency } })))
          assert.isFalse(stillPartial)
        })))

    it.effect("answers with the kinds that have synced when another takes longer than the deadline", () =>
      onFleet(["a"], (fleet) => {
        fill2(fleet)
        fleet.server("a").stuck.add("Pod")
      }, () =>
        Effect.gen(function*() {
          const { clusters, items, partial } = yield* timed(list(workloadsOf(all("a"))))
          assert.deepStrictEqual(where(items), ["a/default/Deployment/web"])
          assert.deepStrictEqual(clusters[0]?.missingKinds, ["Pod"])
          assert.isTrue(partial)
        })))
  })

  describe("live", () => {
    it.effect("reads the cluster now, never the cache", () =>
      onFleet(["a"], fill2, (fleet) =>
        Effect.gen(function*() {
          const server = fleet.server("a")
          const live = workloadsOf(all("a"), { page: { consistency: "live" } })
          assert.deepStrictEqual(yield* found(workloadsOf(all("a"))), ["a/default/Deployment/web"])
          server.putUnseen("Deployment", deployment("unseen"))
          const { clusters, items } = yield* list(live)
          assert.deepStrictEqual(where(items), ["a/default/Deployment/unseen", "a/default/Deployment/web"])
          assert.strictEqual(clusters[0]?.source, "live")
          assert.strictEqual(clusters[0]?.ageMs, 0)
          server.kill()
          const error = yield* Effect.flip(list(live))
          assert.instanceOf(error, FanOutFailed)
        })))

    it.effect("gives the same rows as the cache", () =>
      onFleet(["a"], (fleet) => {
        fill2(fleet)
        const owner = { apiVersion: "acme.io/v1", kind: "Rollout", name: "roll", uid: "roll" }
        fleet.server("a").put("ReplicaSet", object("ReplicaSet", "roll-1", { namespace: "default", uid: "rs", owner }))
          .put("Pod", pod("roll-1-a", { owner: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "roll-1", uid: "rs" } }), pod("bare"))
      }, () =>
        Effect.gen(function*() {
          const { items } = yield* list(workloadsOf(all("a")))
          assert.strictEqual(items.length, 3)
          assert.deepStrictEqual((yield* list(workloadsOf(all("a"), { page: { consistency: "live" } }))).items, items)
          const custom = workloadsOf(all("a"), { filter: { kind: ["Rollout"] }, page: { consistency: "live" } })
          assert.deepStrictEqual(yield* found(custom), ["a/default/Rollout/roll"])
        })))

    it.effect("makes the same list once for all who ask at the same time", () =>
      onFleet(["a"], (fleet) => {
        fill2(fleet)
        fleet.server("a").duringList = Effect.sleep("1 second")
      }, (fleet) =>
        Effect.gen(function*() {
          const query = workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page: { consistency: "live" } })
          const lists = () => fleet.server("a").calls.filter((call) => call === "list Deployment").length
          yield* timed(Effect.all([list(query), list(query), list(query)], { concurrency: 3 }))
          assert.strictEqual(lists(), 1)
          yield* timed(list(query))
          assert.strictEqual(lists(), 2)
        })))

    it.effect("asks a cluster for four kinds at a time", () =>
      onFleet(["a"], (fleet) => {
        fill2(fleet)
        fleet.server("a").duringList = Effect.never
      }, (fleet) =>
        Effect.gen(function*() {
          const lists = () => fleet.server("a").calls.filter((call) => call.startsWith("list")).length
          const query = workloadsOf(all("a"), { page: { consistency: "live" } })
          const fiber = yield* Effect.forkChild(Effect.all([list(query), list(query)], { concurrency: 2 }))
          yield* settles("the lists are under way", () => lists() === 4)
          yield* TestClock.adjust("1 second")
          assert.strictEqual(lists(), 4)
          yield* Fiber.interrupt(fiber)
        })))
  })

  describe("paging", () => {
    const Name = Schema.Literals(["a", "b", "c", "d", "e", "f", "g", "h"])
    const Churn = Schema.Array(Schema.Struct({ remove: Schema.Boolean, cluster: Schema.Literals(["a", "b"]), name: Name }))
    const Sort = Schema.Literals(["name", "namespace", "cluster", "kind", "status", "createdAt", "cpuRequestMillis", "memoryRequestBytes"])

    it.effect.prop("walking all pages gives each unchanged row exactly once, whatever comes and goes meanwhile", [
      Schema.Array(Churn).check(Schema.isMaxLength(6)),
      Sort,
      Schema.Literals(["asc", "desc"]),
      Schema.Literals([1, 2, 3])
    ], ([churns, sort, order, limit]) =>
      onFleet(["a", "b"], (fleet) => {
        for (const server of fleet.servers.values()) {
          server.put("Deployment", ...["a", "c", "e", "g"].map((name, index) => deployment(`stays-${name}`, { replicas: index % 2 })))
        }
      }, (fleet) =>
        Effect.gen(function*() {
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
            const query = workloadsOf(both, { page: { sort, order, limit, ...(cursor === undefined ? {} : { cursor }) } })
            const result = yield* list(query)
            assert.isAtMost(result.items.length, limit)
            walked.push(...where(result.items))
            cursor = result.nextCursor
          } while (cursor !== undefined)
          const stays = walked.filter((row) => row.includes("stays-"))
          assert.strictEqual(stays.length, 8)
          assert.strictEqual(new Set(stays).size, 8)
        })), { arbitrary: { runs: 40 } })

    it.effect("400 for a cursor of another key, filter, sort or target, or one that was changed", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
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
        })))

    it.effect("a cursor of all clusters stays good when a cluster is added", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
          const { nextCursor: cursor = "" } = yield* list(workloadsOf(all("a"), { page: { limit: 1 } }))
          const next = yield* found(workloadsOf(both, { page: { cursor } }))
          assert.deepStrictEqual(next, ["a/shop/Deployment/cart", "a/default/Deployment/web", "b/default/Deployment/web"])
        })))

    it.effect("has no next page when everything fits exactly", () =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function*() {
          assert.isUndefined((yield* list(workloadsOf(both, { page: { limit: 5 } }))).nextCursor)
        })))
  })

  it.effect("serves a cluster that was just registered once it has synced", () =>
    onFleet(["a", "b"], fill2, (fleet) =>
      Effect.gen(function*() {
        fleet.server("b").put("Deployment", deployment("late"))
        yield* fleet.register(clusterOf("a"))
        yield* becomes(found(workloadsOf(all("a"))), ["a/default/Deployment/web"])
        yield* fleet.register(clusterOf("a"), clusterOf("b"))
        yield* becomes(found(workloadsOf({ mode: "Named", clusters: [ClusterName.make("b")] })), ["b/default/Deployment/late"])
        yield* comesTrue("it is followed", () => fleet.server("b").isWatching("Pod"))
      })))
})

const fill2 = (fleet: FakeFleet) => {
  fleet.server("a").put("Namespace", namespace("default")).put("Deployment", deployment("web"))
}
