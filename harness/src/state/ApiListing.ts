/** Lists all objects of a kind. */
import { Effect, Option, Stream } from "effect"
import type { ApiError } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import { type Listed, nameOf, NAMESPACES } from "./ApiObjects.ts"
import { type ApiResource, CONCURRENCY } from "./ApiResources.ts"

const PAGE = 500

/**
 * Lists every object of a kind, in one namespace or in all.
 *
 * Returns an empty list if the kind no longer exists, listing is forbidden, or an aggregated server is down. A reset
 * does not touch objects that cannot be listed. **Limits** pages of 500.
 */
export const listAll = (
  api: ClusterApi,
  resource: ApiResource,
  options: { readonly namespace?: string; readonly labelSelector?: string } = {}
): Effect.Effect<ReadonlyArray<Listed>, ApiError> => {
  const kind = { apiVersion: resource.apiVersion, kind: resource.kind, limit: PAGE, ...options }
  return Stream.paginate("", (token) =>
    Effect.map(api.list(token === "" ? kind : { ...kind, continue: token }), (page) => [
      page.items,
      Option.filter(Option.fromUndefinedOr(page.continue), (next) => next !== "")
    ])
  ).pipe(
    Stream.runCollect,
    Effect.map((objects) => objects.map((object): Listed => ({ resource, object }))),
    Effect.catchIf(refusedWith(403, 404, 405, 503), () => Effect.succeed([]))
  )
}

/**
 * Lists every object of several kinds, or only the objects in a scope.
 *
 * **Limits** one list per kind; within a scope, one per kind and namespace. Eight requests at once.
 */
export const listScope = Effect.fnUntraced(function* (
  api: ClusterApi,
  resources: ReadonlyArray<ApiResource>,
  scope: { readonly labelSelector?: string } | undefined
): Effect.fn.Return<ReadonlyArray<Listed>, ApiError> {
  const list = (resource: ApiResource, options = {}) => listAll(api, resource, options)
  const labelSelector = scope?.labelSelector
  if (labelSelector === undefined) {
    const lists = yield* Effect.forEach(resources, (resource) => list(resource), { concurrency: CONCURRENCY })
    return lists.flat()
  }
  const wide = resources.filter(({ namespaced }) => !namespaced)
  const outside = (yield* Effect.forEach(wide, (resource) => list(resource, { labelSelector }), {
    concurrency: CONCURRENCY
  })).flat()
  const homes = outside.filter(({ resource }) => nameOf(resource) === NAMESPACES)
  const inside = yield* Effect.forEach(
    homes.flatMap(({ object }) => {
      const { name } = object.metadata
      const kinds = resources.filter(({ namespaced }) => namespaced)
      return name === undefined ? [] : kinds.map((resource) => ({ resource, namespace: name }))
    }),
    ({ namespace, resource }) => list(resource, { namespace }),
    { concurrency: CONCURRENCY }
  )
  return [...outside, ...inside.flat()]
})

/** Returns whether the server refused a call with one of the codes. */
export const refusedWith =
  (...codes: ReadonlyArray<number>) =>
  ({ reason }: ApiError): boolean =>
    reason._tag === "ApiRefused" && codes.includes(reason.code)
