import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { clusterOf, type FakeFleet } from "../fixture/FakeFleet.ts"
import { deployment, namespace } from "../fixture/KubeObjects.ts"
import { all, list, onFleet, workloadsOf } from "../fixture/Service.ts"
import { becomes, comesTrue, settles } from "../fixture/Settling.ts"

const fill = (fleet: FakeFleet) => {
  for (const server of fleet.servers.values()) {
    server.put("Namespace", namespace("default")).put("Deployment", deployment("web"))
  }
}

/** Value of a metric for a cluster, and for a kind if one is given. */
const told = (id: string, cluster: string, kind?: string) =>
  Effect.map(Metric.snapshot, (series) => {
    const found = series.find(
      ({ attributes, id: name }) => name === id && attributes?.["cluster"] === cluster && attributes["kind"] === kind
    )
    if (found === undefined) return undefined
    return found.type === "Gauge"
      ? Number(found.state.value)
      : found.type === "Counter"
        ? Number(found.state.count)
        : undefined
  })

const namesOf = (cluster: string) =>
  Effect.map(Metric.snapshot, (series) =>
    series.filter(({ attributes }) => attributes?.["cluster"] === cluster).map(({ id }) => id)
  )

describe("CacheMetrics", () => {
  it.effect("tell the rows of each kind as they come and go, and how old they are", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* list(workloadsOf(all("a")))
        assert.strictEqual(yield* told("quarterdeck_rows", "a", "Deployment"), 1)
        fleet.server("a").put("Deployment", deployment("api"))
        yield* becomes(told("quarterdeck_rows", "a", "Deployment"), 2)
        fleet.server("a").delete("Deployment", "Deployment/default/web")
        yield* becomes(told("quarterdeck_rows", "a", "Deployment"), 1)
        const before = (yield* told("quarterdeck_cache_age_seconds", "a")) ?? Number.NaN
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* told("quarterdeck_cache_age_seconds", "a"), before + 20)
      })
    ).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("count a watch that was opened again once", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        yield* list(workloadsOf(all("a")))
        assert.strictEqual(yield* told("quarterdeck_watch_reconnects_total", "a"), 0)
        server.drop("Deployment")
        yield* settles("the watch has ended", () => !server.isWatching("Deployment"))
        yield* comesTrue("the watch is back", () => server.isWatching("Deployment"))
        assert.strictEqual(yield* told("quarterdeck_watch_reconnects_total", "a"), 1)
      })
    ).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect(
    "tell that a cluster stopped answering, how often, and that it is back; nothing of one that is dropped",
    () =>
      onFleet(["a", "b"], fill, (fleet) =>
        Effect.gen(function* () {
          const server = fleet.server("a")
          yield* list(workloadsOf(all("a", "b")))
          for (const times of [1, 2]) {
            server.kill()
            yield* TestClock.adjust("30 seconds")
            yield* becomes(told("quarterdeck_breaker_open", "a"), 1)
            server.revive()
            yield* TestClock.adjust("30 seconds")
            yield* becomes(told("quarterdeck_breaker_open", "a"), 0)
            yield* becomes(told("quarterdeck_breaker_openings_total", "a"), times)
          }
          assert.strictEqual(yield* told("quarterdeck_breaker_openings_total", "b"), 0)
          yield* fleet.register(clusterOf("b"))
          yield* becomes(
            Effect.map(namesOf("a"), (names) => names.length),
            0
          )
          assert.include(yield* namesOf("b"), "quarterdeck_cluster_reachable")
        })
      ).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
