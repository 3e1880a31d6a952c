/**
 * A request as the handlers see it.
 */
import type { Authorize } from "./Authorize.ts"
import { mediaRanges } from "./MediaRanges.ts"
import type { ResourceRequest } from "./RequestInfo.ts"
import type { Resource } from "./Resource.ts"
import type { User } from "./User.ts"

/** A request and who sent it; `body` is the whole text, empty when there is none. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly accept: string | undefined
  readonly contentType: string
  readonly userAgent: string
  readonly body: string
  readonly user: User
  /** Tells the client something beside the answer. */
  readonly warn: (text: string) => void
}

/** A request for objects of a resource that is served. */
export interface ResourceCall {
  readonly request: ApiRequest
  /** Says what else its user may do. */
  readonly authorize: Authorize
  readonly info: ResourceRequest
  readonly resource: Resource
}

/** The media type of a request's body, without its parameters. */
export const mediaType = (request: ApiRequest): string => mediaRanges(request.contentType)[0]?.type ?? ""
