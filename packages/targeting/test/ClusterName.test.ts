import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClusterName from "../src/ClusterName.ts"

describe("ClusterName", () => {
  it.each([["prod"], ["Prod-EU.1_a"], ["a"], ["a".repeat(253)], ["gke_proj_europe-west1-b_main"]])(
    "accepts %s",
    (text) => {
      assert.isTrue(ClusterName.is(text))
    }
  )

  it.each([[""], ["-a"], ["a-"], [".a"], ["a|b"], ["*"], ['"a"'], ["a b"], ["a,b"], ["ä"], ["a".repeat(254)], ["a\n"]])(
    "refuses %j",
    (text) => {
      assert.isFalse(ClusterName.is(text))
    }
  )

  it.each([
    ["kubernetes-admin@kubernetes", "kubernetes-admin-kubernetes"],
    ["arn:aws:eks:eu-west-1:123456789012:cluster/prod", "arn-aws-eks-eu-west-1-123456789012-cluster-prod"],
    ["gke_proj_europe-west1-b_main", "gke_proj_europe-west1-b_main"],
    ["default/api-crc-testing:6443/kubeadmin", "default-api-crc-testing-6443-kubeadmin"],
    ["k3d-dev", "k3d-dev"],
    ["kind-dev", "kind-dev"]
  ])("makes of the context %s the name %s", (context, name) => {
    assert.strictEqual<string | undefined>(ClusterName.fromText(context), name)
  })

  it("makes no name of a text that has no letter or digit", () => {
    assert.isUndefined(ClusterName.fromText("@@/::"))
  })

  it.prop("makes a name or nothing of any text, and leaves a name as it is", [Schema.String], ([text]) => {
    const name = ClusterName.fromText(text)
    if (ClusterName.is(text)) assert.strictEqual(name, text)
    if (name !== undefined) assert.isTrue(ClusterName.is(name))
  })
})
