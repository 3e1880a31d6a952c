/** Objects as an API server writes them, with as little as a test needs to say. */
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"

interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Where it is not that of the object of its kind and name. */
  readonly uid?: string
}

const object = (kind: string, name: string, more: Readonly<Record<string, unknown>>, owner?: Owner): KubeObject => ({
  metadata: {
    name,
    namespace: "shop",
    uid: `${kind}/${name}`,
    resourceVersion: "1",
    creationTimestamp: "2026-03-01T00:00:00Z",
    labels: { app: name.split("-")[0] ?? name },
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ uid: `${owner.kind}/${owner.name}`, ...owner, controller: true }] })
  },
  ...more
})

const template = { spec: { containers: [{ name: "main", image: "web:1" }] } }

export const node = (name: string): KubeObject => ({
  ...object("Node", name, {
    spec: { providerID: `aws:///eu-central-1a/${name}` },
    status: {
      capacity: { cpu: "4", memory: "16Gi" },
      allocatable: { cpu: "3900m", memory: "15Gi" },
      conditions: [{ type: "Ready", status: "True" }]
    }
  })
})

/** A Deployment and its ReplicaSet. */
export const deployment = (name: string): { readonly deployment: KubeObject; readonly replicaSet: KubeObject } => ({
  deployment: object("Deployment", name, { spec: { replicas: 1, template }, status: {} }),
  replicaSet: object(
    "ReplicaSet",
    `${name}-1`,
    { spec: { replicas: 1, template }, status: {} },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      name
    }
  )
})

export const job = (name: string, cronJob?: string): KubeObject =>
  object(
    "Job",
    name,
    { spec: { template }, status: {} },
    cronJob === undefined ? undefined : { apiVersion: "batch/v1", kind: "CronJob", name: cronJob }
  )

export const cronJob = (name: string): KubeObject =>
  object("CronJob", name, { spec: { jobTemplate: { spec: { template } } }, status: {} })

export interface Ran {
  readonly from: string
  readonly to?: string
  readonly reason?: string
}

/** A pod that asks for a tenth of a core and 64 MiB, unless it says otherwise. **Shape** times are of the test's day, such as `10:07:30`. */
export const pod = (
  name: string,
  ran: Ran | undefined,
  more: { readonly owner?: Owner; readonly claim?: string; readonly before?: Ran; readonly memory?: string } = {}
): KubeObject =>
  object(
    "Pod",
    name,
    {
      spec: {
        nodeName: "n1",
        containers: [
          { name: "main", image: "web:1", resources: { requests: { cpu: "100m", memory: more.memory ?? "64Mi" } } }
        ],
        ...(more.claim === undefined
          ? {}
          : { volumes: [{ name: "data", persistentVolumeClaim: { claimName: more.claim } }] })
      },
      status: {
        phase: ran === undefined ? "Pending" : ran.to === undefined ? "Running" : "Succeeded",
        containerStatuses: [
          {
            name: "main",
            ...(ran === undefined ? {} : { state: stateOf(ran) }),
            ...(more.before === undefined ? {} : { lastState: stateOf(more.before) })
          }
        ]
      }
    },
    more.owner
  )

export const DAY = "2026-03-02"
export const at = (time: string): number => Date.parse(`${DAY}T${time}Z`)

const stateOf = ({ from, reason, to }: Ran) =>
  to === undefined
    ? { running: { startedAt: `${DAY}T${from}Z` } }
    : { terminated: { startedAt: `${DAY}T${from}Z`, finishedAt: `${DAY}T${to}Z`, reason: reason ?? "Completed" } }

export const ofDeployment = (name: string): Owner => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-1` })

export const claim = (name: string, volume: string, storage = "10Gi"): KubeObject =>
  object("PersistentVolumeClaim", name, {
    spec: { volumeName: volume, storageClassName: "fast", resources: { requests: { storage } } }
  })

export const volume = (name: string, claimName: string): KubeObject =>
  object("PersistentVolume", name, {
    spec: {
      capacity: { storage: "12Gi" },
      storageClassName: "fast",
      claimRef: { uid: `PersistentVolumeClaim/${claimName}`, name: claimName, namespace: "shop" }
    }
  })

export const loadBalancer = (name: string, app: string): KubeObject =>
  object("Service", name, { spec: { type: "LoadBalancer", selector: { app } } })
