/** Selects the requests that a fault affects. */
import { Schema } from "effect"
import type { ApiCall } from "./ApiCall.ts"

const Words = Schema.Array(Schema.String)
/** Verbs of authorization, methods of requests that are not for objects, and the wildcard. */
const Verb = Schema.Literals([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "post",
  "put",
  "head",
  "options",
  "*"
])
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/**
 * Selects requests by their properties, then a share or a number of them.
 *
 * **Shape** a request must match every given field, and one of the values of a list suffices. An empty matcher matches
 * every request. A resource is written as in RBAC rules: `pods`, `pods/log`, `pods/*`, `*`. The core group is the empty
 * string. Requests that are not for objects (discovery, health) have no resource, group or namespace; their verb is the
 * method in lower case.
 *
 * **Limits** `fraction` and `next` count separately for each injection.
 *
 * **Source** the verbs are those of Kubernetes authorization, and the methods `post`, `put`, `head` and `options` of
 * requests that are not for objects. `*` matches every verb.
 *
 * **Example**
 *
 * ```ts
 * Fault.tooManyRequests({ match: { verbs: ["list"], resources: ["pods"], next: 2 } })
 * ```
 */
export const Matcher = Schema.Struct({
  verbs: Schema.optionalKey(Schema.Array(Verb)),
  groups: Schema.optionalKey(Words),
  resources: Schema.optionalKey(Words),
  /** Namespaces in the path. A request for all namespaces has the empty string. */
  namespaces: Schema.optionalKey(Words),
  names: Schema.optionalKey(Words),
  /** Substring of the User-Agent header. */
  userAgent: Schema.optionalKey(Schema.String),
  /** Prefix of the path, without the query. */
  path: Schema.optionalKey(Schema.String),
  /** Share of the matching requests to select, from 0 to 1. Deterministic: the same requests in every run. */
  fraction: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  /** Number of requests to select. Later ones pass. */
  next: Schema.optionalKey(Count)
})
export type Matcher = typeof Matcher.Type

/** Returns whether a request matches, before `fraction` and `next` are applied. */
export const matches = (matcher: Matcher, call: ApiCall): boolean => {
  const { info } = call
  const object = info._tag === "Resource" ? info : undefined
  return (
    holds(matcher.verbs, info.verb)
    && holds(matcher.groups, object?.group)
    && holds(matcher.namespaces, object?.namespace)
    && holds(matcher.names, object?.name)
    && (matcher.resources === undefined
      || (object !== undefined && matcher.resources.some((wanted) => isResource(wanted, object))))
    && (matcher.userAgent === undefined || call.userAgent.includes(matcher.userAgent))
    && (matcher.path === undefined || call.path.startsWith(matcher.path))
  )
}

const holds = (wanted: ReadonlyArray<string> | undefined, actual: string | undefined): boolean =>
  wanted === undefined || (actual !== undefined && (wanted.includes("*") || wanted.includes(actual)))

const isResource = (
  wanted: string,
  { resource, subresource }: { readonly resource: string; readonly subresource: string }
): boolean => {
  if (wanted === "*") return true
  const [name, below] = wanted.split("/", 2)
  if (name !== "*" && name !== resource) return false
  return below === "*" ? subresource !== "" : subresource === (below ?? "")
}

/**
 * Creates the counter of one injection. Each call returns whether the next matching request is selected.
 *
 * Multiples of the golden ratio spread the share evenly over any sequence of requests, and over every second, third or
 * fourth of them. The selection is the same in every run.
 */
export const makeSelection = ({ fraction = 1, next = Number.POSITIVE_INFINITY }: Matcher): (() => boolean) => {
  let count = 0
  let left = next
  return () => {
    if (left === 0) return false
    count++
    if (fraction < 1 && (count * GOLDEN_RATIO) % 1 >= fraction) return false
    left--
    return true
  }
}

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2
