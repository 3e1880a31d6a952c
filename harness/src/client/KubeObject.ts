/** Kubernetes objects as plain values, and how they are named. */
import { Schema } from "effect"

const Labels = Schema.Record(Schema.String, Schema.String)

const Owner = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  uid: Schema.String,
  controller: Schema.optionalKey(Schema.Boolean),
  blockOwnerDeletion: Schema.optionalKey(Schema.Boolean)
})

/** The metadata of an object. */
export const ObjectMeta = Schema.StructWithRest(
  Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    generateName: Schema.optionalKey(Schema.String),
    namespace: Schema.optionalKey(Schema.String),
    uid: Schema.optionalKey(Schema.String),
    resourceVersion: Schema.optionalKey(Schema.String),
    labels: Schema.optionalKey(Labels),
    annotations: Schema.optionalKey(Labels),
    ownerReferences: Schema.optionalKey(Schema.Array(Owner))
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** Any object of the API: the fields that all kinds share, and whatever else it has. */
export const KubeObject = Schema.StructWithRest(
  Schema.Struct({
    apiVersion: Schema.String,
    kind: Schema.String,
    metadata: ObjectMeta
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type KubeObject = typeof KubeObject.Type
export type OwnerReference = typeof Owner.Type

/** A kind, in one namespace or in all of them. */
export interface KindRef {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
}

/** One object. */
export interface ObjectRef extends KindRef {
  readonly name: string
}

/** A page of a list; `items` carry `apiVersion` and `kind`, which the server leaves out. */
export interface KubeList {
  readonly items: ReadonlyArray<KubeObject>
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/**
 * One event of a watch.
 *
 * **Shape** an `ERROR` carries the server's Status and is the last event; a `BOOKMARK` carries only a resource version
 * and, once, the annotation `k8s.io/initial-events-end`.
 */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"
  readonly object: KubeObject
}

/** The reference to an object that the server has stored. */
export const refOf = (object: KubeObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name ?? "",
  ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace })
})
