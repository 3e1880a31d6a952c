/** Which requests meet a fault. */
import { Schema } from "effect"
import type { ApiCall } from "./ApiCall.ts"

const Words = Schema.Array(Schema.String)
/** Those of authorization, the methods of requests that are not for objects, and every one. */
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
 * Selects requests by what they ask for, then some of these by number.
 *
 * **Shape** every part that is given must hold, and one word of a list is enough; no part at all is every request. A
 * resource is written as in RBAC rules: `pods`, `pods/log`, `pods/*`, `*`; the core group is the empty word. Requests that
 * are not for objects (discovery, health) have no resource, group or namespace; their verb is the method in lower case.
 *
 * **Limits** `fraction` and `next` count separately for each injection.
 *
 * **Source** the verbs are those of Kubernetes authorization: get, list, watch, create, update, patch, delete,
 * deletecollection. Any other word is refused, but for the methods `post`, `put`, `head` and `options` of requests that
 * are not for objects, and `*`.
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
  /** Those in the path; a request for all namespaces has none, which is the empty word. */
  namespaces: Schema.optionalKey(Words),
  names: Schema.optionalKey(Words),
  /** A part of the User-Agent header. */
  userAgent: Schema.optionalKey(Schema.String),
  /** The beginning of the path, without the query. */
  path: Schema.optionalKey(Schema.String),
  /** The share of the matching requests that is selected, 0 to 1; which ones is the same in every run. */
  fraction: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  /** Only the next so many of those that are selected so far. */
  next: Schema.optionalKey(Count)
})
export type Matcher = typeof Matcher.Type

/** Tells whether a request is one of those that a matcher speaks of, before `fraction` and `next`. */
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
 * Makes the count of one injection: each call says whether the next request that matches is selected.
 *
 * The share is spread by multiples of the golden ratio, so that it is kept within any stretch of requests and
 * within every second, third, fourth of them, as chance would on average, but the same in every run.
 */
export const makeSelection = ({ fraction = 1, next = Number.POSITIVE_INFINITY }: Matcher): (() => boolean) => {
  let seen = 0
  let left = next
  return () => {
    if (left === 0) return false
    seen++
    if (fraction < 1 && (seen * GOLDEN_RATIO) % 1 >= fraction) return false
    left--
    return true
  }
}

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2
