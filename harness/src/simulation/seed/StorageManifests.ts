/** Storage of seeded workloads: class, claims and volumes. */
import type { KubeObject } from "../../client/KubeObject.ts"
import type { PodPlan, WorkloadPlan } from "./ClusterPlan.ts"
import type { Cloud } from "./Hardware.ts"
import { claimName, labelsOf, VOLUME } from "./PodManifests.ts"

const ACCESS_MODES = ["ReadWriteOnce"]

export const storageClass = ({ storage }: Cloud): KubeObject => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: storage.className, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: storage.csiDriver,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true
})

const claimSpec = (className: string, gib: number) => ({
  accessModes: ACCESS_MODES,
  storageClassName: className,
  resources: { requests: { storage: `${gib}Gi` } }
})

/** Returns the claim template of a StatefulSet. */
export const claimTemplate = (className: string, gib: number) => ({
  metadata: { name: VOLUME },
  spec: claimSpec(className, gib)
})

/** Returns the claim of one replica, bound to its volume. */
export const claim = (plan: WorkloadPlan, pod: PodPlan, { storage }: Cloud, gib: number): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: claimName(pod), namespace: plan.namespace, labels: labelsOf(plan) },
  spec: { ...claimSpec(storage.className, gib), volumeName: volumeName(plan, pod) }
})

export const claimStatus = (gib: number) => ({
  phase: "Bound",
  accessModes: ACCESS_MODES,
  capacity: { storage: `${gib}Gi` }
})

/** Returns the volume that the cloud provisioned for a claim. */
export const volume = (
  plan: WorkloadPlan,
  pod: PodPlan,
  { storage }: Cloud,
  { claimUid, gib }: { readonly claimUid: string | undefined; readonly gib: number }
): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: volumeName(plan, pod) },
  spec: {
    capacity: { storage: `${gib}Gi` },
    accessModes: ACCESS_MODES,
    persistentVolumeReclaimPolicy: "Delete",
    storageClassName: storage.className,
    claimRef: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      namespace: plan.namespace,
      name: claimName(pod),
      ...(claimUid === undefined ? {} : { uid: claimUid })
    },
    csi: { driver: storage.csiDriver, volumeHandle: `vol-${plan.hash}-${pod.name}` }
  }
})

export const volumeStatus = { phase: "Bound" } as const

const volumeName = (plan: WorkloadPlan, pod: PodPlan): string => `pvc-${plan.hash}-${pod.name}`
