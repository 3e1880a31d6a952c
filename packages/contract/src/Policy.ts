/**
 * The permission that an endpoint requires.
 */
import type { Resource, Verb } from "@quarterdeck/keys/Access"
import { Context } from "effect"

/** A resource and a verb: one cell of the access table in `keys/Access`, which states the roles that may use it. */
export interface Cell {
  readonly resource: Resource
  readonly verb: Verb
}

/**
 * Callers that an endpoint accepts: everyone, only a signed-in browser, or keys that a cell of the access table allows.
 *
 * **Shape** `ofOthers` is a further cell that is required if the path names a key other than the caller's own. `canDryRun` is
 * the part of the request that may contain `dryRun: true`. A dry run changes nothing.
 */
export type Policy = "public" | "session" | (Cell & { readonly ofOthers?: Cell; readonly canDryRun?: "query" | "body" })

/** Annotation with the policy of an endpoint. The server refuses to start if an endpoint has none. */
export class EndpointPolicy extends Context.Service<EndpointPolicy, Policy>()("@quarterdeck/contract/EndpointPolicy") {}
