import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as GpuNames from "../../src/usage/prometheus/GpuNames.ts"
import * as NodesOfHour from "../../src/usage/prometheus/NodesOfHour.ts"
import * as HistoricalQueries from "../../src/usage/prometheus/HistoricalQueries.ts"
import { toLabels } from "../../src/usage/prometheus/MangledLabels.ts"

const Digit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 }))
const Attributes = Schema.Literals(["", ".me", ".me.all", ".gfx"])
const Profile = Schema.Struct({ slices: Digit, memory: Digit, isPart: Schema.Boolean, attributes: Attributes })

describe("parts of GPUs in metrics", () => {
  it.prop("have their own names back", [Profile, Schema.Literals(["", ".shared", ".replicas"])], ([drawn, suffix]) => {
    const { attributes, isPart, memory, slices } = drawn
    const name = `nvidia.com/mig-${isPart ? "1c." : ""}${slices}g.${memory}gb${attributes}${suffix}`
    assert.strictEqual(GpuNames.fromMetric(name.replaceAll(/[./-]/g, "_")), name)
  })

  it("are distinguished from whole ones, and from other resources", () => {
    assert.deepStrictEqual(
      GpuNames.sorted([
        ["nvidia_com_gpu", 2],
        ["amd_com_gpu", 1],
        ["nvidia_com_gpu_shared", 8],
        ["nvidia_com_mig_1g_5gb", 7]
      ]),
      { gpus: 3, gpuParts: { "nvidia.com/gpu.shared": 8, "nvidia.com/mig-1g.5gb": 7 } }
    )
    assert.deepStrictEqual(GpuNames.sorted([]), { gpus: 0 })
    assert.isUndefined(GpuNames.fromMetric("nvidia_com_mig_devices"))
  })

  it("and accelerators of the settings are asked for and counted by their own names", () => {
    const names = GpuNames.acceleratorNames(["google.com/tpu", "huawei.com/Ascend910"])
    for (const promql of [
      HistoricalQueries.minutes([], names).nodeCapacity,
      HistoricalQueries.instants([], names).requests
    ]) {
      assert.include(promql, "|google_com_tpu|huawei_com_Ascend910")
    }
    assert.deepStrictEqual(
      GpuNames.sorted(
        [
          ["nvidia_com_gpu", 2],
          ["google_com_tpu", 4],
          ["huawei_com_Ascend910", 1]
        ],
        names
      ),
      { gpus: 2, gpuParts: { "google.com/tpu": 4, "huawei.com/Ascend910": 1 } }
    )
    const hourMs = 0
    const line = (labels: Readonly<Record<string, string>>, value: number) => ({
      labels: { node: "n1", ...labels },
      points: [{ atMs: hourMs + 300_000, value }]
    })
    const [node] = NodesOfHour.read(
      {
        nodes: [line({}, 31)],
        nodeLabels: [],
        nodeCapacity: [line({ resource: "google_com_tpu" }, 8)],
        nodeStarts: [],
        accelerators: names
      },
      hourMs,
      () => true
    )
    assert.deepStrictEqual([node?.gpus, node?.gpuParts], [0, { "google.com/tpu": 8 }])
  })

  it("have the labels that they are counted by", () => {
    assert.deepStrictEqual(
      toLabels({
        label_nvidia_com_gpu_count: "2",
        label_nvidia_com_gpu_replicas: "4",
        label_nvidia_com_mig_1g_5gb_replicas: "3",
        label_eks_amazonaws_com_compute_type: "fargate"
      }),
      {
        "nvidia.com/gpu.count": "2",
        "nvidia.com/gpu.replicas": "4",
        "nvidia.com/mig-1g.5gb.replicas": "3",
        "eks.amazonaws.com/compute-type": "fargate"
      }
    )
  })
})
