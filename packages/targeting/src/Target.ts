/**
 * The clusters that one request addresses. Resolved once; later code does not read the request's target again.
 */
import { Order, Result } from "effect"
import * as ClusterName from "./ClusterName.ts"
import type { HistoryName } from "./HistoryName.ts"
import { ClusterForbidden, ClusterNotFound } from "./TargetError.ts"
import type { TargetRequest } from "./TargetRequest.ts"

/** The clusters that a key may access: all, including future ones, or the named ones, whether registered or not. */
export type ClusterScope =
  | { readonly _tag: "All" }
  | { readonly _tag: "Only"; readonly names: ReadonlySet<ClusterName.ClusterName> }

export const everyCluster: ClusterScope = { _tag: "All" }
export const onlyClusters = (names: Iterable<ClusterName.ClusterName>): ClusterScope => ({
  _tag: "Only",
  names: new Set(names)
})

/** Returns whether a scope includes a cluster. */
export const reaches = (scope: ClusterScope, cluster: HistoryName): boolean =>
  scope._tag === "All" || (ClusterName.is(cluster) && scope.names.has(cluster))

/**
 * A resolved target.
 *
 * **Shape** `clusters` are registered, in scope and distinct. Named clusters keep the requested order; otherwise the
 * parent cluster is first and the others are sorted by name. Empty only for `all` without a cluster in scope.
 */
export interface Target<Name extends HistoryName = ClusterName.ClusterName> {
  readonly mode: TargetRequest["_tag"]
  readonly clusters: ReadonlyArray<Name>
}

/** The registered clusters at one moment. */
export interface Registered<Name extends HistoryName = ClusterName.ClusterName> {
  readonly parent: ClusterName.ClusterName
  readonly clusters: ReadonlyArray<Name>
}

/**
 * Resolves a requested target within the key's scope.
 *
 * **Errors** `ClusterForbidden` if any name is out of scope, registered or not. Otherwise `ClusterNotFound` if any name
 * is not registered.
 *
 * **Limits** pure; linear in the clusters.
 */
export const resolve = <Name extends HistoryName = ClusterName.ClusterName>(
  request: TargetRequest<Name>,
  scope: ClusterScope,
  registered: Registered<Name | ClusterName.ClusterName>
): Result.Result<Target<Name | ClusterName.ClusterName>, ClusterForbidden | ClusterNotFound> => {
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
      const known: ReadonlySet<HistoryName> = new Set(registered.clusters)
      const unknown = request.names.find((name) => !known.has(name))
      if (unknown !== undefined) return Result.fail(new ClusterNotFound({ cluster: unknown }))
      return Result.succeed({ mode: "Named", clusters: request.names })
    }
  }
}

/** Sorts the parent cluster first, then the others by name. */
export const inOrder = <Name extends HistoryName>({ clusters, parent }: Registered<Name>): ReadonlyArray<Name> => [
  ...clusters.filter((cluster) => cluster === parent),
  ...clusters.filter((cluster) => cluster !== parent).toSorted(Order.String)
]
