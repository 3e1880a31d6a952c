import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Effect, Layer } from "effect"
import { IDLE, isWorkload } from "../../src/hour/Series.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { claim, deployment, node, ofDeployment, pod, volume } from "./objects.ts"
import {
  a,
  begin,
  hoursOf,
  inMemory,
  measured,
  onDisk,
  oneCluster,
  requestsOnly,
  sampled,
  start,
  until
} from "./sampling.ts"

const web = { owner: ofDeployment("web") }
const GIB_KIB = 1_024 ** 2

/** An object as it is after a change, which the server numbers. */
const changed = (object: KubeObject, version: number, more: Readonly<Record<string, unknown>> = {}): KubeObject => ({
  ...object,
  ...more,
  metadata: { ...object.metadata, resourceVersion: String(version) }
})

const small = pod("web-1", { from: "09:00:00" }, web)

/** The pod of the test, asking for so much CPU. */
const asking = (cpu: string, version: number): KubeObject =>
  changed(small, version, {
    spec: {
      nodeName: "n1",
      containers: [{ name: "main", image: "web:1", resources: { requests: { cpu, memory: "64Mi" } } }]
    }
  })

const labelled = (object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: "2", labels }
})

describe("a pod that is resized in place", () => {
  it.effect("asks for what it asked for at the time, also after a restart of the program", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", small)
      yield* begin("09:58:00")
      const source = sampled(() => ["web-1"])
      const first = yield* start(fleet, source)
      yield* until("10:20:00")
      server.put("Pod", asking("3", 2))
      yield* until("10:30:00")
      yield* first.stop
      yield* start(fleet, source)
      yield* until("10:50:00")
      server.put("Pod", asking("200m", 3))
      yield* until("12:02:00")
      const [ten, eleven] = yield* hoursOf(a, "10:00:00", "12:00:00")
      // Some seconds before the restart were not proven any more.
      const unseen = 3_600 - (ten?.knownSeconds ?? 0)
      assert.isAtMost(unseen, 60)
      const requested = 100 * 1_200 + 3_000 * (1_800 - unseen) + 200 * 600
      assert.deepStrictEqual(measured(ten, "replicaSeconds"), { "Deployment/web": 3_600 - unseen })
      assert.deepStrictEqual(measured(ten, "cpuRequestedMilliSeconds"), { "Deployment/web": requested })
      assert.deepStrictEqual(measured(ten, "cpuAllocatedMilliSeconds"), { "Deployment/web": requested })
      assert.deepStrictEqual(measured(eleven, "cpuRequestedMilliSeconds"), { "Deployment/web": 200 * 3_600 })
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryDirectory, onDisk))), Effect.scoped)
  )
})

describe("a resize that the kubelet reports", () => {
  const reporting = (asked: string, allocated: string, actuated: string, version: number): KubeObject => {
    const { status } = small
    return {
      ...asking(asked, version),
      status: {
        ...(typeof status === "object" ? status : {}),
        conditions: allocated === asked ? [] : [{ type: "PodResizePending", status: "True", reason: "Infeasible" }],
        containerStatuses: [
          {
            name: "main",
            state: { running: { startedAt: "2026-03-02T09:00:00Z" } },
            allocatedResources: { cpu: allocated, memory: "64Mi" },
            resources: { requests: { cpu: actuated, memory: "64Mi" } }
          }
        ]
      }
    }
  }

  it.effect("is charged by what the node gives: not while refused, and a decrease once it is done", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", reporting("1", "1", "1", 1))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:10:00")
      server.put("Pod", reporting("64", "1", "1", 2))
      yield* until("10:40:00")
      server.put("Pod", reporting("500m", "500m", "1", 3))
      yield* until("10:50:00")
      server.put("Pod", reporting("500m", "500m", "500m", 4))
      yield* until("11:02:00")
      const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
      const charged = 1_000 * 3_000 + 500 * 600
      assert.deepStrictEqual(measured(ten, "cpuRequestedMilliSeconds"), { "Deployment/web": charged })
      const idle = ten?.series.findIndex(({ kind }) => kind === IDLE) ?? -1
      assert.strictEqual(ten?.columns.cpuAllocatedMilliSeconds[idle], 4_000 * 3_600 - charged)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})

describe("an hour that is over and waits to be closed", () => {
  it.effect("does not take the requests, the labels and the machines of the next", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", small)
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("11:00:20")
      server.put("Pod", asking("3", 2))
      server.put("Deployment", labelled(deployment("web").deployment, { app: "web", team: "new" }))
      server.put("Node", labelled(node("n1"), { "karpenter.sh/capacity-type": "spot" }))
      yield* until("12:02:00")
      const [ten, eleven] = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(measured(ten, "cpuRequestedMilliSeconds"), { "Deployment/web": 100 * 3_600 })
      assert.deepStrictEqual(measured(eleven, "cpuRequestedMilliSeconds"), {
        "Deployment/web": 100 * 20 + 3_000 * 3_580
      })
      const labels = [ten, eleven].map((hour) => hour?.series.filter(isWorkload).map((series) => series.labels))
      assert.deepStrictEqual(labels, [[{ app: "web" }], [{ app: "web", team: "new" }]])
      assert.deepStrictEqual(
        [ten, eleven].map((hour) => hour?.rates.map(({ capacity }) => capacity)),
        [["onDemand"], ["spot"]]
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})

describe("a claim that grows", () => {
  it.effect("is charged by its new size from when it is listed, and by the old one before", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, { ...web, claim: "data" }))
      server.put("PersistentVolumeClaim", claim("data", "pv-1"))
      server.put("PersistentVolume", volume("pv-1", "data"))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:32:30")
      server.put("PersistentVolumeClaim", changed(claim("data", "pv-1", "20Gi"), 2))
      yield* until("12:02:00")
      const [ten, eleven] = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(measured(ten, "storageKibSeconds"), {
        "Deployment/web": 10 * GIB_KIB * 1_980 + 20 * GIB_KIB * 1_620
      })
      assert.deepStrictEqual(measured(eleven, "storageKibSeconds"), { "Deployment/web": 20 * GIB_KIB * 3_600 })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
