/** Removes the objects that runs created in an existing cluster. */
import { Effect } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import { listAll } from "../../state/ApiListing.ts"
import { type Listed, nameOf, NAMESPACES } from "../../state/ApiObjects.ts"
import { removeAll } from "../../state/ApiRemoval.ts"
import { CONCURRENCY, discover } from "../../state/ApiResources.ts"
import { isLeftover, RUN, selecting } from "./Marks.ts"

/** The objects removed for one run. */
export interface SweptRun {
  readonly run: string
  /** The removed objects, such as `Namespace ci-1f2e`, in the order in which they were listed. */
  readonly objects: ReadonlyArray<string>
}

/**
 * Removes everything of one run.
 *
 * **Limits** touches only namespaces with the run's label and the name prefix, and cluster-scoped objects with the
 * label.
 */
export const removeRun = Effect.fnUntraced(function* (
  api: ClusterApi,
  prefix: string,
  run: string
): Effect.fn.Return<void, ApiError> {
  yield* removeAll(api, yield* discover(api), yield* marked(api, prefix, selecting(run)))
})

/** Removes the objects of dead runs and returns them. */
export const removeLeftovers = Effect.fnUntraced(function* (
  api: ClusterApi,
  prefix: string,
  olderThanMs: number
): Effect.fn.Return<ReadonlyArray<SweptRun>, ApiError> {
  const found = yield* marked(api, prefix, RUN)
  const leftovers = yield* Effect.filter(found, ({ object }) => isLeftover(object, olderThanMs))
  yield* removeAll(api, yield* discover(api), leftovers)
  const byRun = Map.groupBy(leftovers, ({ object }) => object.metadata.labels?.[RUN] ?? "")
  return [...byRun].map(([run, listed]) => ({
    run,
    objects: listed.map(({ object }) => `${object.kind} ${object.metadata.name}`)
  }))
})

/** Returns the cluster-scoped objects with the labels; namespaces only if they have the prefix. */
const marked = Effect.fnUntraced(function* (api: ClusterApi, prefix: string, labelSelector: string) {
  const wide = (yield* discover(api)).filter(({ namespaced }) => !namespaced)
  const lists = yield* Effect.forEach(wide, (resource) => listAll(api, resource, { labelSelector }), {
    concurrency: CONCURRENCY
  })
  const isOurs = ({ object, resource }: Listed) =>
    nameOf(resource) !== NAMESPACES || (object.metadata.name ?? "").startsWith(`${prefix}-`)
  return lists.flat().filter(isOurs)
})
