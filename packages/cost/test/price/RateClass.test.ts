import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RateClass from "../../src/price/RateClass.ts"

const fromLabels = (labels: Record<string, string>, providerId = "") => RateClass.fromNode({ labels, providerId })

describe("the price class of a node", () => {
  it("has provider, region, instance type, capacity and GPU", () => {
    assert.deepStrictEqual(
      fromLabels(
        {
          "topology.kubernetes.io/region": "eu-central-1",
          "node.kubernetes.io/instance-type": "g5.12xlarge",
          "karpenter.sh/capacity-type": "spot",
          "nvidia.com/gpu.product": "NVIDIA-A10G"
        },
        "aws:///eu-central-1a/i-0abc"
      ),
      {
        provider: "aws",
        region: "eu-central-1",
        instanceType: "g5.12xlarge",
        capacity: "spot",
        gpuModel: "NVIDIA-A10G"
      }
    )
  })

  it("is empty and on demand for a node that says nothing", () => {
    assert.deepStrictEqual(fromLabels({}), RateClass.unknown)
  })

  it("reads labels from before Kubernetes 1.17, the present ones first", () => {
    const old = {
      "failure-domain.beta.kubernetes.io/region": "us-east-1",
      "beta.kubernetes.io/instance-type": "m5.large"
    }
    assert.include(fromLabels(old), { region: "us-east-1", instanceType: "m5.large" })
    assert.include(fromLabels({ ...old, "topology.kubernetes.io/region": "us-east-2" }), { region: "us-east-2" })
  })

  it.each([
    [{ "eks.amazonaws.com/compute-type": "fargate" }, "aws:///eu-west-1a/0a/fargate-ip-10-0-0-1", "fargate"],
    [{}, "aws:///eu-west-1a/0a/fargate-ip-10-0-0-1", "fargate"],
    [{ "eks.amazonaws.com/compute-type": "ec2" }, "aws:///eu-west-1a/i-0abc", ""],
    [{ "node.kubernetes.io/instance-type": "e2-medium" }, "gce://acme/europe-west3-a/gk3-prod-1", "autopilot"],
    [{ "cloud.google.com/compute-class": "Balanced" }, "gce://acme/europe-west3-a/gk3-prod-1", "autopilot"],
    [{ "cloud.google.com/compute-class": "Performance" }, "gce://acme/europe-west3-a/gk3-prod-1", ""],
    [{ "cloud.google.com/gke-accelerator": "nvidia-l4" }, "gce://acme/europe-west3-a/gk3-prod-1", ""],
    [{}, "gce://acme/europe-west3-a/gke-prod-gk3-1", ""]
  ])("%j at %s is of instance type %j", (labels: Record<string, string>, providerId, instanceType) => {
    const rateClass = fromLabels(labels, providerId)
    assert.strictEqual(rateClass.instanceType, instanceType)
    assert.strictEqual(RateClass.isByRequest(rateClass), instanceType !== "")
  })

  it.each([
    ["aws:///eu-central-1a/i-0abc", "aws"],
    ["gce://acme/us-east1-b/node-1", "gcp"],
    ["azure:///subscriptions/x/resourceGroups/y/providers/Microsoft.Compute/virtualMachines/z", "azure"],
    ["ocid1.instance.oc1.phx.abc", "oracle"],
    ["hcloud://123", "hcloud"],
    ["kind://docker/kind/kind-control-plane", "kind"],
    ["k3s://node-1", "k3s"],
    ["node-1", ""]
  ])("%s is of provider %j", (providerId, provider) => {
    assert.strictEqual(fromLabels({}, providerId).provider, provider)
  })

  it.each([
    ["eks.amazonaws.com/nodegroup", "aws"],
    ["cloud.google.com/gke-nodepool", "gcp"],
    ["kubernetes.azure.com/agentpool", "azure"]
  ])("a node without providerID but with %s is of %s", (label, provider) => {
    assert.strictEqual(fromLabels({ [label]: "a" }).provider, provider)
  })

  it.each([
    ["karpenter.sh/capacity-type", "spot"],
    ["eks.amazonaws.com/capacityType", "SPOT"],
    ["cloud.google.com/gke-spot", "true"],
    ["cloud.google.com/gke-preemptible", "true"],
    ["cloud.google.com/gke-provisioning", "spot"],
    ["kubernetes.azure.com/scalesetpriority", "spot"],
    ["oci.oraclecloud.com/oke-is-preemptible", "true"],
    ["node.alibabacloud.com/spot-strategy", "SpotAsPriceGo"],
    ["machine.openshift.io/interruptible-instance", ""],
    ["spotinst.io/node-lifecycle", "spot"],
    ["scheduling.cast.ai/spot", "true"],
    ["node.kubernetes.io/lifecycle", "spot"]
  ])("%s=%s is spot", (label, value) => {
    assert.strictEqual(fromLabels({ [label]: value }).capacity, "spot")
  })

  it.each([
    ["karpenter.sh/capacity-type", "on-demand"],
    ["karpenter.sh/capacity-type", "reserved"],
    ["eks.amazonaws.com/capacityType", "ON_DEMAND"],
    ["eks.amazonaws.com/capacityType", "CAPACITY_BLOCK"],
    ["cloud.google.com/gke-spot", "false"],
    ["cloud.google.com/gke-provisioning", "standard"],
    ["kubernetes.azure.com/scalesetpriority", "regular"],
    ["node.alibabacloud.com/spot-strategy", "NoSpot"],
    ["spotinst.io/node-lifecycle", "od"],
    ["node.kubernetes.io/lifecycle", "normal"]
  ])("%s=%s is on demand", (label, value) => {
    assert.strictEqual(fromLabels({ [label]: value }).capacity, "onDemand")
  })

  it.each([
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "cloud.google.com/gke-accelerator",
    "eks.amazonaws.com/instance-gpu-name",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.azure.com/sku-gpu-name"
  ])("%s names the GPU", (label) => {
    assert.strictEqual(fromLabels({ [label]: "a100" }).gpuModel, "a100")
  })

  it("does not read what an object inherits", () => {
    const labels: Record<string, string> = {}
    Object.setPrototypeOf(labels, { "cloud.google.com/gke-spot": "true" })
    assert.strictEqual(fromLabels(labels).capacity, "onDemand")
    assert.strictEqual(fromLabels({}, "constructor://x").provider, "constructor")
  })

  it.prop(
    "has one key for equal classes alone",
    [Schema.Tuple([Schema.String, Schema.String]), Schema.Tuple([Schema.String, Schema.String])],
    ([[region, instanceType], [otherRegion, otherType]]) => {
      const one = { ...RateClass.unknown, region, instanceType }
      const other = { ...RateClass.unknown, region: otherRegion, instanceType: otherType }
      const isSame = region === otherRegion && instanceType === otherType
      assert.strictEqual(RateClass.keyOf(one) === RateClass.keyOf(other), isSame)
    }
  )
})
