import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { node, ofDeployment, pod } from "./objects.ts"
import { a, begin, hoursOf, measured, onDisk, oneCluster, requestsOnly, start, until } from "./sampling.ts"

const capacity = { cpu: "4", memory: "16Gi", "nvidia.com/mig-1g.5gb": "7" }
const resources = { requests: { cpu: "100m" }, limits: { "nvidia.com/mig-1g.5gb": "2" } }

describe("a pod with slices of a GPU", () => {
  it.effect("is charged for them, also where the program ended before it did, and the rest of the GPU is idle", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Node", { ...node("n1"), status: { capacity, conditions: [{ type: "Ready", status: "True" }] } })
      const web = pod("web-1", { from: "09:00:00" }, { owner: ofDeployment("web") })
      server.put("Pod", { ...web, spec: { nodeName: "n1", containers: [{ name: "main", image: "web:1", resources }] } })
      yield* begin("09:58:00")
      const first = yield* start(fleet, requestsOnly)
      yield* until("10:20:00")
      yield* first.stop
      server.delete("Pod", "Pod/web-1")
      yield* start(fleet, requestsOnly)
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      const seconds = measured(hour, "replicaSeconds")["Deployment/web"] ?? 0
      assert.isTrue(seconds > 1_100 && seconds <= 1_260)
      const slices = measured(hour, "gpuMilliSeconds")["Deployment/web"] ?? 0
      assert.closeTo(slices, (seconds * 1_000 * 2) / 7, 2)
      const whole = hour?.columns.gpuMilliSeconds.reduce((sum, one) => sum + one, 0)
      assert.strictEqual(whole, (hour?.knownSeconds ?? 0) * 1_000)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryDirectory, onDisk))), Effect.scoped)
  )
})
