import { assert } from "@effect/vitest"
import { eventually, type Fleet } from "@quarterdeck/harness"
import { Clock, Effect } from "effect"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const NODES = [
  { name: "tpu-1", capacity: { cpu: "8", memory: "32Gi", "google.com/tpu": "8" } },
  { name: "gaudi-1", capacity: { cpu: "8", memory: "32Gi", "habana.ai/gaudi": "8" } }
]

const prepare = Effect.fnUntraced(function* ({ parent: { api } }: Fleet["Service"]) {
  const startedAt = new Date((yield* Clock.currentTimeMillis) - 60_000).toISOString().replace(/\.\d+Z$/, "Z")
  for (const { capacity, name } of NODES) {
    yield* api.create({ apiVersion: "v1", kind: "Node", metadata: { name } })
    const status = { capacity, allocatable: capacity }
    yield* api.patch({ apiVersion: "v1", kind: "Node", name }, { status }, { subresource: "status" })
  }
  yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  yield* api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "train", namespace: "shop" },
    spec: {
      nodeName: "tpu-1",
      resourceClaims: [{ name: "nic", resourceClaimName: "nic" }],
      containers: [{ name: "main", image: "acme/train:1", resources: { limits: { "google.com/tpu": "4" } } }]
    }
  })
  yield* api.patch(
    { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "train" },
    {
      status: {
        phase: "Running",
        startTime: startedAt,
        containerStatuses: [
          {
            name: "main",
            image: "acme/train:1",
            imageID: "",
            ready: true,
            restartCount: 0,
            state: { running: { startedAt } }
          }
        ]
      }
    },
    { subresource: "status" }
  )
})

const options = { cost: { accelerators: ["google.com/tpu"], usage: "requests", sampleSeconds: 10 } }

onOneDriver("accelerators", { children: [], prepare, options }, (it) => {
  it.effect("of the settings are charged as GPUs, and others are named to an Admin", () =>
    Effect.gen(function* () {
      const { call, costs } = yield* Deployment
      const { aggregatedWorkloads } = yield* eventually(
        "the pod is charged",
        costs("?range=1h"),
        (report) => report.totals.gpuCost > 0,
        { within: "60 seconds" }
      )
      assert.deepStrictEqual(
        aggregatedWorkloads.map(({ id }) => id),
        ["hub/shop/Pod/train"]
      )
      const { text } = yield* call("/readyz", { key: "admin" })
      assert.include(
        text,
        '"unchargedDevices":[{"cluster":"hub","resources":["habana.ai/gaudi"],"nodes":1,"podsWithClaims":1}]'
      )
    })
  )
})
