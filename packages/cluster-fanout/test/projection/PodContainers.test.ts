import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Interner from "../../src/projection/Interner.ts"
import { type ContainerRun, runsOf } from "../../src/projection/PodContainers.ts"
import * as Projection from "../../src/projection/Projection.ts"
import { type Body, container, object, pod } from "../fixture/KubeObjects.ts"

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }
const project = (name: string, body: Body) => Projection.project("Pod", pod(name, body), place)
const MIB = 1024 ** 2

const started = "2026-03-01T10:00:00Z"
const finished = "2026-03-01T10:01:00Z"
const run = (change: Partial<ContainerRun> = {}): ContainerRun => ({
  container: 0,
  startedAtMs: Date.parse(started),
  finishedAtMs: undefined,
  isOomKilled: false,
  ...change
})

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

type Amounts = Readonly<Record<string, unknown>>

/** The status of a pod whose kubelet reports what its container `main` has. */
const reporting = (
  allocatedResources: Amounts | undefined,
  requests: Amounts | undefined,
  conditions: ReadonlyArray<unknown> = []
): Body["status"] => ({
  conditions,
  containerStatuses: [
    { name: "absent", allocatedResources: { cpu: "9" } },
    {
      name: "main",
      ...(allocatedResources === undefined ? {} : { allocatedResources }),
      ...(requests === undefined ? {} : { resources: { requests } })
    }
  ]
})

describe("what the containers of a pod ask for", () => {
  it("is one object for all replicas", () => {
    const spec = { containers: [container("100m", "64Mi")] }
    assert.strictEqual(project("a", { spec }).containers, project("b", { spec }).containers)
    assert.notStrictEqual(
      project("a", { spec }).containers,
      project("c", { spec: { containers: [container("200m", "64Mi")] } }).containers
    )
  })

  it("tells main containers, sidecars and init containers apart, and counts GPUs, parts of them by their names", () => {
    const { containers } = project("a", {
      spec: {
        containers: [{ name: "train", resources: { limits: { cpu: "2", "nvidia.com/gpu": "1", "amd.com/gpu": 2 } } }],
        initContainers: [
          { name: "proxy", restartPolicy: "Always", resources: { requests: { cpu: "50m" } } },
          {
            name: "load",
            resources: { requests: { memory: "1Gi" }, limits: { "gpu.intel.com/i915": 1, "nvidia.com/mig-1g.5gb": 1 } }
          }
        ]
      }
    })
    assert.deepStrictEqual(containers, [
      { name: "train", role: "main", cpuRequestMillis: 2_000, memoryRequestBytes: 0, gpus: 3 },
      { name: "proxy", role: "sidecar", cpuRequestMillis: 50, memoryRequestBytes: 0, gpus: 0 },
      {
        name: "load",
        role: "init",
        cpuRequestMillis: 0,
        memoryRequestBytes: 1_024 * MIB,
        gpus: 1,
        gpuParts: { "nvidia.com/mig-1g.5gb": 1 }
      }
    ])
  })

  it.each<[string, Body["spec"], ReadonlyArray<readonly [number, number]>]>([
    [
      "the overhead of the runtime",
      { overhead: { cpu: "25m", memory: "20Mi" } },
      [
        [113, 74],
        [112, 74]
      ]
    ],
    [
      "what the pod requests for all",
      { resources: { requests: { cpu: "1", memory: "1Gi" } } },
      [
        [500, 512],
        [500, 512]
      ]
    ],
    [
      "both",
      { overhead: { cpu: "100m" }, resources: { requests: { cpu: "1" } } },
      [
        [550, 64],
        [550, 64]
      ]
    ],
    [
      "nothing for limits alone",
      { resources: { limits: { cpu: "4" } } },
      [
        [100, 64],
        [100, 64]
      ]
    ]
  ])("%s is shared by those that last, which ask for as much", (_, more, expected) => {
    const { containers } = project("a", {
      spec: {
        ...more,
        containers: [container("100m", "64Mi"), { ...container("100m", "64Mi"), name: "other" }],
        initContainers: [{ ...container("10m", "1Mi"), name: "load" }]
      }
    })
    assert.deepStrictEqual(
      containers.map((one) => [one.cpuRequestMillis, one.memoryRequestBytes / MIB]),
      [...expected, [10, 1]]
    )
  })

  it.each<[string, Body["status"], readonly [cpuMillis: number, mebibytes: number]]>([
    ["the spec asks for where the kubelet reports nothing", {}, [64_000, 64]],
    ["is allocated while a resize is refused", reporting({ cpu: "1", memory: "64Mi" }, undefined), [1_000, 64]],
    [
      "is applied where the kubelet reports that alone",
      reporting(undefined, { cpu: "1500m", memory: "64Mi" }),
      [1_500, 64]
    ],
    [
      "is allocated before it is applied, when it grows",
      reporting({ cpu: "64", memory: "64Mi" }, { cpu: "1", memory: "64Mi" }),
      [64_000, 64]
    ],
    [
      "is still applied, when it shrinks",
      reporting({ cpu: "64", memory: "64Mi" }, { cpu: "96", memory: "1Gi" }),
      [96_000, 1_024]
    ],
    ["the spec asks for of a resource that is not reported", reporting({ cpu: "1" }, {}), [1_000, 64]],
    [
      "is reported, not what a pending resize adds",
      reporting({ cpu: "1" }, {}, [{ type: "PodResizePending", status: "True", reason: "Infeasible" }]),
      [1_000, 0]
    ],
    ["the spec asks for where no quantity is reported", reporting({ cpu: "much" }, { cpu: {} }), [64_000, 64]]
  ])("is what %s", (_, status, expected) => {
    const spec = { containers: [container("64", "64Mi"), { ...container("1", "1Mi"), name: "other" }] }
    const [main, other] = project("a", { spec, ...(status === undefined ? {} : { status }) }).containers
    assert.deepStrictEqual(
      [main, other].map((one) => [one?.cpuRequestMillis, (one?.memoryRequestBytes ?? 0) / MIB]),
      [[...expected], [1_000, 1]]
    )
  })

  it.prop(
    "is the greater of the allocated and the applied request, whatever the spec asks for",
    [Millis, Millis, Millis],
    ([asked, allocated, actuated]) => {
      const amounts = (millis: number) => ({ cpu: `${millis}m`, memory: `${millis}Ki` })
      const { containers } = project("a", {
        spec: { containers: [{ name: "main", resources: { requests: amounts(asked) } }] },
        status: reporting(amounts(allocated), amounts(actuated)) ?? {}
      })
      const millis = Math.max(allocated, actuated)
      assert.deepStrictEqual(containers, [
        { name: "main", role: "main", cpuRequestMillis: millis, memoryRequestBytes: millis * 1_024, gpus: 0 }
      ])
    }
  )

  it("is what the kubelet allocates to the whole pod, without the overhead that its status has", () => {
    const { containers } = project("a", {
      spec: {
        overhead: { cpu: "100m" },
        resources: { requests: { cpu: "64", memory: "1Gi" } },
        containers: [container("100m", "64Mi")]
      },
      status: { allocatedResources: { cpu: "2100m", memory: "1Gi" }, resources: { requests: { cpu: "1100m" } } }
    })
    assert.deepStrictEqual(
      containers.map((one) => [one.cpuRequestMillis, one.memoryRequestBytes / MIB]),
      [[2_100, 1_024]]
    )
  })

  it("is one object with that of a pod that was never resized", () => {
    const spec = { containers: [container("100m", "64Mi")] }
    const status = reporting({ cpu: "100m", memory: "64Mi" }, { cpu: "0.1", memory: "67108864" })
    assert.strictEqual(project("a", { spec, ...(status && { status }) }).containers, project("b", { spec }).containers)
  })

  it("names the claims that it mounts, once, and those of its ephemeral volumes", () => {
    const { claims } = project("db-0", {
      spec: {
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "data-db-0" } },
          { name: "again", persistentVolumeClaim: { claimName: "data-db-0" } },
          { name: "scratch", ephemeral: { volumeClaimTemplate: {} } },
          { name: "config", configMap: { name: "db" } }
        ]
      }
    })
    assert.deepStrictEqual(claims, ["data-db-0", "db-0-scratch"])
  })
})

describe("when the containers of a pod ran", () => {
  const running = { running: { startedAt: started } }
  const ended = (reason: string) => ({ terminated: { startedAt: started, finishedAt: finished, reason } })

  it.each<[string, Body["status"], ReadonlyArray<ContainerRun>]>([
    ["since its start", { containerStatuses: [{ name: "main", state: running }] }, [run()]],
    [
      "until its end",
      { containerStatuses: [{ name: "main", state: ended("Completed") }] },
      [run({ finishedAtMs: Date.parse(finished) })]
    ],
    [
      "until it was killed for memory, while it waits to start again",
      { containerStatuses: [{ name: "main", state: { waiting: {} }, lastState: ended("OOMKilled") }] },
      [run({ finishedAtMs: Date.parse(finished), isOomKilled: true })]
    ],
    [
      "both before and after a restart",
      {
        containerStatuses: [{ name: "main", state: { running: { startedAt: finished } }, lastState: ended("Error") }]
      },
      [run({ finishedAtMs: Date.parse(finished) }), run({ startedAtMs: Date.parse(finished) })]
    ],
    ["as an init container", { initContainerStatuses: [{ name: "load", state: running }] }, [run({ container: 1 })]],
    ["never, while it waits", { containerStatuses: [{ name: "main", state: { waiting: {} } }] }, []],
    [
      "never, when the kubelet does not know",
      {
        containerStatuses: [
          { name: "main", state: { terminated: { startedAt: null, finishedAt: "0001-01-01T00:00:00Z" } } }
        ]
      },
      []
    ],
    ["never, as a container that the pod does not have", { containerStatuses: [{ name: "debug", state: running }] }, []]
  ])("%s", (_, status, expected) => {
    const spec = {
      containers: [container("100m", "64Mi")],
      initContainers: [{ ...container("1m", "1Mi"), name: "load" }]
    }
    assert.deepStrictEqual(runsOf(project("a", { spec, ...(status === undefined ? {} : { status }) })), expected)
  })
})

describe("what a node has in all", () => {
  const node = (status: Body["status"]) =>
    Projection.project("Node", object("Node", "n1", { ...(status === undefined ? {} : { status }) }), place)

  it("is its capacity, its system's share too", () => {
    const record = node({
      capacity: {
        cpu: "4",
        memory: "8Gi",
        "nvidia.com/gpu": "2",
        "nvidia.com/mig-3g.20gb": "4",
        "nvidia.com/mig-1g.24gb-me": "2",
        "nvidia.com/gpu.shared": 0
      },
      allocatable: { cpu: "3900m", memory: "7Gi", "nvidia.com/gpu": "2" }
    })
    assert.deepInclude(record, { cpuCapacityMillis: 4_000, memoryCapacityBytes: 8_192 * MIB, gpus: 2 })
    assert.deepStrictEqual(record?.gpuParts, { "nvidia.com/mig-3g.20gb": 4, "nvidia.com/mig-1g.24gb-me": 2 })
    assert.deepInclude(record, { cpuAllocatableMillis: 3_900, memoryAllocatableBytes: 7_168 * MIB })
  })

  it("is what pods may have, where it tells nothing else", () => {
    assert.deepInclude(node({ allocatable: { cpu: "2", memory: "1Gi" } }), { cpuCapacityMillis: 2_000 })
  })
})
