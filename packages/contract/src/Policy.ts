/**
 * What a caller must be allowed to do before an endpoint runs.
 */
import type { Resource, Verb } from "@quarterdeck/keys/Access"
import { Context } from "effect"

/** A cell of the access table. */
export interface Cell {
  readonly resource: Resource
  readonly verb: Verb
}

/**
 * Who may call an endpoint: anyone, a signed-in browser alone, or whom a cell of the access table allows.
 *
 * **Shape** `ofOthers` is the cell that counts beside it where the path names a key that is not the caller's own.
 * `canDryRun`: where a `dryRun` that is true stands, with which it changes nothing.
 */
export type Policy = "public" | "session" | (Cell & { readonly ofOthers?: Cell; readonly canDryRun?: "query" | "body" })

/** Annotates an endpoint; a server refuses to start with an endpoint that has none. */
export class EndpointPolicy extends Context.Service<EndpointPolicy, Policy>()("@quarterdeck/contract/EndpointPolicy") {}
