import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { everyCluster } from "@quarterdeck/targeting/Target"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ClusterCache } from "../../src/cache/ClusterCache.ts"
import { FanOutFailed } from "../../src/list/ListError.ts"
import { Clusters } from "../../src/list/Clusters.ts"
import { clusterOf, type FakeFleet } from "../fixture/FakeFleet.ts"
import { deployment } from "../fixture/KubeObjects.ts"
import { all, fillOne, found, list, onFleet, pageOf, timed, where, workloadsOf } from "../fixture/Service.ts"
import { comesTrue } from "../fixture/Settling.ts"

const STEP_MS = 250

const row = Effect.gen(function* () {
  const clusters = yield* Clusters
  const reach = { scope: everyCluster, namespaces: everyNamespace }
  const query = { target: all("a"), ...reach, page: pageOf("name"), cursorBinding: "key-1" }
  const { clusters: rows } = yield* clusters.list(query)
  const [seen] = rows
  assert.isDefined(seen)
  assert.strictEqual(seen.reachable, seen.coverage.status === "ok", "reachable and status say the same")
  const { clusters: coverages } = yield* list(workloadsOf(all("a")))
  assert.strictEqual(coverages[0]?.status, seen.coverage.status, "every list says the same")
  return seen
})

/** **Units** milliseconds until the cluster's row has a status. */
const until = Effect.fnUntraced(function* (status: "ok" | "stale", limitMs: number) {
  for (let passed = 0; passed <= limitMs; passed += STEP_MS) {
    if ((yield* row).coverage.status === status) return passed
    yield* TestClock.adjust(STEP_MS)
  }
  return Infinity
})

const live = workloadsOf(all("a"), { page: { consistency: "live" } })

describe("a cluster that falls silent", () => {
  it.effect.each(["hanging", "listless", "dead"] as const)(
    "is stale within 9 s, and back within 3 s of answering again: %s",
    (trouble) =>
      onFleet(["a"], fillOne, (fleet) =>
        Effect.gen(function* () {
          const server = fleet.server("a")
          yield* until("ok", 10_000)
          yield* TestClock.adjust("17 seconds")
          server.trouble = trouble
          const staleMs = yield* until("stale", 20_000)
          assert.isAtMost(staleMs, 9_000)
          assert.isAtLeast(staleMs, 1_000, "one failed probe is not enough")
          yield* TestClock.adjust("40 seconds")
          assert.strictEqual((yield* row).coverage.status, "stale")
          server.trouble = "none"
          assert.isAtMost(yield* until("ok", 20_000), 3_000)
        })
      )
  )

  it.effect.each(["hanging", "listless"] as const)("is stale within 4 s of a live question: %s", (trouble) =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        yield* until("ok", 10_000)
        yield* TestClock.adjust("10 seconds")
        fleet.server("a").trouble = trouble
        yield* Effect.forkChild(Effect.ignore(list(live)))
        assert.isAtMost(yield* until("stale", 20_000), 4_000)
      })
    )
  )

  it.effect("is not taken for one by a single probe that is lost", () =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        yield* until("ok", 10_000)
        server.trouble = "hanging"
        const probes = () => server.calls.filter((call) => call.startsWith("probe")).length
        const before = probes()
        yield* comesTrue("a probe is under way", () => probes() > before)
        server.trouble = "none"
        assert.strictEqual(yield* until("stale", 20_000), Infinity)
      })
    )
  )
})

describe("a cluster whose breaker is open", () => {
  const opened = Effect.fnUntraced(function* (fleet: FakeFleet, trouble: "dead" | "hanging" | "untrusted" | "broken") {
    const cache = yield* ClusterCache
    const { breaker } = yield* cache.member(clusterOf("a"))
    fleet.server("a").trouble = trouble
    yield* comesTrue("the breaker is open", () => breaker.refusal() !== undefined, 60)
  })

  it.effect("is asked live as soon as it answers again", () =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        yield* found(workloadsOf(all("a")))
        yield* opened(fleet, "dead")
        const server = fleet.server("a")
        server.putUnseen("Deployment", deployment("made-meanwhile"))
        server.trouble = "none"
        const { clusters, items } = yield* list(live)
        assert.deepStrictEqual(where(items), ["a/default/Deployment/made-meanwhile", "a/default/Deployment/web"])
        assert.strictEqual(clusters[0]?.status, "ok")
      })
    )
  )

  it.effect("is asked by one probe for all who ask live meanwhile", () =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        yield* found(workloadsOf(all("a")))
        yield* opened(fleet, "hanging")
        const server = fleet.server("a")
        server.calls.length = 0
        const asked = Array.from({ length: 20 }, () => Effect.flip(list(live)))
        const errors = yield* timed(Effect.all(asked, { concurrency: "unbounded" }))
        for (const error of errors) {
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.coverages[0]?.status, "timeout")
        }
        assert.isAtMost(server.calls.length, 3)
        assert.deepStrictEqual(new Set(server.calls), new Set(["probe Namespace"]))
      })
    )
  )

  it.effect.each([
    ["untrusted", "unreachable", "cluster_certificate_invalid"],
    ["broken", "error", "cluster_answer_invalid"],
    ["hanging", "timeout", "cluster_timeout"],
    ["dead", "unreachable", "cluster_unreachable"]
  ] as const)("keeps the cause's status and code: %s is %s, %s", ([trouble, status, code]) =>
    onFleet(
      ["a"],
      () => undefined,
      (fleet) =>
        Effect.gen(function* () {
          yield* opened(fleet, trouble)
          for (const consistency of ["cache", "live"] as const) {
            const error = yield* timed(Effect.flip(list(workloadsOf(all("a"), { page: { consistency } }))))
            assert.instanceOf(error, FanOutFailed)
            assert.strictEqual(error.coverages[0]?.status, status)
            assert.strictEqual(error.coverages[0]?.error?.code, code)
          }
        })
    )
  )
})
