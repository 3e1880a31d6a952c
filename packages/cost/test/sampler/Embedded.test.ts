import { Breaker, Heartbeat } from "@quarterdeck/cluster-fanout"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import * as KubeconfigRegistry from "@quarterdeck/cluster-fanout/registry/KubeconfigRegistry"
import { Embedded, eventually, FakeKubelet, Fleet, Usage } from "@quarterdeck/harness"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Option } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { CostSampler } from "../../src/sampler/CostSampler.ts"
import { Recommender } from "../../src/savings/Recommender.ts"
import { SamplerSettings } from "../../src/sampler/SamplerSettings.ts"
import { UsageSources } from "../../src/sampler/UsageSources.ts"
import * as MetricsApi from "../../src/usage/MetricsApi.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { measured, onDisk } from "./sampling.ts"

const HUB = ClusterName.make("hub")

const samplerOn = Effect.fnUntraced(function* (kubeconfig: string) {
  const directory = yield* temporaryDirectory
  const file = join(directory, "kubeconfig.yaml")
  yield* Effect.promise(() => writeFile(file, kubeconfig, { mode: 0o600 }))
  const clusters = ClusterCache.layer.pipe(
    Layer.provideMerge(Breaker.Breakers.layer),
    Layer.provideMerge(Layer.mergeAll(KubeconfigRegistry.layer({ files: [file] }), KubeApi.layer))
  )
  const usage = Layer.effect(
    UsageSources,
    Effect.map(MetricsApi.make, (source) => UsageSources.of({ of: () => source }))
  )
  const settings = yield* SamplerSettings
  const heartbeat = yield* Heartbeat.HeartbeatLimits
  const layer = CostSampler.layer.pipe(
    Layer.provide(Layer.mergeAll(usage, Recommender.layer)),
    Layer.provide([clusters, onDisk(directory), NodeServices.layer]),
    Layer.provide(NodeServices.layer),
    // A quiet cluster is seen up to its last heartbeat.
    Layer.provide(Layer.succeed(Heartbeat.HeartbeatLimits, { ...heartbeat, intervalMs: 1_000 })),
    Layer.provide(Layer.succeed(SamplerSettings, { ...settings, sampleSeconds: 1 }))
  )
  return Context.get(yield* Layer.build(layer), CostSampler)
})

describe("CostSampler on a cluster of its own", () => {
  it.live(
    "charges a pod from its start to its end, with what it used",
    () =>
      Effect.gen(function* () {
        const { parent } = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
        const { api } = parent
        yield* FakeKubelet.start(parent, { schedule: true })
        yield* api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } })
        yield* api.create({
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            name: "web",
            namespace: "default",
            annotations: { [Usage.Annotation.cpu]: "flat 200m", [Usage.Annotation.memory]: "flat 300Mi" }
          },
          spec: {
            containers: [{ name: "main", image: "acme/web:1", resources: { requests: { cpu: "100m" } } }]
          }
        })
        yield* Usage.serve(parent)
        const sampler = yield* samplerOn(parent.kubeconfig)

        const isCharged = yield* eventually(
          "the open hour has the pod with its usage",
          sampler.open(HUB),
          (hour) => {
            const open = Option.getOrUndefined(hour)
            const used = measured(open, "cpuUsedMilliSeconds")["Pod/web"] ?? 0
            return used > 0 && (measured(open, "replicaSeconds")["Pod/web"] ?? 0) >= 3
          },
          { within: "90 seconds" }
        )
        const open = Option.getOrThrow(isCharged)
        assert.isAbove(measured(open, "cpuCostNanos")["Pod/web"] ?? 0, 0)
        assert.isTrue(open.series.some(({ kind, name }) => kind === "__idle__" && name === "node-a"))

        yield* api.delete({ apiVersion: "v1", kind: "Pod", name: "web", namespace: "default" })
        yield* eventually(
          "the pod is charged no longer than the cluster was seen",
          sampler.open(HUB),
          (hour) => {
            const later = Option.getOrUndefined(hour)
            return (later?.knownSeconds ?? 0) > (measured(later, "replicaSeconds")["Pod/web"] ?? 0) + 3
          },
          { within: "90 seconds" }
        )
      }).pipe(Effect.scoped),
    240_000
  )
})
