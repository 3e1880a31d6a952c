/**
 * The attributes of a request that authorization needs, read from its method, path and query.
 *
 * **Source** Kubernetes, `k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`.
 */
import { Result } from "effect"
import * as FieldSelector from "./FieldSelector.ts"
import { flag } from "./QueryValue.ts"
import type { Registry } from "./Registry.ts"

/** A request for objects. **Shape** absent parts are empty; `namespace` is the one in the path. */
export interface ResourceRequest {
  readonly _tag: "Resource"
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
  /** Further path segments. A path that has any leads to no resource. */
  readonly rest: ReadonlyArray<string>
}

/** Any other request: discovery, health, version. **Shape** `verb` is the method in lower case. */
export interface PathRequest {
  readonly _tag: "Path"
  readonly verb: string
  readonly path: string
}

export type RequestInfo = ResourceRequest | PathRequest

const VERBS = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"]
])

/** Subresources of a namespace. Any other word in their position is a resource in the namespace. */
const OF_NAMESPACE = new Set(["status", "finalize"])

export const make = (registry: Registry, method: string, path: string, query: URLSearchParams): RequestInfo => {
  const segments = path
    .split("/")
    .filter((segment) => segment !== "")
    .map(decode)
  const other: PathRequest = { _tag: "Path", verb: method.toLowerCase(), path }
  const [root] = segments
  const head = root === "api" ? 2 : root === "apis" ? 3 : 0
  const verb = VERBS.get(method) ?? ""
  if (head === 0 || segments.length <= head) return other
  const group = root === "api" ? "" : (segments[1] ?? "")
  const version = segments[head - 1] ?? ""
  const watched = segments[head] === "watch"
  const parts = segments.slice(watched ? head + 1 : head)
  if (parts.length === 0) return other
  const place = placeOf(parts)
  // Current clients watch one object by a field selector, not by the old `watch` path.
  if (watched && place.name !== "") return other
  const named =
    place.name === "" && verb === "get" ? pinnedName(registry, query, group, version, place.resource) : place.name
  return {
    _tag: "Resource",
    ...place,
    name: named,
    group,
    version,
    verb: place.name !== "" ? verb : collectionVerb(verb, watched || flag(query, "watch") === true)
  }
}

const collectionVerb = (verb: string, watched: boolean): string => {
  if (verb === "get") return watched ? "watch" : "list"
  return verb === "delete" ? "deletecollection" : verb
}

const placeOf = (parts: ReadonlyArray<string>) => {
  const [first = "", second = "", third = ""] = parts
  if (first !== "namespaces" || parts.length === 1) {
    return { namespace: "", resource: first, name: second, subresource: third, rest: parts.slice(3) }
  }
  if (parts.length === 2 || OF_NAMESPACE.has(third)) {
    return { namespace: second, resource: first, name: second, subresource: third, rest: parts.slice(3) }
  }
  return { namespace: second, resource: third, name: parts[3] ?? "", subresource: parts[4] ?? "", rest: parts.slice(5) }
}

/** Name in the field selector of a list. Such a list is authorized like a request for that object. */
const pinnedName = (
  registry: Registry,
  query: URLSearchParams,
  group: string,
  version: string,
  name: string
): string => {
  const text = query.get("fieldSelector") ?? ""
  const resource = registry.find(group, version, name)
  if (text === "" || resource === undefined) return ""
  const selector = FieldSelector.parse(text, resource)
  return Result.isSuccess(selector) ? (FieldSelector.pinned(selector.success, "metadata.name") ?? "") : ""
}

const decode = (segment: string): string => {
  // Most segments have no escape, and this test is faster than decoding.
  if (!segment.includes("%")) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    // A broken escape stays in the name, which then matches no object.
    return segment
  }
}
