/** The fields of a cluster's objects that usage and metrics read, one row per object. */
import { Quantity } from "@quarterdeck/embedded-cluster"
import { Result, Schema } from "effect"
import type { KubeObject } from "../../client/KubeObject.ts"
import { PREFIX } from "../kubelet/PodScript.ts"
import * as Objects from "./ObjectSchemas.ts"

export type Labels = Readonly<Record<string, string>>

/** Fields of every row. **Units** milliseconds since 1970. */
export interface Row {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly labels: Labels
  readonly createdMs: number
  readonly owner?: typeof Objects.Owner.Type
}

export interface ContainerRow {
  readonly name: string
  readonly image: string
  /** Amounts in base units: cores, bytes, counts. */
  readonly requests: Readonly<Record<string, number>>
  readonly limits: Readonly<Record<string, number>>
  readonly ready: boolean
  readonly restarts: number
  /** The present run, or the last one if it has ended. */
  readonly run?: { readonly fromMs: number; readonly toMs?: number }
  readonly waitingReason?: string
  readonly terminatedReason?: string
}

export interface PodRow extends Row {
  /** Only annotations of the harness. */
  readonly annotations: Labels
  readonly node: string
  readonly phase: string
  readonly hostIp: string
  readonly podIp: string
  readonly hostNetwork: boolean
  readonly priorityClass: string
  readonly startMs?: number
  readonly containers: ReadonlyArray<ContainerRow>
  readonly claims: ReadonlyArray<{ readonly volume: string; readonly claim: string }>
}

export interface NodeRow extends Row {
  readonly providerId: string
  readonly unschedulable: boolean
  readonly capacity: Readonly<Record<string, number>>
  readonly allocatable: Readonly<Record<string, number>>
  readonly internalIp: string
  readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string }>
  readonly info: Labels
}

export interface VolumeRow extends Row {
  readonly capacityBytes: number
  readonly storageClass: string
  readonly phase: string
  readonly claimNamespace: string
  readonly claimName: string
  readonly csiDriver: string
  readonly csiHandle: string
}

export interface ClaimRow extends Row {
  readonly requestBytes: number
  readonly storageClass: string
  readonly volume: string
  readonly phase: string
}

export interface ServiceRow extends Row {
  readonly type: string
  readonly clusterIp: string
  readonly externalName: string
  readonly ingress: ReadonlyArray<{ readonly ip: string; readonly hostname: string }>
}

/** Converts an object to its row. Fails if a field is missing or invalid. */
export type Read<A extends Row> = (object: KubeObject) => Result.Result<A, Schema.SchemaError>

const reader = <S extends Schema.Top & { readonly DecodingServices: never }, A extends Row>(
  schema: S,
  toRow: (decoded: S["Type"]) => A
): Read<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  return (object) => Result.map(decode(object), toRow)
}

const base = ({
  creationTimestamp,
  labels = {},
  name,
  namespace = "",
  ownerReferences,
  uid
}: typeof Objects.Metadata.Type): Row => {
  const owner = ownerReferences?.find(({ controller }) => controller === true) ?? ownerReferences?.[0]
  return {
    uid,
    name,
    namespace,
    labels,
    createdMs: Date.parse(creationTimestamp),
    ...(owner === undefined ? {} : { owner })
  }
}

const numbers = (quantities: typeof Objects.Quantities.Type = {}): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([name, value]) => {
      const amount = typeof value === "number" ? value : Quantity.parse(value)
      return amount === undefined ? [] : [[name, amount]]
    })
  )

const runOf = (state: typeof Objects.ContainerState.Type | undefined): ContainerRow["run"] | undefined => {
  const { running, terminated } = state ?? {}
  if (running?.startedAt !== undefined) return { fromMs: Date.parse(running.startedAt) }
  if (typeof terminated?.startedAt !== "string" || typeof terminated.finishedAt !== "string") return undefined
  return { fromMs: Date.parse(terminated.startedAt), toMs: Date.parse(terminated.finishedAt) }
}

const harnessAnnotations = (annotations: Labels = {}): Labels =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => name.startsWith(PREFIX)))

export const readNamed: Read<Row> = reader(Objects.Named, ({ metadata }) => base(metadata))

export const readPod: Read<PodRow> = reader(Objects.Pod, ({ metadata, spec, status }) => {
  const statuses = new Map((status?.containerStatuses ?? []).map((container) => [container.name, container]))
  return {
    ...base(metadata),
    annotations: harnessAnnotations(metadata.annotations),
    node: spec.nodeName ?? "",
    phase: status?.phase ?? "Pending",
    hostIp: status?.hostIP ?? "",
    podIp: status?.podIP ?? "",
    hostNetwork: spec.hostNetwork ?? false,
    priorityClass: spec.priorityClassName ?? "",
    ...(status?.startTime === undefined ? {} : { startMs: Date.parse(status.startTime) }),
    containers: spec.containers.map(({ image = "", name, resources }) => {
      const known = statuses.get(name)
      const run = runOf(known?.state)
      const waiting = known?.state?.waiting?.reason
      const terminated = known?.state?.terminated?.reason
      return {
        name,
        image,
        requests: numbers(resources?.requests),
        limits: numbers(resources?.limits),
        ready: known?.ready ?? false,
        restarts: known?.restartCount ?? 0,
        ...(run === undefined ? {} : { run }),
        ...(waiting === undefined ? {} : { waitingReason: waiting }),
        ...(terminated === undefined ? {} : { terminatedReason: terminated })
      }
    }),
    claims: (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
      persistentVolumeClaim === undefined ? [] : [{ volume: name, claim: persistentVolumeClaim.claimName }]
    )
  }
})

export const readNode: Read<NodeRow> = reader(Objects.Node, ({ metadata, spec, status }) => ({
  ...base(metadata),
  providerId: spec?.providerID ?? "",
  unschedulable: spec?.unschedulable ?? false,
  capacity: numbers(status?.capacity),
  allocatable: numbers(status?.allocatable),
  internalIp: status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "",
  conditions: status?.conditions ?? [],
  info: status?.nodeInfo ?? {}
}))

export const readVolume: Read<VolumeRow> = reader(Objects.Volume, ({ metadata, spec, status }) => ({
  ...base(metadata),
  capacityBytes: numbers(spec.capacity)["storage"] ?? 0,
  storageClass: spec.storageClassName ?? "",
  phase: status?.phase ?? "Pending",
  claimNamespace: spec.claimRef?.namespace ?? "",
  claimName: spec.claimRef?.name ?? "",
  csiDriver: spec.csi?.driver ?? "",
  csiHandle: spec.csi?.volumeHandle ?? ""
}))

export const readClaim: Read<ClaimRow> = reader(Objects.Claim, ({ metadata, spec, status }) => ({
  ...base(metadata),
  requestBytes: numbers(spec.resources?.requests)["storage"] ?? 0,
  storageClass: spec.storageClassName ?? "",
  volume: spec.volumeName ?? "",
  phase: status?.phase ?? "Pending"
}))

export const readService: Read<ServiceRow> = reader(Objects.Service, ({ metadata, spec, status }) => ({
  ...base(metadata),
  type: spec.type ?? "ClusterIP",
  clusterIp: spec.clusterIP ?? "",
  externalName: spec.externalName ?? "",
  ingress: (status?.loadBalancer?.ingress ?? []).map(({ hostname = "", ip = "" }) => ({ ip, hostname }))
}))
