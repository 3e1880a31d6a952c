/**
 * What a caller must be allowed to do before an endpoint runs.
 */
import type { Resource, Verb } from "@quarterdeck/keys/Access"
import { Context } from "effect"

/** **Shape** public, a signed-in browser alone, or a cell of the access table. */
export type Policy = "public" | "session" | { readonly resource: Resource; readonly verb: Verb }

/** Annotates an endpoint; a server refuses to start with an endpoint that has none. */
export class EndpointPolicy extends Context.Service<EndpointPolicy, Policy>()("@quarterdeck/contract/EndpointPolicy") {}
