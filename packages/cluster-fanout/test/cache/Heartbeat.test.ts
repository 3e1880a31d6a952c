import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Breaker from "../../src/kube/Breaker.ts"
import { ClusterError, ClusterTimeout } from "../../src/kube/ClusterError.ts"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import * as Heartbeat from "../../src/cache/Heartbeat.ts"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import { clusterOf, makeFleet } from "../fixture/FakeFleet.ts"

describe("Heartbeat", () => {
  it.effect("waits while somebody else's call is the probe of an open breaker", () =>
    Effect.gen(function* () {
      const fleet = yield* makeFleet("a")
      const cluster = clusterOf("a")
      const store = new ClusterStore(cluster)
      const breaker = yield* Breaker.make(cluster.name)
      const dead = new ClusterError({ cluster: cluster.name, reason: new ClusterTimeout({ timeoutMs: 1 }) })
      for (let failure = 0; failure < 3; failure++) yield* Effect.ignore(breaker.guard(Effect.fail(dead)))
      yield* TestClock.adjust("5 seconds")
      yield* Effect.forkChild(breaker.guard(Effect.never), { startImmediately: true })

      let told = 0
      const counting = store.signal.until(() => {
        told++
        return false
      })
      yield* Effect.forkChild(counting, { startImmediately: true })
      const run = Effect.gen(function* () {
        const api = yield* KubeApi
        yield* Effect.forkChild(Heartbeat.run(cluster, { api, breaker, store }), { startImmediately: true })
        yield* TestClock.adjust("10 seconds")
      })
      yield* run.pipe(Effect.provide(fleet.layer))
      assert.isAtMost(told, 12)
      assert.deepStrictEqual(fleet.server("a").calls, [])
    })
  )

  it.effect("logs the same trouble once, and when it is over", () =>
    Effect.gen(function* () {
      const fleet = yield* makeFleet("a")
      const server = fleet.server("a")
      const cluster = clusterOf("a")
      const store = new ClusterStore(cluster)
      const breaker = yield* Breaker.make(cluster.name)
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
