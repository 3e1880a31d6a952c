/**
 * The clusters that one request addresses, resolved once and never read again from the request.
 */
import { Result } from "effect"
import * as ClusterName from "./ClusterName.ts"
import { ClusterForbidden, ClusterNotFound } from "./TargetError.ts"
import type { TargetRequest } from "./TargetRequest.ts"

/** The clusters that a key reaches: all of them, also future ones, or the named ones, registered or not. */
export type ClusterScope =
  | { readonly _tag: "All" }
  | { readonly _tag: "Only"; readonly names: ReadonlySet<ClusterName.ClusterName> }

export const everyCluster: ClusterScope = { _tag: "All" }
export const onlyClusters = (names: Iterable<ClusterName.ClusterName>): ClusterScope => ({
  _tag: "Only",
  names: new Set(names)
})

/** Tells whether a scope reaches a cluster. */
export const reaches = (scope: ClusterScope, cluster: ClusterName.ClusterName): boolean =>
  scope._tag === "All" || scope.names.has(cluster)

/**
 * A resolved target.
 *
 * **Shape** `clusters` are registered, in scope and distinct; as asked when they were named, else the parent first and
 * the others by name. Empty only for `all` with nothing in scope.
 */
export interface Target {
  readonly mode: TargetRequest["_tag"]
  readonly clusters: ReadonlyArray<ClusterName.ClusterName>
}

/** The registered clusters at one instant. */
export interface Registered {
  readonly parent: ClusterName.ClusterName
  readonly clusters: ReadonlyArray<ClusterName.ClusterName>
}

/**
 * Resolves what was asked inside the key's scope.
 *
 * **Errors** `ClusterForbidden` for any name outside the scope, registered or not, before `ClusterNotFound` for any
 * name that is not registered.
 *
 * **Limits** pure; linear in the clusters.
 */
export const resolve = (
  request: TargetRequest,
  scope: ClusterScope,
  registered: Registered
): Result.Result<Target, ClusterForbidden | ClusterNotFound> => {
  switch (request._tag) {
    case "Parent":
      return reaches(scope, registered.parent)
        ? Result.succeed({ mode: "Parent", clusters: [registered.parent] })
        : Result.fail(new ClusterForbidden({}))
    case "All":
      return Result.succeed({
        mode: "All",
        clusters: inOrder(registered).filter((cluster) => reaches(scope, cluster))
      })
    case "Named": {
      const forbidden = request.names.find((name) => !reaches(scope, name))
      if (forbidden !== undefined) return Result.fail(new ClusterForbidden({ cluster: forbidden }))
      const known = new Set(registered.clusters)
      const unknown = request.names.find((name) => !known.has(name))
      if (unknown !== undefined) return Result.fail(new ClusterNotFound({ cluster: unknown }))
      return Result.succeed({ mode: "Named", clusters: request.names })
    }
  }
}

/** Orders the parent first, then the others by name. */
export const inOrder = ({ clusters, parent }: Registered): ReadonlyArray<ClusterName.ClusterName> => [
  ...clusters.filter((cluster) => cluster === parent),
  ...clusters.filter((cluster) => cluster !== parent).toSorted(ClusterName.order)
]
