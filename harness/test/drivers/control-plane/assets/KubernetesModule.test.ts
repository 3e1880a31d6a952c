import { assert, describe, it } from "@effect/vitest"
import { goModFor, stagedIn } from "../../../../src/drivers/control-plane/assets/KubernetesModule.ts"

const RELEASE = { major: 1, minor: 33, patch: 2 }

/** The shape of Kubernetes' own go.mod, with what decides and what must not be mistaken for it. */
const UPSTREAM = `module k8s.io/kubernetes

go 1.24.0

godebug default=go1.24

require (
	github.com/x/y v0.0.0
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.130.1
	k8s.io/kube-openapi v0.0.0-20250318190949-c8a335a9a2ff
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/sample-controller => ./staging/src/k8s.io/sample-controller
)
`

describe("KubernetesModule", () => {
  it("finds the libraries of Kubernetes' own repository, each once, and no other", () => {
    assert.deepStrictEqual(stagedIn(UPSTREAM), ["k8s.io/api", "k8s.io/sample-controller"])
  })

  it("finds those that are required without being replaced", () => {
    assert.deepStrictEqual(stagedIn("require (\n\tk8s.io/kubelet v0.0.0 // indirect\n)\n"), ["k8s.io/kubelet"])
  })

  it("requires the release, replaces its libraries, and keeps its Go version and settings", () => {
    assert.strictEqual(
      goModFor(RELEASE, UPSTREAM),
      `module quarterdeck.internal/control-plane

go 1.24.0

godebug default=go1.24

require k8s.io/kubernetes v1.33.2

replace (
	k8s.io/api => k8s.io/api v0.33.2
	k8s.io/sample-controller => k8s.io/sample-controller v0.33.2
)
`
    )
  })

  it("keeps settings that stand in a block", () => {
    const block = "godebug (\n\tdefault=go1.24\n\tmadvdontneed=1\n)"
    assert.include(goModFor(RELEASE, `module k8s.io/kubernetes\n\ngo 1.24.0\n\n${block}\n`), block)
  })
})
