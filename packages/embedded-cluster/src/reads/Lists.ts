/**
 * Lists: consistent pages, and reads at an earlier resource version.
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
 * Lists one page of a resource in a namespace, or in all namespaces if it is empty.
 *
 * **Errors** 410 for a compacted version. If the request has a continue token, the failure carries a token that
 * continues with the current objects. 504 for a version that does not exist yet.
 *
 * **Limits** without a limit the page contains every selected object.
 */
export const page = (kernel: Kernel, resource: Resource, namespace: string, query: ListQuery): Outcome<Page> => {
  const { store } = kernel
  if (query.token !== undefined) return continued(kernel, resource, namespace, query, query.token)
  const single = isSingle(resource, namespace, query)
  const paged = query.match === "" && query.limit > 0 && (query.revision ?? 0) > 0
  if (query.revision !== undefined && query.revision > store.revision) {
    return Result.fail(tooLargeVersion(query.revision, store.revision, !(single && (paged || query.match === "Exact"))))
  }
  // A paged list shows the version that it names. A single named object is read in its current version.
  const exact = query.match === "Exact" || (paged && !single)
  const revision = exact && query.revision !== undefined ? query.revision : store.revision
  if (revision < store.compacted)
    return Result.fail(expired("resourceVersion is too old: list again without resourceVersion"))
  return Result.succeed(cut(kernel, resource, namespace, { ...query, limit: limitOf(query) }, "", revision))
}

/** Returns whether the selectors pin the list to one object by its namespace and name. */
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
  // Keys in a token are relative to the namespace of the request.
  const start = namespace === "" ? token.start : `${namespace}/${token.start}`
  if (token.revision > store.revision) return Result.fail(tooLargeVersion(token.revision, store.revision))
  const revision = token.revision === -1 ? store.revision : token.revision
  if (revision < store.compacted) {
    return Result.fail(
      expired(
        "the continue token is too old: list again, or use the token in this reply to continue at the current state",
        ContinueToken.print({ revision: -1, start: token.start })
      )
    )
  }
  return Result.succeed(cut(kernel, resource, namespace, { ...query, limit: limitOf(query) }, start, revision))
}

/** Limit of a page. A list at version 0 ignores the limit, as on the real server. */
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
