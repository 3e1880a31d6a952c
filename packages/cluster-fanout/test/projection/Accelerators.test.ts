import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import * as Interner from "../../src/projection/Interner.ts"
import * as Projection from "../../src/projection/Projection.ts"

const placeWith = (...accelerators: ReadonlyArray<string>) => ({
  cluster: ClusterName.make("c1"),
  interner: Interner.make(),
  accelerators
})

const object = (rest: Pick<KubeObject, "spec" | "status">): KubeObject => ({
  metadata: { uid: "uid-1", name: "one", namespace: "shop", resourceVersion: "1" },
  ...rest
})

const nodeWith = (capacity: Readonly<Record<string, string>>, ...accelerators: ReadonlyArray<string>) => {
  const { gpuParts, gpus, unchargedAccelerators } = Projection.project(
    "Node",
    object({ spec: {}, status: { capacity } }),
    placeWith(...accelerators)
  )
  return { gpuParts, gpus, unchargedAccelerators }
}

const podWith = (spec: Readonly<Record<string, unknown>>, ...accelerators: ReadonlyArray<string>) =>
  Projection.project("Pod", object({ spec, status: {} }), placeWith(...accelerators))

describe("accelerators", () => {
  it("that the settings name are counted by their names, on nodes and in pods", () => {
    assert.deepStrictEqual(nodeWith({ "google.com/tpu": "8" }, "google.com/tpu"), {
      gpus: 0,
      gpuParts: { "google.com/tpu": 8 },
      unchargedAccelerators: undefined
    })
    const container = { name: "train", resources: { limits: { "google.com/tpu": "4", "habana.ai/gaudi": "1" } } }
    const { containers } = podWith({ containers: [container] }, "google.com/tpu")
    assert.deepStrictEqual(
      containers.map(({ gpuParts, gpus }) => ({ gpuParts, gpus })),
      [{ gpus: 0, gpuParts: { "google.com/tpu": 4 } }]
    )
  })

  it("that stand for GPUs anyway are counted once", () => {
    assert.deepStrictEqual(nodeWith({ "nvidia.com/gpu": "2" }, "nvidia.com/gpu"), {
      gpus: 2,
      gpuParts: undefined,
      unchargedAccelerators: undefined
    })
  })

  it.each([
    { capacity: { "google.com/tpu": "8" }, names: ["google.com/tpu"] },
    {
      capacity: { "huawei.com/Ascend910": "8", "habana.ai/gaudi": "1" },
      names: ["habana.ai/gaudi", "huawei.com/Ascend910"]
    },
    { capacity: { "google.com/tpu": "0" }, names: undefined },
    { capacity: { "devices.kubevirt.io/kvm": "1k", "rdma/hca": "2", "example.com/input": "1" }, names: undefined },
    { capacity: { "gpu.intel.com/i915": "1", "gpu.intel.com/gpu_tiles": "2" }, names: undefined },
    { capacity: { "aws.amazon.com/neuron": "1", "aws.amazon.com/neuroncore": "2" }, names: undefined }
  ])("that are not charged are named: $names", ({ capacity, names }) => {
    assert.deepStrictEqual(nodeWith(capacity, "aws.amazon.com/neuron").unchargedAccelerators, names)
  })

  it("are reported for pods that have ResourceClaims", () => {
    assert.isTrue(podWith({ resourceClaims: [{ name: "gpu", resourceClaimName: "one" }] }).hasResourceClaims)
    assert.isFalse(podWith({}).hasResourceClaims)
  })
})
