/**
 * Speaks to the API server of any registered cluster: paged lists, watches, single reads.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Stream } from "effect"
import type { Cluster } from "./Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"

/** A collection. **Example** `{ group: "apps", version: "v1", plural: "deployments", kind: "Deployment" }` */
export interface Resource {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

/** An object as the server wrote it, `kind` and `apiVersion` possibly absent in lists. Read it by projection only. */
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
 * is current. `Expired` says that a new initial state begins.
 */
export type WatchEvent =
  | { readonly _tag: "Put"; readonly object: KubeObject }
  | { readonly _tag: "Delete"; readonly object: KubeObject }
  | { readonly _tag: "Synced"; readonly resourceVersion: string }
  | { readonly _tag: "Bookmark"; readonly resourceVersion: string }
  | { readonly _tag: "Restart" }

export interface ServerVersion {
  readonly major: number
  readonly minor: number
  /** **Example** `v1.36.3` */
  readonly gitVersion: string
}

export class KubeApi extends Context.Service<KubeApi, {
  /** Reads `/version`. */
  readonly version: (cluster: Cluster) => Effect.Effect<ServerVersion, ClusterError>
  /**
   * Lists page by page (500 objects), each page an array, at one resource version.
   *
   * **Limits** an expired continue token restarts nothing: it fails with `ClusterExpired`.
   */
  readonly list: (cluster: Cluster, scope: Scope, options?: {
    readonly labelSelector?: string
    readonly fieldSelector?: string
    /** Asks for metadata only (`PartialObjectMetadata`). */
    readonly metadataOnly?: boolean
  }) => Stream.Stream<ReadonlyArray<KubeObject>, ClusterError>
  /** Reads one object. **Errors** `ClusterError`; absent objects give `undefined`. */
  readonly get: (cluster: Cluster, scope: Scope, name: string) => Effect.Effect<KubeObject | undefined, ClusterError>
  /**
   * Follows a collection until it fails: initial state (watch-list where the server offers it, else paged list), then
   * events; reconnects a watch that ended cleanly, and begins anew (`Restart`) on 410.
   *
   * **Limits** one connection of the watch pool; a stream without any byte for 150 s fails with `ClusterTimeout`.
   */
  readonly follow: (cluster: Cluster, scope: Scope) => Stream.Stream<ReadonlyArray<WatchEvent>, ClusterError>
}>()("@quarterdeck/cluster-fanout/KubeApi") {}
