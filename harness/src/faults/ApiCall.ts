/** A client's request, in the form that faults match on. */
import { Registry, RequestInfo } from "@quarterdeck/embedded-cluster"
import type { IncomingMessage } from "node:http"

export interface ApiCall {
  readonly info: RequestInfo.RequestInfo
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly userAgent: string
  readonly authorization: string | undefined
}

/** An empty registry suffices, because requests for custom kinds are recognised by their paths too. */
const KNOWN = new Registry.Registry()

export const from = ({ headers, method, url }: Pick<IncomingMessage, "headers" | "method" | "url">): ApiCall => {
  const target = url ?? "/"
  const mark = target.indexOf("?")
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1))
  return {
    info: RequestInfo.make(KNOWN, method ?? "GET", path, query),
    path,
    query,
    userAgent: headers["user-agent"] ?? "",
    authorization: headers.authorization
  }
}

export const isWatch = ({ info }: ApiCall): boolean => info._tag === "Resource" && info.verb === "watch"

/**
 * Returns the kind of a request for the counters: `list pods`, `update deployments/scale`; `get path` if the request is
 * not for an object.
 */
export const kindOf = ({ info }: ApiCall): string => {
  if (info._tag === "Path") return `${info.verb} path`
  return `${info.verb} ${info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`}`
}
