import { anyOf, everyNamespace, type NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { type ClusterScope, everyCluster, onlyClusters } from "@quarterdeck/targeting/Target"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ClusterCache } from "../../src/cache/ClusterCache.ts"
import { Clusters } from "../../src/list/Clusters.ts"
import { CursorInvalid } from "../../src/list/ListError.ts"
import type { Page } from "../../src/list/ListQuery.ts"
import { ClusterRow } from "../../src/projection/Row.ts"
import { clusterOf, type FakeFleet } from "../fixture/FakeFleet.ts"
import { container, deployment, namespace, node, object, pod } from "../fixture/KubeObjects.ts"
import { all, onFleet, pageOf, timed } from "../fixture/Service.ts"
import { becomes, comesTrue } from "../fixture/Settling.ts"

const fill = (fleet: FakeFleet) => {
  fleet
    .server("b")
    .put("Namespace", namespace("default"), namespace("shop", { team: "a" }))
    .put("Node", node("n1", "3920m", "8Gi"), node("n2", "4", "8Gi"))
    .put("Pod", pod("p1"), pod("p2", { namespace: "shop" }), pod("p3", { namespace: "shop" }))
}
const list = (
  change: {
    readonly namespaces?: NamespaceFilter
    readonly page?: Partial<Page<"name">>
    readonly cursorBinding?: string
    readonly scope?: ClusterScope
    readonly names?: ReadonlyArray<string>
  } = {}
) =>
  Effect.flatMap(Clusters, (clusters) =>
    clusters.list({
      target: all(...(change.names ?? ["b", "a"])),
      scope: change.scope ?? everyCluster,
      namespaces: change.namespaces ?? everyNamespace,
      page: pageOf("name", change.page),
      cursorBinding: change.cursorBinding ?? "key-1"
    })
  )

describe("Clusters", () => {
  it.effect.each(["cache", "live"] as const)("shows health and size, and no address: %s", (consistency) =>
    onFleet(["b", "a"], fill, () =>
      Effect.gen(function* () {
        const { clusters, partial } = yield* list({ page: { consistency } })
        assert.isFalse(partial)
        assert.deepStrictEqual(
          clusters.map((row) => [row.name, row.role]),
          [
            ["a", "child"],
            ["b", "parent"]
          ]
        )
        const [, row] = clusters
        assert.isTrue(Schema.is(ClusterRow)(row))
        assert.strictEqual(row?.version, "v1.36.3")
        assert.isTrue(row?.reachable)
        assert.strictEqual(row?.lastSeen, "1970-01-01T00:00:00.000Z")
        assert.strictEqual(row?.nodes, 2)
        assert.strictEqual(row?.pods, 3)
        assert.strictEqual(row?.cpuAllocatableMillis, 7920)
        assert.strictEqual(row?.memoryAllocatableBytes, 16 * 1024 ** 3)
        assert.strictEqual(row?.coverage.source, consistency)
        assert.notInclude(JSON.stringify(clusters), "internal.example")
        assert.notInclude(JSON.stringify(clusters), "secret")
      })
    )
  )

  it.effect.each(["cache", "live"] as const)(
    "tells a scoped key its own pods, and nothing of nodes: %s",
    (consistency) =>
      onFleet(["b", "a"], fill, () =>
        Effect.gen(function* () {
          const teamA = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])
          for (const namespaces of [teamA, anyOf([{ namespaceNames: ["shop"] }])]) {
            const { clusters } = yield* list({ namespaces, page: { consistency } })
            assert.strictEqual(clusters[1]?.pods, 2)
            assert.isNull(clusters[1]?.nodes)
            assert.isNull(clusters[1]?.cpuAllocatableMillis)
            assert.isNull(clusters[1]?.cpuRequestMillis)
            assert.isNull(clusters[1]?.memoryRequestBytes)
          }
        })
      )
  )

  it.effect("counts neither pods nor unhealthy workloads while the labels of a key's rule are not confirmed", () =>
    onFleet(
      ["b"],
      (fleet) => {
        fill(fleet)
        fleet.server("b").put("Deployment", deployment("cart", { namespace: "shop", status: { availableReplicas: 0 } }))
      },
      (fleet) =>
        Effect.gen(function* () {
          const teamA = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])
          const counts = Effect.map(list({ names: ["b"], namespaces: teamA }), ({ clusters }) => {
            const [row] = clusters
            const { coverage, pods, unhealthyWorkloads } = row ?? {}
            return { pods, unhealthyWorkloads, missingKinds: coverage?.missingKinds }
          })
          yield* becomes(counts, { pods: 2, unhealthyWorkloads: 1, missingKinds: undefined })
          fleet.server("b").forbidden.add("Namespace")
          yield* TestClock.adjust("31 seconds")
          assert.deepStrictEqual(yield* counts, { pods: null, unhealthyWorkloads: null, missingKinds: ["Namespace"] })
          const { clusters } = yield* list({ names: ["b"] })
          assert.deepStrictEqual([clusters[0]?.pods, clusters[0]?.unhealthyWorkloads], [3, 1])
        })
    )
  )

  it.effect.each(["cache", "live"] as const)("sums what its pods ask the scheduler for: %s", (consistency) =>
    onFleet(
      ["b", "a"],
      (fleet) => {
        const sidecar = { ...container("50m", "32Mi"), restartPolicy: "Always" }
        const initialised = {
          initContainers: [sidecar, container("2", "16Mi")],
          overhead: { cpu: "10m", memory: "1Mi" }
        }
        fleet
          .server("b")
          .put(
            "Pod",
            pod("plain"),
            pod("ending", { terminating: true }),
            pod("waiting", { spec: { nodeName: "" }, status: { phase: "Pending" } }),
            pod("initialised", { spec: initialised }),
            pod("whole", { spec: { resources: { requests: { cpu: "1", memory: "1Gi" } } } }),
            pod("succeeded", { status: { phase: "Succeeded" } }),
            pod("failed", { status: { phase: "Failed" } })
          )
      },
      () =>
        Effect.gen(function* () {
          const [none, row] = (yield* list({ page: { consistency } })).clusters
          assert.strictEqual(row?.pods, 7)
          assert.strictEqual(row?.cpuRequestMillis, 3 * 100 + 2_060 + 1_000)
          assert.strictEqual(row?.memoryRequestBytes, (3 * 64 + 97 + 1_024) * 1024 ** 2)
          assert.deepStrictEqual([none?.cpuRequestMillis, none?.memoryRequestBytes], [0, 0])
        })
    )
  )

  it.effect("shows a fleet of which nothing answers", () =>
    onFleet(
      ["b", "a"],
      (fleet) => {
        for (const server of fleet.servers.values()) server.trouble = "dead"
      },
      () =>
        Effect.gen(function* () {
          const { clusters, partial } = yield* timed(list())
          assert.isTrue(partial)
          for (const row of clusters) {
            assert.isFalse(row.reachable)
            assert.isNull(row.lastSeen)
            assert.isNull(row.nodes)
            assert.isNull(row.pods)
            assert.isNull(row.cpuRequestMillis)
            assert.strictEqual(row.errorCode, "cluster_unreachable")
            assert.strictEqual(row.coverage.status, "unreachable")
          }
        })
    )
  )

  it.effect("shows when a cluster that died was last seen, and its stale size", () =>
    onFleet(["b", "a"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* list()
        yield* TestClock.adjust("1 minute")
        fleet.server("b").kill()
        yield* comesTrue(
          "probes have failed",
          () => fleet.server("b").calls.filter((call) => call === "probe Namespace").length > 15
        )
        const {
          clusters: [, row]
        } = yield* list()
        assert.isFalse(row?.reachable)
        assert.strictEqual(row?.coverage.status, "stale")
        assert.strictEqual(row?.errorCode, "cluster_unreachable")
        assert.strictEqual(row?.pods, 3)
        const lastSeen = Date.parse(row?.lastSeen ?? "")
        assert.isTrue(lastSeen >= 20_000 && lastSeen <= 60_000, row?.lastSeen ?? "never")
      })
    )
  )

  it.effect("tells a refused credential from a dead cluster", () =>
    onFleet(
      ["b", "a"],
      (fleet) => {
        fleet.server("a").trouble = "unauthorized"
      },
      () =>
        Effect.gen(function* () {
          const {
            clusters: [row]
          } = yield* timed(list())
          assert.isTrue(row?.reachable)
          assert.strictEqual(row?.errorCode, "cluster_unauthorized")
          assert.strictEqual(row?.coverage.status, "unauthorized")
        })
    )
  )

  it.effect("pages by name and asks the clusters of the page alone", () =>
    onFleet(["b", "a"], fill, (fleet) =>
      Effect.gen(function* () {
        const first = yield* list({ page: { limit: 1, consistency: "live" } })
        assert.deepStrictEqual(
          first.clusters.map((row) => row.name),
          [ClusterName.make("a")]
        )
        assert.notInclude(fleet.server("b").calls, "list Pod")
        const cursor = first.nextCursor ?? ""
        const second = yield* list({ page: { limit: 1, cursor } })
        assert.deepStrictEqual(
          second.clusters.map((row) => row.name),
          [ClusterName.make("b")]
        )
        assert.isUndefined(second.nextCursor)
        assert.instanceOf(yield* Effect.flip(list({ page: { cursor }, cursorBinding: "key-2" })), CursorInvalid)
      })
    )
  )

  it.effect("leaves out a cluster that was dropped meanwhile", () =>
    onFleet(["b", "a"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* fleet.register(clusterOf("b"))
        const { clusters } = yield* list()
        assert.deepStrictEqual(
          clusters.map((row) => row.name),
          [ClusterName.make("b")]
        )
      })
    )
  )

  describe("sameCluster", () => {
    const system = (uid: string) => object("Namespace", "kube-system", { uid })
    const alike = (fleet: FakeFleet) => {
      fleet.server("a").put("Namespace", system("one"))
      fleet.server("b").put("Namespace", system("one"))
      fleet.server("c").put("Namespace", system("two"))
      fleet.server("d").put("Namespace", namespace("default"))
      fleet.server("e").put("Namespace", namespace("default"))
    }
    const scopeOf = (names: ReadonlyArray<string>) =>
      names.length === fleetOf.length ? everyCluster : onlyClusters(names.map((name) => ClusterName.make(name)))
    const fleetOf = ["a", "b", "c", "d", "e"]
    const sameOf = (...names: ReadonlyArray<string>) =>
      Effect.map(list({ scope: scopeOf(names), names }), ({ clusters }) =>
        Object.fromEntries(
          clusters.flatMap(({ name, sameCluster }) => (sameCluster ? [[name, sameCluster.map(String)]] : []))
        )
      )

    it.effect("names the other names of one kube-system uid, and never those of an unknown uid", () =>
      onFleet(fleetOf, alike, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* sameOf(...fleetOf), { a: ["b"], b: ["a"] })
        })
      )
    )

    it.effect("names no cluster that the key's scope does not reach", () =>
      onFleet(fleetOf, alike, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* sameOf("a", "c"), {})
          assert.deepStrictEqual(yield* sameOf("a", "b"), { a: ["b"], b: ["a"] })
        })
      )
    )

    it.effect("follows a cluster that is made anew, and one that is dropped", () =>
      onFleet(fleetOf, alike, (fleet) =>
        Effect.gen(function* () {
          yield* list({ names: fleetOf })
          fleet.server("c").put("Namespace", system("one"))
          const cache = yield* ClusterCache
          yield* comesTrue("c has joined", () => cache.sameCluster(ClusterName.make("c")).length === 2)
          assert.deepStrictEqual(yield* sameOf(...fleetOf), { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] })
          yield* fleet.register(clusterOf("a", { role: "parent" }), clusterOf("c"))
          const { clusters } = yield* list({ names: ["a", "c"] })
          assert.deepStrictEqual(
            clusters.map(({ sameCluster }) => sameCluster),
            [[ClusterName.make("c")], [ClusterName.make("a")]]
          )
        })
      )
    )
  })
})
