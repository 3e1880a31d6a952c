/**
 * Objects to fill clusters with, the same in every run.
 */
import type { KubeObject } from "@quarterdeck/harness"

const WORDS = ["cart", "search", "payment", "ledger", "report", "session", "image", "mail", "stock", "route"]
const TIERS = ["front", "back", "edge", "batch", "core"]
const NAMESPACES = 20
const DIGITS = 5
/** Multiplier that spreads numbers. It is prime, so it has no factor in common with any count here. */
const SPREAD = 7_919

export const namespaces: ReadonlyArray<string> = Array.from(
  { length: NAMESPACES },
  (_, index) => `team-${String(index).padStart(2, "0")}`
)

/** Returns the label `stage` of a namespace. */
export const stageOf = (name: string): string => (name.endsWith("0") ? "test" : "production")

export const namespace = (name: string): KubeObject.KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { stage: stageOf(name) } }
})

const at = <A>(all: ReadonlyArray<A>, index: number, otherwise: A): A => all[index % all.length] ?? otherwise

/**
 * Makes the deployment with the given number. Names, sizes and images differ, and sorting by each gives another order.
 *
 * **Shape** includes the `status` that a controller would write. One in ten is degraded.
 */
export const deployment = (cluster: number, index: number) => {
  const spread = (index + 1) * SPREAD + cluster * 31
  const app = `${at(WORDS, spread, "")}-${at(TIERS, spread >> 3, "")}`
  const name = `${app}-${String(spread % 10 ** DIGITS).padStart(DIGITS, "0")}-${index}`
  const replicas = spread % 4
  const labels = { app, tier: at(TIERS, spread >> 3, "") }
  const ready = spread % 10 === 0 ? 0 : replicas
  const object: KubeObject.KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: at(namespaces, spread >> 2, ""), labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: containersOf(spread, app)
        }
      }
    }
  }
  const status = {
    observedGeneration: 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready
  }
  return { app, object, replicas, spread, status, cpuMillis: cpuMillisOf(spread), memoryMi: memoryMiOf(spread) }
}

const cpuMillisOf = (spread: number): number => 50 + (spread % 40) * 25
const memoryMiOf = (spread: number): number => 64 + (spread % 23) * 32

/** Makes the containers of a deployment's pods. */
export const containersOf = (index: number, app: string) => [
  {
    name: "main",
    image: `registry.example/shop/${app}:1.${index % 17}`,
    resources: {
      requests: { cpu: `${cpuMillisOf(index)}m`, memory: `${memoryMiOf(index)}Mi` },
      limits: { memory: `${256 + (index % 23) * 64}Mi` }
    }
  }
]
