/**
 * An HTTP request in the form that the handlers work with.
 */
import type { Authorize } from "./Authorize.ts"
import { mediaRanges } from "./MediaRanges.ts"
import type { ResourceRequest } from "./RequestInfo.ts"
import type { Resource } from "./Resource.ts"
import type { User } from "./User.ts"

/** A request and the user who sent it. `body` is the whole text, empty if there is none. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly accept: string | undefined
  readonly contentType: string
  readonly userAgent: string
  readonly body: string
  readonly user: User
  /** Adds a `Warning` header to the reply. */
  readonly warn: (text: string) => void
}

/** A request for objects of a resource that this server provides. */
export interface ResourceCall {
  readonly request: ApiRequest
  /** Evaluates whether a user may make a request, which may differ from this one. */
  readonly authorize: Authorize
  readonly info: ResourceRequest
  readonly resource: Resource
}

/** Media type of a request's body, without its parameters. */
export const mediaType = (request: ApiRequest): string => mediaRanges(request.contentType)[0]?.type ?? ""
