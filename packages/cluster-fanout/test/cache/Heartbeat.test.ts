import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Breaker from "../../src/kube/Breaker.ts"
import { ClusterError, ClusterForbids } from "../../src/kube/ClusterError.ts"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import * as Heartbeat from "../../src/cache/Heartbeat.ts"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import { clusterOf, makeFleet } from "../fixture/FakeFleet.ts"

const FORBIDDEN = new ClusterForbids({ verb: "list", resource: "namespaces" })

describe("Heartbeat", () => {
  it.effect("asks for a list and not for the version alone, of what the credential may read", () =>
    Effect.gen(function* () {
      const fleet = yield* makeFleet("a")
      const { calls } = fleet.server("a")
      const cluster = clusterOf("a")
      const store = new ClusterStore(cluster)
      const breaker = yield* Breaker.make
      const run = Effect.gen(function* () {
        const api = yield* KubeApi
        yield* Effect.forkChild(Heartbeat.run(cluster, { api, breaker, store }), { startImmediately: true })
        yield* TestClock.adjust("20 seconds")
        assert.include(calls, "probe Namespace")
        assert.strictEqual(calls.filter((call) => call === "version").length, 1)
        store.miss("Namespace", new ClusterError({ cluster: cluster.name, reason: FORBIDDEN }))
        calls.length = 0
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(new Set(calls), new Set(["probe Deployment", "version"]))
      })
      yield* run.pipe(Effect.provide(fleet.layer))
    })
  )

  it.effect("logs the same trouble once, and when it is over", () =>
    Effect.gen(function* () {
      const fleet = yield* makeFleet("a")
      const server = fleet.server("a")
      const cluster = clusterOf("a")
      const store = new ClusterStore(cluster)
      const breaker = yield* Breaker.make
      const lines: Array<string> = []
      const listening = Logger.layer([
        Logger.make(({ logLevel, message }) => lines.push(`${logLevel}: ${String(message)}`))
      ])
      const run = Effect.gen(function* () {
        const api = yield* KubeApi
        yield* Effect.forkChild(Heartbeat.run(cluster, { api, breaker, store }), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(lines, [])
        server.trouble = "unauthorized"
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(lines, ["Warn: cluster a refused the service's credential"])
        server.trouble = "none"
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(lines.slice(1), ["Info: cluster a answers again"])
      })
      yield* run.pipe(Effect.provide([fleet.layer, listening]))
    })
  )
})
