/** Creates the workloads of the story in the clusters, beside the seeded ones. */
import { type ApiError, type FleetCluster, type Seed, Usage } from "@quarterdeck/harness"
import { Effect } from "effect"
import * as Pasts from "./Pasts.ts"
import type { Tale } from "./Story.ts"

/** Creates the Deployments of the tales that belong to the cluster. Controllers create their pods. */
export const put = Effect.fnUntraced(function* (
  { api, name }: Pick<FleetCluster.FleetCluster, "api" | "name">,
  plan: Seed.ClusterPlan,
  tales: ReadonlyArray<Tale>
): Effect.fn.Return<void, ApiError.ApiError> {
  for (const tale of tales.filter(({ cluster }) => cluster === name)) yield* api.create(deploymentOf(tale, plan))
})

const deploymentOf = (tale: Tale, plan: Seed.ClusterPlan) => {
  const { name, namespace, replicas } = tale
  const labels = Pasts.labelsOf(tale, plan)
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: { "app.kubernetes.io/name": name } },
      template: { metadata: { labels, annotations: annotationsOf(tale) }, spec: podSpec(tale, plan) }
    }
  }
}

const annotationsOf = ({ cpu, memory }: Tale) => ({ [Usage.Annotation.cpu]: cpu, [Usage.Annotation.memory]: memory })

const podSpec = (tale: Tale, plan: Seed.ClusterPlan) => {
  const { cpuRequestMillis, memoryRequestMib, name } = tale
  const nodes = Pasts.nodesFor(tale, plan).map((node) => node.name)
  const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: nodes }] }
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
    containers: [
      {
        name,
        image: Pasts.imageOf(name),
        resources: { requests: { cpu: `${cpuRequestMillis}m`, memory: `${memoryRequestMib}Mi` } }
      }
    ]
  }
}
