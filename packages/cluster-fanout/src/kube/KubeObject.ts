/**
 * Kubernetes objects as received from the server, and the events of a watch.
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
 * An object as the server sent it. In lists, `kind` and `apiVersion` may be absent. Read it only through projections.
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

/** The collection to read. **Shape** without `namespace`, the whole cluster. */
export interface Scope {
  readonly resource: Resource
  readonly namespace?: string
}

/**
 * An event of a watch.
 *
 * **Shape** `Synced` ends the initial state: objects missing from it no longer exist. `Bookmark` proves that the view
 * is current. `Restart` announces a new initial state. `Resumed` ends the events that were missed before the watch was
 * resumed.
 */
export type WatchEvent =
  | { readonly _tag: "Put"; readonly object: KubeObject }
  | { readonly _tag: "Delete"; readonly object: KubeObject }
  | { readonly _tag: "Synced"; readonly resourceVersion: string }
  | { readonly _tag: "Bookmark"; readonly resourceVersion: string }
  | { readonly _tag: "Restart" }
  | { readonly _tag: "Resumed" }
