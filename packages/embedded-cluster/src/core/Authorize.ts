/**
 * The type of an authorization decision, apart from the rules that make it.
 */
import type { PathRequest, ResourceRequest } from "./RequestInfo.ts"
import type { User } from "./User.ts"

/**
 * The attributes of a request that a role's rules match on.
 *
 * **Shape** `version`, `rest` and other facts of a request do not affect the decision.
 */
export type Attributes =
  | Pick<ResourceRequest, "_tag" | "verb" | "group" | "namespace" | "resource" | "name" | "subresource">
  | PathRequest

/** An authorization decision. `reason` names the binding that allowed the request; it is empty for a refusal. */
interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/** Decides whether a user may make a request. */
export type Authorize = (user: User, attributes: Attributes) => Decision
