/**
 * The replies of faults that answer instead of the cluster, with the real server's wording.
 *
 * **Source** Kubernetes 1.36, `k8s.io/apiserver/pkg/server/filters`, `pkg/endpoints/handlers/responsewriters`,
 * `pkg/storage/etcd3/errors.go`, and `k8s.io/apimachinery/pkg/api/errors`.
 */
import { Authentication, Authorization, Status, Watch } from "@quarterdeck/embedded-cluster"
import { Result } from "effect"
import { type ApiCall, isWatch } from "./ApiCall.ts"
import type { ApiFault } from "./Fault.ts"

/** A complete HTTP reply. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of a refused request: a reply, or a reset connection. */
export type FaultReply = Answer | "reset"

const DEFAULT_RETRY_AFTER_SECONDS = 1
const JSON_TYPE = "application/json"
const TEXT_TYPE = "text/plain; charset=utf-8"

const CONTINUE_EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter."

/** Returns the reply of a fault to a request, or `undefined` if the request goes to the cluster. */
export const from = (
  fault: ApiFault,
  call: ApiCall,
  authenticate: Authentication.Authenticate
): FaultReply | undefined => {
  switch (fault._tag) {
    case "Unauthorized":
      return status(Status.unauthorized)
    case "Forbidden": {
      const known = Result.getOrElse(authenticate(call.authorization), () => Authentication.anonymous)
      const user = known === Authentication.anonymous ? { ...known, name: fault.user ?? known.name } : known
      return status(Authorization.refusal(user, call.info))
    }
    case "TooManyRequests":
      return {
        status: 429,
        headers: {
          "content-type": TEXT_TYPE,
          "x-content-type-options": "nosniff",
          "retry-after": String(fault.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)
        },
        body: "Too many requests, please try again later.\n"
      }
    case "ServerError":
      return serverError(fault.status ?? 500)
    case "FixedReply":
      return {
        status: fault.status ?? 200,
        headers: { "content-type": JSON_TYPE, ...fault.headers },
        body: fault.body ?? "{}"
      }
    case "ResetReply":
      return "reset"
    case "ExpiredWatch":
      return expired(call)
    case "LostBookmarks":
    case "WatchCutEvery":
    case "TruncatedReply":
    case "MalformedJson":
    case "SlowReply":
      return undefined
  }
}

const status = (failure: Status.Failure): Answer => ({
  status: failure.code,
  headers: { "content-type": JSON_TYPE, "cache-control": "no-cache, private" },
  body: JSON.stringify(Status.toJson(failure))
})

const serverError = (code: 500 | 502 | 503 | 504): Answer => {
  switch (code) {
    case 500:
      return status({
        code,
        reason: "InternalError",
        message: "Internal error occurred: etcdserver: request timed out",
        details: {}
      })
    case 502:
      // API servers do not send this; load balancers in front of them do.
      return { status: code, headers: { "content-type": TEXT_TYPE }, body: "Bad Gateway\n" }
    case 503:
      return status({ code, reason: "ServiceUnavailable", message: "apiserver is shutting down" })
    case 504:
      return status({
        code,
        reason: "Timeout",
        message: "Timeout: request did not complete within the allotted timeout",
        details: {}
      })
  }
}

/**
 * Returns undefined for a watch that starts from the present state, and for the first page of a list: neither can be
 * expired.
 */
const expired = (call: ApiCall): Answer | undefined => {
  const { query } = call
  if (!isWatch(call)) {
    const isPage = call.info._tag === "Resource" && call.info.verb === "list" && (query.get("continue") ?? "") !== ""
    return isPage ? status(Status.expired(CONTINUE_EXPIRED)) : undefined
  }
  const version = query.get("resourceVersion") ?? ""
  if (version === "" || version === "0" || query.get("sendInitialEvents") === "true") return undefined
  const failure = Status.expired(`too old resource version: ${version} (${Number(version) + 1})`)
  return { status: 200, headers: { "content-type": JSON_TYPE }, body: Watch.errorLine(failure) }
}
