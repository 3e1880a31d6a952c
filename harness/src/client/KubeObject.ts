/** Kubernetes objects as plain values, and references to them. */
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

/** Any object of the API: the fields that all kinds share, and any others. */
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

/** A reference to a single object. */
export interface ObjectRef extends KindRef {
  readonly name: string
}

/** A page of a list. `items` have the `apiVersion` and `kind` that the server leaves out. */
export interface KubeList {
  readonly items: ReadonlyArray<KubeObject>
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/**
 * One event of a watch.
 *
 * **Shape** an `ERROR` holds the server's Status and is the last event. A `BOOKMARK` holds only a resource version; the
 * one that ends the initial list has the annotation `k8s.io/initial-events-end`.
 */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"
  readonly object: KubeObject
}

/** Returns the reference to an object that the server has stored. */
export const refOf = (object: KubeObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name ?? "",
  ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace })
})
