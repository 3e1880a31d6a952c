/**
 * Decides who may do what, as the rest of the server sees it.
 */
import type { PathRequest, ResourceRequest } from "./RequestInfo.ts"
import type { User } from "./User.ts"

/** What is asked for, as a rule sees it. **Shape** `version`, `rest` and other facts of a request do not count. */
export type Attributes =
  | Pick<ResourceRequest, "_tag" | "verb" | "group" | "namespace" | "resource" | "name" | "subresource">
  | PathRequest

/** Whether a request is allowed; `reason` names the binding that allowed it, a refusal has none. */
interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/** Decides on requests. */
export type Authorize = (user: User, attributes: Attributes) => Decision
