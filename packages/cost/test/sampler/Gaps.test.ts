import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Option } from "effect"
import { UsageError } from "../../src/usage/UsageError.ts"
import { makeFleet, Server } from "./fleet.ts"
import { at, claim, loadBalancer, ofDeployment, pod, volume } from "./objects.ts"
import {
  a,
  begin,
  fill,
  hoursOf,
  inMemory,
  measured,
  oneCluster,
  oneWeb,
  requestsOnly,
  sampled,
  settle,
  start,
  until
} from "./sampling.ts"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"

const web = { owner: ofDeployment("web") }

describe("what a cluster does not tell", () => {
  it.effect("a pod that is deleted without a last word ends when it is deleted", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:20:35")
      server.delete("Pod", "Pod/web-1")
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(measured(hour, "replicaSeconds"), { "Deployment/web": 1_235 })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("a container that is killed for memory and starts again is charged for both runs, not for the pause", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:30:00")
      const before = { from: "09:00:00", to: "10:20:00", reason: "OOMKilled" }
      server.put("Pod", pod("web-1", { from: "10:25:00" }, { ...web, before }))
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(measured(hour, "replicaSeconds"), { "Deployment/web": 3_300 })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("the hours of a dead cluster are not covered, and those of others are", () =>
    Effect.gen(function* () {
      const [one, other] = [new Server("a"), new Server("b")]
      for (const server of [one, other]) {
        fill(server)
        server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      }
      const fleet = yield* makeFleet(one, other)
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:20:00")
      one.kill()
      yield* until("12:10:00")
      one.revive()
      yield* until("13:02:00")

      const hours = yield* hoursOf(a, "10:00:00", "13:00:00")
      assert.deepStrictEqual(
        hours.map(({ startMs }) => startMs),
        [at("10:00:00"), at("12:00:00")]
      )
      const [first, last] = hours
      assert.isAtLeast(first?.knownSeconds ?? 0, 1_140)
      assert.isAtMost(first?.knownSeconds ?? 0, 1_200)
      assert.strictEqual(measured(first, "replicaSeconds")["Deployment/web"], first?.knownSeconds)
      // The breaker lets a probe through once a minute at least.
      assert.isAtLeast(last?.knownSeconds ?? 0, 2_900)
      assert.isAtMost(last?.knownSeconds ?? 0, 3_000)

      const healthy = yield* hoursOf(ClusterName.make("b"), "10:00:00", "13:00:00")
      assert.deepStrictEqual(
        healthy.map(({ knownSeconds }) => knownSeconds),
        [3_600, 3_600, 3_600]
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("a source that fails leaves a gap in what is covered, and is complained about once", () => {
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(message))
    })
    return Effect.gen(function* () {
      const fleet = yield* oneWeb
      let trouble: UsageError | undefined
      yield* start(
        fleet,
        sampled(
          () => ["web-1"],
          () => trouble
        )
      )
      yield* until("10:15:30")
      trouble = new UsageError({ cluster: a, source: "metrics.k8s.io", problem: "it is down" })
      yield* until("10:45:30")
      trouble = undefined
      yield* until("11:02:00")

      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(measured(hour, "replicaSeconds"), { "Deployment/web": 3_600 })
      // Up to the sample of 10:15; and from a minute and a half before that of 10:46 on.
      assert.deepStrictEqual(measured(hour, "coveredSeconds"), { "Deployment/web": 900 + 930 })
      assert.deepStrictEqual(measured(hour, "cpuUsedMilliSeconds"), { "Deployment/web": 50 * 1_830 })
      assert.deepStrictEqual(
        warnings.filter((text) => text.includes("it is down")),
        ["cost of cluster a: usage: metrics.k8s.io: it is down"]
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped, Effect.provide(Logger.layer([logger])))
  })

  it.effect("missing usage is logged once, and so is its return", () => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => {
      if (String(message).includes("usage")) lines.push(String(message))
    })
    return Effect.gen(function* () {
      let isHanging = true
      yield* start(yield* oneWeb, {
        _tag: "Sampled",
        sample: () => Effect.suspend(() => (isHanging ? Effect.never : Effect.succeed([])))
      })
      yield* until("10:05:30")
      isHanging = false
      yield* until("10:08:00")
      assert.lengthOf(lines, 2)
      assert.match(lines[0] ?? "", /^cost of cluster a: usage: no answer within \d+ s$/)
      assert.strictEqual(lines[1], "cost of cluster a: usage: works again")
    }).pipe(Effect.provide(inMemory), Effect.scoped, Effect.provide(Logger.layer([logger])))
  })

  it.effect(
    "volumes and load balancers count from the list; without permission the other costs remain, and it is logged once",
    () => {
      const warnings: Array<string> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        if (logLevel === "Warn") warnings.push(String(message))
      })
      return Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, { ...web, claim: "data" }))
        server.put("PersistentVolumeClaim", claim("data", "pv-1"))
        server.put("PersistentVolume", volume("pv-1", "data"), volume("pv-2", "gone"))
        server.put("Service", loadBalancer("web", "web"))
        yield* begin("09:58:00")
        yield* start(fleet, requestsOnly)
        yield* until("11:02:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.strictEqual(measured(hour, "storageKibSeconds")["Deployment/web"], 10 * 1_024 ** 2 * 3_600)
        assert.strictEqual(measured(hour, "loadBalancerSeconds")["Deployment/web"], 3_600)
        const unmounted = hour?.series.findIndex(({ kind }) => kind === "__unmounted__") ?? -1
        assert.strictEqual(hour?.series[unmounted]?.name, "pv-2")
        assert.strictEqual(hour?.columns.storageKibSeconds[unmounted], 12 * 1_024 ** 2 * 3_600)

        server.forbidden.add("PersistentVolume")
        yield* until("11:30:00")
        server.delete("Service", "Service/web")
        yield* until("12:02:00")
        const [next] = yield* hoursOf(a, "11:00:00", "12:00:00")
        assert.strictEqual(measured(next, "storageKibSeconds")["Deployment/web"], 10 * 1_024 ** 2 * 3_600)
        // It is missed at the next list.
        assert.strictEqual(measured(next, "loadBalancerSeconds")["Deployment/web"], 1_860)
        assert.strictEqual(warnings.filter((text) => text.includes("persistentvolumes")).length, 1)
      }).pipe(Effect.provide(inMemory), Effect.scoped, Effect.provide(Logger.layer([logger])))
    }
  )

  it.effect("an oversized claim counts up to 2 PiB, and is logged once", () => {
    const told: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void told.push(String(message)))
    return Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, { ...web, claim: "lake" }))
      server.put("PersistentVolumeClaim", claim("lake", "pv-1", "4Pi"))
      server.put("PersistentVolume", volume("pv-1", "lake"))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.strictEqual(measured(hour, "storageKibSeconds")["Deployment/web"], 2 * 1_024 ** 4 * 3_600)
      server.put("PersistentVolumeClaim", claim("lake", "pv-1", "1Pi"))
      yield* until("12:02:00")
      assert.deepStrictEqual(
        told.filter((text) => text.includes("sizes of volumes")),
        [
          "cost of cluster a: sizes of volumes: 1 volumes larger than 2 PiB count as 2 PiB",
          "cost of cluster a: sizes of volumes: works again"
        ]
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped, Effect.provide(Logger.layer([logger])))
  })

  it.effect("a cluster that comes, goes and comes back keeps its hour, and another begins when it joins", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      const other = new Server("b")
      fill(other)
      other.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      const b = ClusterName.make("b")
      yield* begin("09:58:00")
      const { sampler } = yield* start(fleet, requestsOnly)
      yield* until("10:10:00")
      yield* fleet.register(server, other)
      yield* settle
      yield* until("10:30:00")
      yield* fleet.register(server)
      yield* until("10:45:00")
      assert.isTrue(Option.isSome(yield* sampler.open(b)))
      yield* fleet.register(server, other)
      yield* until("10:50:00")
      yield* fleet.register(server)
      yield* until("12:02:00")

      const hours = yield* hoursOf(b, "10:00:00", "12:00:00")
      assert.strictEqual(hours.length, 1)
      const [hour] = hours
      // Twenty minutes and five more.
      assert.isAtLeast(hour?.knownSeconds ?? 0, 1_420)
      assert.isAtMost(hour?.knownSeconds ?? 0, 1_500)
      assert.strictEqual(measured(hour, "replicaSeconds")["Deployment/web"], hour?.knownSeconds)
      assert.isTrue(Option.isNone(yield* sampler.open(b)))
      const whole = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(
        whole.map(({ knownSeconds }) => knownSeconds),
        [3_600, 3_600]
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
