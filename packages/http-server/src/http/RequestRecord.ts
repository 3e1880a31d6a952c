/**
 * What one request turned out to be, filled in on its way and read by log, metrics and the reply's headers.
 */
import type { Verb } from "@quarterdeck/keys/Access"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
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
  /** Who asks and by what way, what for, and what it is about, as the audit tells it. */
  actor: AuditFacts["actor"]
  via: AuditFacts["via"]
  audited: { readonly resource: string; readonly verb: Verb } | undefined
  target: AuditFacts["target"]
  /** Whether the audit was told that the request is about to be done. */
  hasBegun: boolean
  /** Whether the caller was refused by a reply whose status does not say so. */
  isDenied: boolean
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
  actor: { kind: "anonymous" },
  via: "rest",
  audited: undefined,
  target: { asked: "", clusters: [] },
  hasBegun: false,
  isDenied: false,
  problem: undefined,
  replyHeaders: {}
})

/** The record of the request that the current fiber serves. */
export const CurrentRequest = Context.Reference<RequestRecord>("@quarterdeck/http-server/CurrentRequest", {
  defaultValue: () => make("none")
})
