/** Services of seeded workloads. */
import type { KubeObject } from "../../client/KubeObject.ts"
import type { WorkloadPlan } from "./ClusterPlan.ts"
import type { Cloud } from "./Hardware.ts"
import { labelsOf, selectorOf } from "./PodManifests.ts"

const PORT = 80

/** Returns a workload's Service: a load balancer, a StatefulSet's headless Service, or none. */
export const service = (plan: WorkloadPlan): KubeObject | undefined => {
  const { isPublic, kind, name } = plan.template
  if (isPublic !== true && kind !== "StatefulSet") return undefined
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: plan.namespace, labels: labelsOf(plan) },
    spec: {
      ...(isPublic === true ? { type: "LoadBalancer" } : { clusterIP: "None" }),
      selector: selectorOf(plan),
      ports: [{ name: "http", port: PORT }]
    }
  }
}

/** Returns the status of a load balancer with its address. */
export const loadBalancerStatus = (plan: WorkloadPlan, cloud: Cloud, at: number) => ({
  loadBalancer: { ingress: [cloud.loadBalancer(plan.template.name, at)] }
})
