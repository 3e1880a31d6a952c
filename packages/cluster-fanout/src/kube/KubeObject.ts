/**
 * The objects of Kubernetes as they come over the wire, and what a watch tells of them.
 */

/** A collection. **Example** `{ group: "apps", version: "v1", plural: "deployments", kind: "Deployment" }` */
export interface Resource {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

/**
 * An object as the server wrote it, `kind` and `apiVersion` possibly absent in lists. Read it by projection only.
 *
 * **Shape** `uid` and `resourceVersion` are empty for computed objects, such as those of `metrics.k8s.io`.
 */
export interface KubeObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: ReadonlyArray<{
      readonly apiVersion: string
      readonly kind: string
      readonly name: string
      readonly uid: string
      readonly controller?: boolean
    }>
  }
  readonly [field: string]: unknown
}

/** Where to read. **Shape** `namespace` absent reads the whole cluster. */
export interface Scope {
  readonly resource: Resource
  readonly namespace?: string
}

/**
 * What a watch tells.
 *
 * **Shape** `Synced` ends the initial state: what is absent from it no longer exists. `Bookmark` proves that the view
 * is current. `Restart` says that a new initial state begins. `Resumed` says of a collection that is followed from a version on
 * that all is told that happened until it was asked for.
 */
export type WatchEvent =
  | { readonly _tag: "Put"; readonly object: KubeObject }
  | { readonly _tag: "Delete"; readonly object: KubeObject }
  | { readonly _tag: "Synced"; readonly resourceVersion: string }
  | { readonly _tag: "Bookmark"; readonly resourceVersion: string }
  | { readonly _tag: "Restart" }
  | { readonly _tag: "Resumed" }
