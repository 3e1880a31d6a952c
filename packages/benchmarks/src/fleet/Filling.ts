/**
 * The contents of clusters, computed identically for filling them and for checking what is read.
 */
import { Schema } from "effect"
import * as Objects from "../load/Objects.ts"

/**
 * The number of clusters, and the number of deployments and pods in each.
 *
 * **Shape** with `isHeld`, the clusters are unreachable until the command `/open`.
 *
 * **Units** `delayMs`: delay of each answer after the command `/slow`, in milliseconds.
 */
export const Filling = Schema.Struct({
  clusters: Schema.Int,
  deployments: Schema.Int,
  pods: Schema.Int,
  podBytes: Schema.Int,
  delayMs: Schema.Int,
  isHeld: Schema.Boolean
})
export type Filling = typeof Filling.Type

const DIGITS = 3
const UID_DIGITS = 12
const BEGIN_MS = Date.UTC(2026, 0, 1)
const MS_PER_SECOND = 1_000
const SECONDS = 20_000_000
const SPREAD = 15_485_863

export const clusterName = (place: number): string => `cluster-${String(place).padStart(DIGITS, "0")}`

/** Makes a uid from the type and number of an object. */
const uidOf = (what: string, cluster: number, index: number): string =>
  `${what}-0000-4000-8000-${String(cluster * 1_000_000 + index).padStart(UID_DIGITS, "0")}`

const createdAt = (cluster: number, index: number): string =>
  new Date(BEGIN_MS + ((((cluster + 1) * 104_729 + index) * SPREAD) % SECONDS) * MS_PER_SECOND)
    .toISOString()
    .replace(".000Z", "Z")

/** Makes the stored form of a deployment. */
export const deployment = (cluster: number, index: number) => {
  const { object, status } = Objects.deployment(cluster, index)
  const metadata = {
    ...object.metadata,
    uid: uidOf("dddddddd", cluster, index),
    creationTimestamp: createdAt(cluster, index),
    generation: 1
  }
  return { ...object, metadata, status }
}

/** Makes the stored form of a namespace. */
export const namespace = (cluster: number, name: string, index: number) => {
  const object = Objects.namespace(name)
  const labels = { ...object.metadata?.labels, "kubernetes.io/metadata.name": name }
  const metadata = {
    ...object.metadata,
    labels,
    uid: uidOf("aaaaaaaa", cluster, index),
    creationTimestamp: createdAt(cluster, 0)
  }
  return { ...object, metadata, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }
}

/** Makes a pod of about the given size. As in real pods, most bytes are managed fields and an annotation. */
export const pod = (cluster: number, index: number, bytes: number) => {
  const { app, object: owner, spread } = Objects.deployment(cluster, index)
  const { metadata } = owner
  const labels = { ...metadata?.labels, "pod-template-hash": "6d4cf56db6" }
  const name = `${metadata?.name ?? ""}-${index}`
  const node = `node-${index % 50}`
  const startedAt = createdAt(cluster, index)
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: metadata?.namespace,
      labels,
      annotations: { filler: "" },
      uid: uidOf("bbbbbbbb", cluster, index),
      creationTimestamp: startedAt
    },
    spec: {
      nodeName: node,
      containers: Objects.containersOf(spread, app),
      restartPolicy: "Always",
      serviceAccountName: "default"
    },
    status: {
      phase: "Running",
      startTime: startedAt,
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: startedAt
      })),
      containerStatuses: [{ name: "main", ready: true, restartCount: index % 7, state: { running: { startedAt } } }]
    }
  }
  const missing = Math.max(0, bytes - JSON.stringify(object).length)
  object.metadata.annotations.filler = `${name} ${index} `
    .repeat(Math.ceil(missing / (name.length + 2)))
    .slice(0, missing)
  return object
}
