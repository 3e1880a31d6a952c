/**
 * Lists: pages that all show one version, and reads of the past.
 *
 * **Source** Kubernetes, "API concepts": resource versions, retrieving large results in chunks.
 */
import { Result } from "effect"
import * as FieldSelector from "../core/FieldSelector.ts"
import type { JsonObject } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import { expired, type Outcome, tooLargeVersion } from "../core/Status.ts"
import type { Stored } from "../core/Stored.ts"
import * as ContinueToken from "./ContinueToken.ts"
import { type ListQuery, selects, selectsAll } from "./Query.ts"

export interface Page {
  readonly items: ReadonlyArray<Stored>
  readonly metadata: JsonObject
}

/**
 * Lists one page of a resource in a namespace, or in all for the empty one.
 *
 * **Errors** 410 for a version that is compacted, with a token that goes on at the present where a page was asked for;
 * 504 for a version that does not exist yet.
 *
 * **Limits** without a limit the page holds everything that is selected.
 */
export const page = (kernel: Kernel, resource: Resource, namespace: string, query: ListQuery): Outcome<Page> => {
  const { store } = kernel
  if (query.token !== undefined) return continued(kernel, resource, namespace, query, query.token)
  const single = isSingle(resource, namespace, query)
  const paged = query.match === "" && query.limit > 0 && (query.revision ?? 0) > 0
  if (query.revision !== undefined && query.revision > store.revision) {
    return Result.fail(tooLargeVersion(query.revision, store.revision, !(single && (paged || query.match === "Exact"))))
  }
  // A page of a list shows the version that it names; one object, named, is read as it is.
  const exact = query.match === "Exact" || (paged && !single)
  const revision = exact && query.revision !== undefined ? query.revision : store.revision
  if (revision < store.compacted) return Result.fail(expired("resourceVersion is too old: list anew without one"))
  return Result.succeed(cut(kernel, resource, namespace, { ...query, limit: limitOf(query) }, "", revision))
}

/** Whether a list can hold nothing but one object whose place is known. */
const isSingle = (resource: Resource, namespace: string, { selection }: ListQuery): boolean =>
  FieldSelector.pinned(selection.fields, "metadata.name") !== undefined
  && (!resource.namespaced
    || namespace !== ""
    || FieldSelector.pinned(selection.fields, "metadata.namespace") !== undefined)

const continued = (
  kernel: Kernel,
  resource: Resource,
  namespace: string,
  query: ListQuery,
  token: ContinueToken.ContinueToken
): Outcome<Page> => {
  const { store } = kernel
  // A token counts its keys from the place that the request addresses.
  const start = namespace === "" ? token.start : `${namespace}/${token.start}`
  if (token.revision > store.revision) return Result.fail(tooLargeVersion(token.revision, store.revision))
  const revision = token.revision === -1 ? store.revision : token.revision
  if (revision < store.compacted) {
    return Result.fail(
      expired(
        "the continue token is too old: list anew, or go on with this answer's token at the present state",
        ContinueToken.print({ revision: -1, start: token.start })
      )
    )
  }
  return Result.succeed(cut(kernel, resource, namespace, { ...query, limit: limitOf(query) }, start, revision))
}

/** Any version will do for a reader that names 0, and it gets everything at once. */
const limitOf = ({ limit, revision }: ListQuery): number => (revision === 0 ? 0 : limit)

const cut = (
  kernel: Kernel,
  resource: Resource,
  namespace: string,
  query: ListQuery,
  start: string,
  revision: number
): Page => {
  const pinned = FieldSelector.pinned(query.selection.fields, "metadata.namespace")
  const all = kernel.store.list(
    resource,
    namespace === "" && resource.namespaced ? (pinned ?? "") : namespace,
    start,
    revision
  )
  const version = { resourceVersion: String(revision) }
  if (query.limit === 0) {
    return {
      items: selectsAll(query.selection) ? all : all.filter((stored) => selects(query.selection, stored)),
      metadata: version
    }
  }
  const items: Array<Stored> = []
  for (const [index, stored] of all.entries()) {
    if (!selects(query.selection, stored)) continue
    if (items.length === query.limit) {
      const last = items.at(-1)
      const key = last === undefined ? "" : namespace === "" ? last.key : last.name
      return {
        items,
        metadata: {
          ...version,
          continue: ContinueToken.print(ContinueToken.after(key, revision)),
          ...(selectsAll(query.selection) ? { remainingItemCount: all.length - index } : {})
        }
      }
    }
    items.push(stored)
  }
  return { items, metadata: version }
}
