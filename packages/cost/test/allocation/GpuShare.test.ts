import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as GpuShare from "../../src/allocation/GpuShare.ts"
import { build } from "../../src/allocation/HourBuilder.ts"
import { HOUR_SECONDS } from "../../src/hour/Units.ts"
import { amountOf, container, facts, node, pod } from "./facts.ts"

const MIG = "nvidia.com/mig-"
const parts = (gpuParts: Readonly<Record<string, number>>, gpus = 0) => ({ gpus, gpuParts })
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("a part of a GPU", () => {
  it("counts accelerators of the settings as whole GPUs", () => {
    const tpus = parts({ "google.com/tpu": 4 })
    assert.strictEqual(GpuShare.ofContainer(tpus), 4)
    assert.strictEqual(
      GpuShare.ofNode({ ...tpus, labels: { "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice" } }),
      4
    )
  })

  it.each([
    ["mig-1g.5gb", 1 / 7],
    ["mig-1g.10gb.me", 1 / 7],
    ["mig-3g.20gb", 3 / 7],
    ["mig-1c.3g.20gb", 1 / 7],
    ["mig-7g.80gb", 1],
    ["mig-1g.6gb", 1 / 4],
    ["mig-2g.12gb", 2 / 4],
    ["mig-4g.24gb", 1],
    ["mig-2g.24gb", 2 / 7],
    ["mig-1g.20gb", 1 / 7],
    ["mig-2g.48gb", 2 / 4],
    ["mig-4g.96gb", 1],
    ["mig-1g.24gb", 1 / 7],
    ["mig-1g.24gb.gfx", 1 / 4],
    ["mig-2g.48gb.gfx", 2 / 4],
    ["mig-2g.48gb.me.all", 2 / 4],
    ["mig-99g.1gb", 1],
    ["mig-unheard-of", 1]
  ])("%s is as many of its compute slices as it says", (name, share) => {
    assert.strictEqual(GpuShare.ofContainer(parts({ [`nvidia.com/${name}`]: 1 })), share)
  })

  it("that several share by time is one of its replicas, under either name", () => {
    const labels = { "nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.product": "Tesla-T4-SHARED" }
    assert.strictEqual(GpuShare.ofContainer({ gpus: 1 }, labels), 1 / 4)
    assert.strictEqual(GpuShare.ofContainer(parts({ "nvidia.com/gpu.shared": 2 }), labels), 2 / 4)
    assert.strictEqual(GpuShare.ofNode({ gpus: 8, labels }), 2)
    assert.strictEqual(GpuShare.ofNode({ ...parts({ "nvidia.com/gpu.shared": 8 }), labels }), 2)
    for (const replicas of ["", "0", "-1", "four", "1.5"]) {
      assert.strictEqual(GpuShare.ofContainer({ gpus: 1 }, { "nvidia.com/gpu.replicas": replicas }), 1)
    }
  })

  it("that is a slice, and shared by time too, is a replica of the slice", () => {
    const labels = { [`${MIG}1g.5gb.replicas`]: "2" }
    assert.strictEqual(GpuShare.ofContainer(parts({ [`${MIG}1g.5gb.shared`]: 1 }), labels), 1 / 14)
    assert.strictEqual(GpuShare.ofNode({ ...parts({ [`${MIG}1g.5gb.shared`]: 14 }), labels }), 1)
  })

  it("follows from the product label if all GPUs of a node are partitioned alike", () => {
    const labels = { "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb", "nvidia.com/gpu.count": "16" }
    assert.strictEqual(GpuShare.ofContainer({ gpus: 1 }, labels), 3 / 7)
    assert.strictEqual(GpuShare.ofNode({ gpus: 16, labels }), 8)
  })

  it.each([
    ["1g.24gb", 1 / 4],
    ["1g.24gb.gfx", 1 / 4],
    ["1g.24gb.me.all", 1 / 4],
    ["1g.24gb-me", 1 / 4],
    ["2g.48gb", 2 / 4],
    ["4g.96gb.gfx", 1]
  ])("of an RTX PRO 6000 Blackwell has %s of its four slices", (profile, share) => {
    const product = "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"
    const labels = { "nvidia.com/gpu.product": product }
    assert.strictEqual(GpuShare.ofContainer(parts({ [`${MIG}${profile}`]: 1 }), labels), share)
    const single = { "nvidia.com/gpu.product": `${product}-MIG-${profile}` }
    assert.strictEqual(GpuShare.ofContainer({ gpus: 1 }, single), share)
  })

  it.each([
    ["A100-SXM4-40GB", "1g.5gb", 7],
    ["A100-SXM4-40GB", "1g.5gb.me", 1],
    ["A100-SXM4-40GB", "1g.10gb", 4],
    ["A100-SXM4-40GB", "2g.10gb", 3],
    ["A100-SXM4-40GB", "3g.20gb", 2],
    ["A100-SXM4-40GB", "4g.20gb", 1],
    ["A100-SXM4-40GB", "7g.40gb", 1],
    ["A100-80GB-PCIe", "1g.10gb", 7],
    ["A100-80GB-PCIe", "1g.20gb", 4],
    ["H100-80GB-HBM3", "1g.20gb", 4],
    ["H100-PCIe", "1g.20gb", 4],
    ["H100-NVL", "1g.12gb", 7],
    ["H100-NVL", "1g.24gb", 4],
    ["H100-NVL", "3g.47gb", 2],
    ["GH200-480GB", "1g.24gb", 4],
    ["H200", "1g.18gb", 7],
    ["H200", "1g.35gb", 4],
    ["H200", "2g.35gb", 3],
    ["H200", "3g.71gb", 2],
    ["B200", "1g.23gb", 7],
    ["B200", "1g.45gb", 4],
    ["B200", "7g.180gb", 1],
    ["GB200", "1g.47gb", 4],
    ["GB200", "3g.93gb", 2],
    ["A30", "1g.6gb", 4],
    ["A30", "2g.12gb", 2],
    ["A30", "2g.12gb.me", 1],
    ["RTX-PRO-6000-Blackwell-Server-Edition", "1g.24gb", 4],
    ["RTX-PRO-6000-Blackwell-Server-Edition", "1g.24gb.me.all", 1],
    ["RTX-PRO-6000-Blackwell-Server-Edition", "1g.24gb.gfx", 4],
    ["RTX-PRO-6000-Blackwell-Server-Edition", "2g.48gb", 2],
    ["RTX-PRO-6000-Blackwell-Server-Edition", "4g.96gb", 1],
    ["RTX-PRO-5000-Blackwell", "1g.24gb", 2]
  ])("leaves room on a whole %s for as many %s as NVIDIA says: %i", (product, profile, perGpu) => {
    const labels = { "nvidia.com/gpu.product": `NVIDIA-${product}-MIG-${profile}` }
    assert.strictEqual(GpuShare.ofNode({ gpus: 8 * perGpu, labels }), 8)
    assert.strictEqual(GpuShare.ofNode({ gpus: 8 * perGpu + 1, labels }), 9)
  })

  it("needs room for its memory, if GPUs are partitioned in several ways and no label counts them", () => {
    const cut = parts({ [`${MIG}1g.20gb`]: 6 })
    assert.strictEqual(GpuShare.ofNode({ ...cut, labels: {} }), 2)
    const of80 = { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" }
    assert.strictEqual(GpuShare.ofNode({ ...parts({ [`${MIG}1g.10gb`]: 7 }), labels: of80 }), 1)
    const of40 = { "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB" }
    assert.strictEqual(GpuShare.ofNode({ ...parts({ [`${MIG}1g.10gb`]: 7 }), labels: of40 }), 2)
  })

  it("leaves a node as many GPUs as its label counts, or as its slices need", () => {
    const cut = parts({ [`${MIG}3g.20gb`]: 2, [`${MIG}1g.5gb`]: 7 }, 1)
    assert.strictEqual(GpuShare.ofNode({ ...cut, labels: { "nvidia.com/gpu.count": "4" } }), 4)
    assert.strictEqual(GpuShare.ofNode({ ...cut, labels: {} }), 3)
    assert.strictEqual(GpuShare.ofNode({ ...cut, labels: { "nvidia.com/gpu.count": "1" } }), 3)
  })

  it.prop(
    "comes with the others of its node to no more than the node has",
    [Schema.Array(Schema.Struct({ ones: between(0, 7), twos: between(0, 3), threes: between(0, 2) })), Schema.Boolean],
    ([gpus, isCounted]) => {
      // Seven slices of compute and eight of memory, of which three of compute have four.
      const fitting = gpus.filter(
        ({ ones, threes, twos }) => ones + 2 * twos + 3 * threes <= 7 && ones + 2 * twos + 4 * threes <= 8
      )
      const sum = (count: (one: (typeof fitting)[number]) => number) =>
        fitting.reduce((all, one) => all + count(one), 0)
      const one = parts({
        [`${MIG}1g.5gb`]: sum(({ ones }) => ones),
        [`${MIG}2g.10gb`]: sum(({ twos }) => twos),
        [`${MIG}3g.20gb`]: sum(({ threes }) => threes)
      })
      const labels = isCounted ? { "nvidia.com/gpu.count": String(fitting.length) } : {}
      const whole = GpuShare.ofNode({ ...one, labels })
      assert.isAtMost(GpuShare.ofContainer(one, labels), whole + 1e-9)
      assert.isAtMost(whole, Math.max(1, fitting.length))
    }
  )
})

describe("an hour of a node with parts of GPUs", () => {
  const gpuSeconds = 1_000 * HOUR_SECONDS

  it("charges each pod for its slice, and idle for the rest of the GPU", () => {
    const hour = build(
      facts({
        nodes: [node("node-1", { ...parts({ [`${MIG}3g.20gb`]: 2 }), labels: { "nvidia.com/gpu.count": "1" } })],
        pods: [pod("train-1", { containers: [container(parts({ [`${MIG}3g.20gb`]: 1 }))] })]
      })
    )
    const train = amountOf(hour, "train", "gpuMilliSeconds")
    assert.strictEqual(train, Math.round((gpuSeconds * 3) / 7))
    assert.strictEqual(amountOf(hour, "node-1", "gpuMilliSeconds"), gpuSeconds - train)
  })

  it("charges each pod for its replica of a GPU that is shared by time", () => {
    const hour = build(
      facts({
        nodes: [node("node-1", { gpus: 4, labels: { "nvidia.com/gpu.replicas": "4" } })],
        pods: ["a-1", "b-1", "b-2"].map((name) => pod(name, { containers: [container({ gpus: 1 })] }))
      })
    )
    assert.deepStrictEqual(
      ["a", "b", "node-1"].map((name) => amountOf(hour, name, "gpuMilliSeconds")),
      [gpuSeconds / 4, gpuSeconds / 2, gpuSeconds / 4]
    )
  })
})
