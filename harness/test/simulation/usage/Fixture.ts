/** A cluster whose pods have curves that a test knows. */
import { Effect } from "effect"
import { eventually } from "../../../src/machine/Eventually.ts"
import * as FakeKubelet from "../../../src/simulation/kubelet/FakeKubelet.ts"
import type { FleetCluster } from "../../../src/fleet/FleetCluster.ts"
import type { KubeObject } from "../../../src/client/KubeObject.ts"
import * as Usage from "../../../src/simulation/usage/Usage.ts"
import { at } from "../../conformance/Fixture.ts"

export const NODE = "node-a"
/** Every character that text formats have to escape. */
export const OS_IMAGE = 'Acme "Linux" \\ 1\n2'
const TEN_MINUTES_MS = 600_000

/** Busy and quiet again within ten minutes, so that a wrong window shows. */
export const CPU: Usage.Curve = { _tag: "Wave", low: 0.2, high: 0.9, periodMs: TEN_MINUTES_MS, peakMs: 0 }
export const MEMORY: Usage.Curve = Usage.flat(300 * 2 ** 20)
export const SIDE_CPU: Usage.Curve = Usage.flat(0.05)

/** Makes a node, a Deployment's pod `web` with two containers and known curves, and a Job's pod that has ended. */
export const populate = Effect.fnUntraced(function* (cluster: FleetCluster) {
  const { api } = cluster
  yield* FakeKubelet.start(cluster, { schedule: true })
  yield* api.create({ apiVersion: "v1", kind: "Node", metadata: { name: NODE, labels: { "acme.io/rackName": "r1" } } })
  const node = { apiVersion: "v1", kind: "Node", name: NODE }
  const isKept = (seen: KubeObject) => String(at(seen, "status", "nodeInfo", "kubeletVersion")).startsWith("v")
  yield* eventually("the kubelet keeps the node", api.get(node), isKept, { within: "30 seconds" })
  yield* api.patch(node, { status: { nodeInfo: { osImage: OS_IMAGE } } }, { subresource: "status" })
  const container = (name: string) => ({
    name,
    image: `acme/${name}:1`,
    resources: { requests: { cpu: "500m", memory: "256Mi" }, limits: { cpu: "2", memory: "1Gi" } }
  })
  yield* api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      namespace: "default",
      labels: { app: "web", "acme.io/team": "shop" },
      annotations: {
        [Usage.Annotation.cpu]: Usage.print(CPU),
        [Usage.Annotation.memory]: Usage.print(MEMORY),
        [`${Usage.Annotation.cpu}.side`]: Usage.print(SIDE_CPU)
      }
    },
    spec: { containers: [container("main"), container("side")] }
  })
  yield* api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "done", namespace: "default", annotations: { [FakeKubelet.Annotation.runFor]: "0s" } },
    spec: { restartPolicy: "Never", containers: [container("main")] }
  })
  const phase = (name: string, wanted: string) =>
    eventually(
      `${name} is ${wanted}`,
      api.get({ apiVersion: "v1", kind: "Pod", namespace: "default", name }),
      (pod) => at(pod, "status", "phase") === wanted,
      { within: "30 seconds" }
    )
  yield* phase("web", "Running")
  yield* phase("done", "Succeeded")
})
