/**
 * Options of a list or a watch, from the query of a request.
 *
 * **Source** Kubernetes 1.36, `ListOptions` and its validation.
 */
import { Result } from "effect"
import * as FieldSelector from "../core/FieldSelector.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import { flag, integer, natural } from "../core/QueryValue.ts"
import type { Resource } from "../core/Resource.ts"
import {
  badRequest,
  badVersion,
  type Failure,
  type FieldError,
  forbiddenValue,
  invalidOptions,
  unsupportedValue
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import type { Stored } from "../core/Stored.ts"
import * as ContinueToken from "./ContinueToken.ts"

export interface Selection {
  readonly labels: LabelSelector.LabelSelector
  readonly fields: FieldSelector.FieldSelector
}

export const selects = ({ fields, labels }: Selection, stored: Stored): boolean =>
  LabelSelector.matches(labels, stored.labels) && FieldSelector.matches(fields, stored.fields)

export const selectsAll = ({ fields, labels }: Selection): boolean => fields.length === 0 && labels.length === 0

/** Options of a list. `revision` is `undefined` if the client named none; `limit` 0 means no limit. */
export interface ListQuery {
  readonly selection: Selection
  readonly revision: number | undefined
  readonly match: "Exact" | "NotOlderThan" | ""
  readonly limit: number
  readonly token: ContinueToken.ContinueToken | undefined
}

/** Options of a watch. With `timeoutSeconds` 0 the server chooses. */
export interface WatchQuery {
  readonly selection: Selection
  readonly revision: number | undefined
  readonly bookmarks: boolean
  readonly initialEvents: boolean | undefined
  readonly timeoutSeconds: number
}

/** Reads the options of a list. **Errors** 400 and 422. */
export const forList = steps(function* (query: URLSearchParams, resource: Resource): Steps<ListQuery> {
  const selection = yield* selectionFrom(query, resource)
  const limit = yield* integer(query, "limit")
  yield* integer(query, "timeoutSeconds")
  const match = query.get("resourceVersionMatch") ?? ""
  const version = query.get("resourceVersion") ?? ""
  const text = query.get("continue") ?? ""
  const continued = text === "" ? [] : [CONTINUED]
  const errors = [
    ...matchErrors(match, version, continued),
    ...(flag(query, "sendInitialEvents") === undefined
      ? []
      : [forbiddenValue("sendInitialEvents", "is allowed only in a watch")])
  ]
  if (errors.length > 0) return yield* Result.fail(invalidOptions("ListOptions", errors))
  const token = text === "" ? undefined : yield* ContinueToken.parse(text)
  if (token !== undefined && version !== "" && version !== "0") {
    return yield* Result.fail(badRequest("resourceVersion must not be set together with continue"))
  }
  const revision = version === "" ? undefined : natural(version)
  if (version !== "" && revision === undefined) {
    return yield* Result.fail(badRequest(badVersion(version)))
  }
  return {
    selection,
    limit: Math.max(0, limit ?? 0),
    token,
    revision,
    match: match === "Exact" || match === "NotOlderThan" ? match : ""
  }
})

/**
 * Reads the options of a watch.
 *
 * **Errors** 400, 422, and like the real server 500 for an invalid resource version.
 */
export const forWatch = steps(function* (query: URLSearchParams, resource: Resource): Steps<WatchQuery> {
  const selection = yield* selectionFrom(query, resource)
  const timeoutSeconds = yield* integer(query, "timeoutSeconds")
  const initialEvents = flag(query, "sendInitialEvents")
  const match = query.get("resourceVersionMatch") ?? ""
  const version = query.get("resourceVersion") ?? ""
  // A watch without a version starts with the current objects, like a list, and accepts no match rule.
  const plain = initialEvents === undefined && match === "" && (version === "" || version === "0")
  const continued = (query.get("continue") ?? "") === "" ? [] : [CONTINUED]
  const errors = plain ? continued : watchErrors(initialEvents, match, continued)
  if (errors.length > 0) return yield* Result.fail(invalidOptions("ListOptions", errors))
  const revision = version === "" ? undefined : natural(version)
  if (version !== "" && revision === undefined)
    return yield* Result.fail<Failure>({ code: 500, message: badVersion(version) })
  return {
    selection,
    revision,
    initialEvents,
    bookmarks: flag(query, "allowWatchBookmarks") === true,
    timeoutSeconds: Math.max(0, timeoutSeconds ?? 0)
  }
})

const selectionFrom = steps(function* (query: URLSearchParams, resource: Resource): Steps<Selection> {
  const labels = yield* LabelSelector.parse(query.get("labelSelector") ?? "")
  const fields = yield* FieldSelector.parse(query.get("fieldSelector") ?? "", resource)
  return { labels, fields }
})

const MATCH = "resourceVersionMatch"

const CONTINUED = forbiddenValue(MATCH, "must not be set together with continue")

const matchErrors = (
  match: string,
  version: string,
  continued: ReadonlyArray<FieldError>
): ReadonlyArray<FieldError> => {
  if (match === "") return []
  return [
    ...(version === "" ? [forbiddenValue(MATCH, "requires resourceVersion")] : []),
    ...continued,
    ...(match === "Exact" || match === "NotOlderThan"
      ? []
      : [unsupportedValue(MATCH, match, ["Exact", "NotOlderThan", ""])]),
    ...(match === "Exact" && version === "0"
      ? [forbiddenValue(MATCH, "must not be Exact if resourceVersion is 0")]
      : [])
  ]
}

const watchErrors = (
  initialEvents: boolean | undefined,
  match: string,
  continued: ReadonlyArray<FieldError>
): ReadonlyArray<FieldError> => [
  ...(initialEvents === undefined || match === "NotOlderThan"
    ? []
    : [forbiddenValue(MATCH, "must be NotOlderThan with sendInitialEvents")]),
  ...(match === ""
    ? []
    : [
        ...(initialEvents === undefined
          ? [forbiddenValue(MATCH, "is allowed in a watch only with sendInitialEvents")]
          : []),
        ...(match === "NotOlderThan" ? [] : [unsupportedValue(MATCH, match, ["NotOlderThan"])]),
        ...continued
      ])
]
