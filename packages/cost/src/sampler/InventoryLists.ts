/**
 * Lists volumes, and services with a load balancer.
 */
import { KindTable, Quantity } from "@quarterdeck/cluster-fanout"
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import type { ClusterError } from "@quarterdeck/cluster-fanout/ClusterError"
import type { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { KubeObject, Resource } from "@quarterdeck/cluster-fanout/KubeObject"
import { Effect, Result, Schema, Stream } from "effect"
import * as VolumeSize from "../allocation/VolumeSize.ts"
import type { InventoryLoadBalancer, InventoryVolume, Listed } from "./Inventory.ts"

const CLAIMS: Resource = {
  group: "",
  version: "v1",
  plural: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true
}
const VOLUMES: Resource = {
  group: "",
  version: "v1",
  plural: "persistentvolumes",
  kind: "PersistentVolume",
  namespaced: false
}
const SERVICES: Resource = { group: "", version: "v1", plural: "services", kind: "Service", namespaced: true }

/** A kind that the cluster does not serve or does not allow to list. */
export interface Refused {
  readonly plural: string
  readonly message: string
}

/**
 * Lists all volumes and load balancers of a cluster once.
 *
 * A volume counts from its creation, with the bytes that its claim requests, or with its capacity while unclaimed. A released
 * volume, whose claim was deleted, is unclaimed. A claim without a volume costs nothing. If volumes cannot be listed, only
 * bound claims count. Services of type LoadBalancer count from their creation, with or without an address. `large` is the
 * number of volumes above the maximum size.
 *
 * **Errors** those of the cluster. Kinds that cannot be listed are returned in `refused`.
 *
 * **Limits** three paged lists.
 */
export const list = Effect.fn("InventoryLists.list")(function* (api: KubeApi["Service"], cluster: Cluster) {
  yield* Effect.annotateCurrentSpan({ cluster: cluster.name })
  const refused: Array<Refused> = []

  const listed = <A>(resource: Resource, read: (object: KubeObject) => A | undefined) =>
    api.list(cluster, { resource }).pipe(
      Stream.runFold(
        (): Array<A> => [],
        (found, page) => {
          for (const object of page) {
            const item = read(object)
            if (item !== undefined) found.push(item)
          }
          return found
        }
      ),
      Effect.catch((error: ClusterError) => {
        if (!KindTable.isMissing(error)) return Effect.fail(error)
        return Effect.sync((): ReadonlyArray<A> | undefined => {
          refused.push({ plural: resource.plural, message: error.message })
          return undefined
        })
      })
    )

  const claims = yield* listed(CLAIMS, readClaim)
  const volumes = yield* listed(VOLUMES, readVolume)
  const loadBalancers = yield* listed(SERVICES, readService)
  const all = joined(claims, volumes)
  const found: Listed = {
    volumes: all?.map((volume) => ({ ...volume, bytes: VolumeSize.bounded(volume.bytes) })),
    loadBalancers
  }
  return { listed: found, refused, large: all?.filter(({ bytes }) => VolumeSize.isLarge(bytes)).length ?? 0 }
})

interface Claim {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly volume: string
  readonly storageClass: string
  readonly bytes: number
  readonly createdAtMs: number
}

interface Volume {
  readonly uid: string
  readonly name: string
  readonly claimUid: string
  readonly claimName: string
  readonly claimNamespace: string
  readonly phase: string
  readonly storageClass: string
  readonly bytes: number
  readonly createdAtMs: number
}

const joined = (
  claims: ReadonlyArray<Claim> | undefined,
  volumes: ReadonlyArray<Volume> | undefined
): ReadonlyArray<InventoryVolume> | undefined => {
  if (volumes === undefined) return claims?.map((claim) => ofClaim(claim))
  const byUid = new Map(claims?.map((claim) => [claim.uid, claim]))
  return volumes.map((volume): InventoryVolume => {
    const claim = byUid.get(volume.claimUid)
    if (claim !== undefined) return { ...ofClaim(claim, volume.createdAtMs), name: volume.name }
    const { bytes, claimName, claimNamespace, claimUid, createdAtMs, name, phase, storageClass, uid } = volume
    // A volume's claim reference remains after the claim is deleted. The claim of a bound volume may be newer than the list.
    const isClaimed = claims === undefined ? phase !== "Released" && phase !== "Failed" : phase === "Bound"
    const subject =
      isClaimed && claimUid !== ""
        ? { uid: claimUid, namespace: claimNamespace, claim: claimName }
        : { uid, namespace: "", claim: "" }
    return { ...subject, name, storageClass, bytes, fromMs: createdAtMs, toMs: null }
  })
}

const ofClaim = (
  { bytes, createdAtMs, name, namespace, storageClass, uid, volume }: Claim,
  fromMs = createdAtMs
): InventoryVolume => ({
  uid,
  namespace,
  claim: name,
  name: volume,
  storageClass,
  bytes,
  fromMs,
  toMs: null
})

const Amounts = Schema.Struct({ storage: Schema.optionalKey(Schema.String) })

const claimOf = Schema.decodeUnknownResult(
  Schema.Struct({
    spec: Schema.Struct({
      volumeName: Schema.NonEmptyString,
      storageClassName: Schema.optionalKey(Schema.String),
      resources: Schema.optionalKey(Schema.Struct({ requests: Schema.optionalKey(Amounts) }))
    })
  })
)

const readClaim = (object: KubeObject): Claim | undefined => {
  const read = Result.getOrUndefined(claimOf(object))
  if (read === undefined) return undefined
  const { resources, storageClassName = "", volumeName } = read.spec
  return {
    ...named(object),
    namespace: object.metadata.namespace ?? "",
    volume: volumeName,
    storageClass: storageClassName,
    bytes: bytesOf(resources?.requests?.storage)
  }
}

const volumeOf = Schema.decodeUnknownResult(
  Schema.Struct({
    spec: Schema.Struct({
      capacity: Schema.optionalKey(Amounts),
      storageClassName: Schema.optionalKey(Schema.String),
      claimRef: Schema.optionalKey(
        Schema.Struct({
          uid: Schema.optionalKey(Schema.String),
          name: Schema.optionalKey(Schema.String),
          namespace: Schema.optionalKey(Schema.String)
        })
      )
    }),
    status: Schema.optionalKey(Schema.Struct({ phase: Schema.optionalKey(Schema.String) }))
  })
)

const readVolume = (object: KubeObject): Volume | undefined => {
  const read = Result.getOrUndefined(volumeOf(object))
  if (read === undefined) return undefined
  const { capacity, claimRef, storageClassName = "" } = read.spec
  return {
    ...named(object),
    claimUid: claimRef?.uid ?? "",
    claimName: claimRef?.name ?? "",
    claimNamespace: claimRef?.namespace ?? "",
    phase: read.status?.phase ?? "",
    storageClass: storageClassName,
    bytes: bytesOf(capacity?.storage)
  }
}

const serviceOf = Schema.decodeUnknownResult(
  Schema.Struct({
    spec: Schema.Struct({
      type: Schema.Literal("LoadBalancer"),
      selector: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
    })
  })
)

const readService = (object: KubeObject): InventoryLoadBalancer | undefined => {
  const read = Result.getOrUndefined(serviceOf(object))
  if (read === undefined) return undefined
  const { createdAtMs, name, uid } = named(object)
  return {
    uid,
    namespace: object.metadata.namespace ?? "",
    name,
    selector: read.spec.selector ?? {},
    fromMs: createdAtMs,
    toMs: null
  }
}

const named = ({ metadata }: KubeObject) => {
  const createdAtMs = Date.parse(metadata.creationTimestamp ?? "")
  return { uid: metadata.uid, name: metadata.name, createdAtMs: Number.isNaN(createdAtMs) ? 0 : createdAtMs }
}

const bytesOf = (text: string | undefined): number =>
  text === undefined
    ? 0
    : Math.max(
        0,
        Result.getOrElse(Quantity.parseUnits(text), () => 0)
      )
