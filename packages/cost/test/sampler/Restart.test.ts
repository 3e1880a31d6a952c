import { Heartbeat } from "@quarterdeck/cluster-fanout"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { Server } from "./fleet.ts"
import { at, deployment, ofDeployment, pod } from "./objects.ts"
import {
  a,
  begin,
  fill,
  hoursOf,
  inMemory,
  measured,
  onDisk,
  oneCluster,
  oneWeb,
  requestsOnly,
  sampled,
  start,
  until
} from "./sampling.ts"

const web = { owner: ofDeployment("web") }
const source = sampled(() => ["web-1", "web-2"])

/**
 * The longest pause between heartbeats, and a step of the test's clock at each end: what a quiet cluster showed since its
 * last heartbeat is lost with the program, and no more.
 */
const HEARTBEAT_SECONDS = (1.1 * Heartbeat.HeartbeatLimits.defaultValue().intervalMs) / 1_000 + 10

const journalOf = (directory: string) => Effect.promise(() => readdir(join(directory, "open-hours")))

describe("a restart", () => {
  it.effect("within the hour neither charges twice nor hides what was seen, and leaves out the time between", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, web), pod("web-2", { from: "10:02:00" }, web))
        server.put("Pod", pod("ends-unseen", { from: "10:05:00" }))
        yield* begin("09:58:00")
        const first = yield* start(fleet, source)
        yield* until("10:10:00")
        server.delete("Pod", "Pod/web-2")
        yield* until("10:20:00")
        yield* first.stop
        const [file = ""] = yield* journalOf(directory)
        // A crash cuts what is being written.
        yield* Effect.promise(() => appendFile(join(directory, "open-hours", file), 'deadbeef {"_tag":"Se'))
        yield* until("10:25:00")
        server.delete("Pod", "Pod/ends-unseen")
        yield* until("10:30:00")
        yield* start(fleet, source)
        yield* until("11:02:00")

        const hours = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.strictEqual(hours.length, 1)
        const [hour] = hours
        const known = hour?.knownSeconds ?? 0
        const lost = 3_600 - 600 - known
        assert.isAtLeast(lost, 0)
        assert.isAtMost(lost, HEARTBEAT_SECONDS)
        const replicaSeconds = 3_000 + 480 - lost
        assert.deepStrictEqual(measured(hour, "replicaSeconds"), {
          "Deployment/web": replicaSeconds,
          "Pod/ends-unseen": 900 - lost
        })
        assert.strictEqual(measured(hour, "coveredSeconds")["Deployment/web"], known)
        assert.strictEqual(measured(hour, "cpuUsedMilliSeconds")["Deployment/web"], 50 * replicaSeconds)
        assert.deepStrictEqual(yield* journalOf(directory), [`a@${at("11:00:00")}.lines`])
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("that takes half a minute is not seen either", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const first = yield* start(fleet, source)
        yield* until("10:20:10")
        yield* first.stop
        yield* until("10:20:40")
        yield* start(fleet, source)
        yield* until("11:02:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.isAtMost(hour?.knownSeconds ?? 0, 3_570)
        assert.isAtLeast(hour?.knownSeconds ?? 0, 3_500)
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("goes on from the moment of the stop, not from the last sample before it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
        yield* begin("09:58:00")
        const first = yield* start(fleet, source)
        yield* until("10:20:10")
        server.put("Pod", pod("late", { from: "10:20:10" }))
        yield* until("10:20:55")
        const before = yield* Effect.map(first.sampler.open(a), Option.getOrUndefined)
        yield* first.stop
        server.kill()
        yield* until("10:30:00")
        const second = yield* start(fleet, source)
        yield* until("10:30:10")
        const after = yield* Effect.map(second.sampler.open(a), Option.getOrUndefined)
        assert.isAbove(before?.knownSeconds ?? 0, 20 * 60)
        assert.isAtLeast(after?.knownSeconds ?? 0, before?.knownSeconds ?? 0)
        assert.isAtMost(after?.knownSeconds ?? 0, 20 * 60 + 55)
        for (const [name, seconds] of Object.entries(measured(before, "replicaSeconds"))) {
          assert.isAbove(seconds, 0)
          assert.isAtLeast(measured(after, "replicaSeconds")[name] ?? 0, seconds, name)
        }
        assert.sameMembers(Object.keys(measured(after, "replicaSeconds")), ["Deployment/web", "Pod/late"])
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("while the cluster is down leaves its pods with their workloads, and those that end meanwhile too", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, web), pod("web-2", { from: "09:00:00" }, web))
        server.put("Pod", pod("alone", { from: "09:00:00" }))
        yield* begin("09:58:00")
        const first = yield* start(fleet, source)
        yield* until("10:20:00")
        yield* first.stop
        server.kill()
        yield* start(fleet, source)
        yield* until("11:10:00")
        const [closed] = yield* hoursOf(a, "10:00:00", "11:00:00")
        server.delete("Pod", "Pod/web-2")
        server.revive()
        yield* until("12:02:00")
        const [next] = yield* hoursOf(a, "11:00:00", "12:00:00")

        for (const hour of [closed, next]) {
          assert.sameMembers(Object.keys(measured(hour, "replicaSeconds")), ["Deployment/web", "Pod/alone"])
          const found = hour?.series.find(({ kind }) => kind === "Deployment")
          assert.deepStrictEqual(found?.labels, { app: "web" })
        }
        const known = closed?.knownSeconds ?? 0
        assert.isAtLeast(known, 1_200 - HEARTBEAT_SECONDS)
        assert.strictEqual(measured(closed, "replicaSeconds")["Deployment/web"], 2 * known)
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("with a journal that has no owners leaves pods with the workloads that it has", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
        yield* begin("09:58:00")
        const first = yield* start(fleet, source)
        yield* until("10:20:00")
        yield* first.stop
        const file = join(directory, "open-hours", `a@${at("10:00:00")}.lines`)
        const lines = (yield* Effect.promise(() => readFile(file, "utf8"))).split("\n").filter((line) => line !== "")
        const without = lines.map((line) => {
          const json = line.slice(9).replaceAll(/"owner":\{[^}]*\},/g, "")
          return `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`
        })
        assert.include(lines.join(), '"owner":')
        assert.notInclude(without.join(), '"owner":')
        yield* Effect.promise(() => writeFile(file, without.join("")))
        server.kill()
        yield* start(fleet, source)
        yield* until("11:02:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.deepStrictEqual(Object.keys(measured(hour, "replicaSeconds")), ["Deployment/web"])
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("finds the workload of a pod that the first program had not found yet", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        const { deployment: late, replicaSet } = deployment("late")
        server.put("Pod", pod("late-1", { from: "09:00:00" }, { owner: ofDeployment("late") }))
        yield* begin("09:58:00")
        const first = yield* start(fleet, source)
        yield* until("10:20:00")
        yield* first.stop
        server.delete("Pod", "Pod/late-1")
        server.put("Deployment", late)
        server.put("ReplicaSet", replicaSet)
        yield* start(fleet, source)
        yield* until("11:02:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.deepStrictEqual(Object.keys(measured(hour, "replicaSeconds")), ["Deployment/late"])
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("of the connection alone, to a cluster that is down, leaves workloads the labels that they had", () =>
    Effect.gen(function* () {
      const { fleet } = yield* oneCluster
      const other = new Server("b")
      fill(other)
      const { metadata, ...set } = deployment("db").deployment
      other.put("StatefulSet", { ...set, metadata: { ...metadata, uid: "StatefulSet/db" } })
      other.put(
        "Pod",
        pod("db-0", { from: "09:00:00" }, { owner: { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" } })
      )
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* fleet.register(new Server("a"), other)
      yield* until("10:20:00")
      yield* fleet.register(new Server("a"))
      yield* until("10:21:00")
      other.kill()
      yield* fleet.register(new Server("a"), other)
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(ClusterName.make("b"), "10:00:00", "11:00:00")
      const found = hour?.series.find(({ kind }) => kind === "StatefulSet")
      assert.deepStrictEqual([found?.name, found?.labels], ["db", { app: "db" }])
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("hours later closes the hour with what was seen", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const first = yield* start(fleet, source)
        yield* until("10:20:00")
        yield* first.stop
        yield* until("13:30:00")
        yield* start(fleet, source)
        yield* until("13:31:00")
        const hours = yield* hoursOf(a, "09:00:00", "14:00:00")
        assert.deepStrictEqual(
          hours.map(({ startMs }) => startMs),
          [at("09:00:00"), at("10:00:00")]
        )
        const known = hours[1]?.knownSeconds ?? 0
        assert.isAtLeast(known, 1_200 - HEARTBEAT_SECONDS)
        assert.isAtMost(known, 1_200)
        assert.deepStrictEqual(measured(hours[1], "replicaSeconds"), { "Deployment/web": known })
        assert.deepStrictEqual(yield* journalOf(directory), [`a@${at("13:00:00")}.lines`])
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("after a crash between closing an hour and forgetting its journal leaves the hour as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const first = yield* start(fleet, source)
        yield* until("10:59:30")
        const file = join(directory, "open-hours", `a@${at("10:00:00")}.lines`)
        const lines = yield* Effect.promise(() => readFile(file))
        yield* until("11:02:00")
        const [closed] = yield* hoursOf(a, "10:00:00", "11:00:00")
        yield* first.stop
        yield* Effect.promise(() => writeFile(file, lines))
        yield* until("11:10:00")
        yield* start(fleet, source)
        yield* until("11:12:00")
        const [after] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.deepStrictEqual(after, closed)
        assert.deepStrictEqual(yield* journalOf(directory), [`a@${at("11:00:00")}.lines`])
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )
})
