/**
 * What one request turned out to be, filled in on its way and read by log, metrics and the reply's headers.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import { Context } from "effect"

/** **Shape** nothing secret: the route's pattern instead of the path, the key's id instead of the key. */
export interface RequestRecord {
  readonly requestId: string
  /** The client's address: the socket's other end, what a host says it is, or what a trusted proxy tells. */
  readonly clientAddress: string | undefined
  route: string | undefined
  keyId: string | undefined
  /** Who uses a key with the request, which is noted if it is not refused. */
  user: Principal["Service"] | undefined
  /** The code of the problem that was sent, if one was. */
  problem: string | undefined
  /** Headers that the reply carries beside its own. */
  readonly replyHeaders: Record<string, string>
}

export const make = (requestId: string, clientAddress?: string): RequestRecord => ({
  requestId,
  clientAddress,
  route: undefined,
  keyId: undefined,
  user: undefined,
  problem: undefined,
  replyHeaders: {}
})

/** The record of the request that the current fiber serves. */
export const CurrentRequest = Context.Reference<RequestRecord>("@quarterdeck/http-server/CurrentRequest", {
  defaultValue: () => make("none")
})
