/**
 * What one request turned out to be: noted on its way, read by log, metrics, span, audit and the reply's headers.
 *
 * Each field has one room that notes it: Routes the route; Guard who asks, what for and what that leaves of the limits;
 * TargetResolution what it is about; Refusal why it was refused; OneWorkloadHandlers what was done whoever waited for it;
 * ActionProgress that it goes on.
 */
import type { UnroutedResource } from "@quarterdeck/contract/AuditGroup"
import type { Resource, Verb } from "@quarterdeck/keys/Access"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Context, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Scheme } from "../../limits/ForwardedScheme.ts"

/** What a route is about, as the audit calls it. */
export interface AuditedCell {
  readonly resource: Resource | UnroutedResource
  readonly verb: Verb
  /** What of the resource it is about, where the request's target does not tell. */
  readonly object?: string
}

/**
 * The facts of one request, none of them secret: the route's pattern instead of the path, the key's id instead of the
 * key.
 */
export interface RequestRecord {
  readonly requestId: string
  /** The client's address: the socket's other end, what a host says it is, or what a trusted proxy tells. */
  readonly clientAddress: string | undefined
  /** By which scheme the client came; `undefined` where a proxy may stand in front that nobody named. */
  readonly scheme: Scheme | undefined
  /** Whether the client came by HTTPS, as far as settings, proxies or the connection tell. */
  readonly isSecure: boolean
  readonly route: string | undefined
  readonly keyId: string | undefined
  /** Who uses a key with the request, which is noted if it is not refused. */
  readonly user: Principal["Service"] | undefined
  /** Who asks and by what way, what for, and what it is about, as the audit tells it. */
  readonly actor: AuditFacts["actor"]
  readonly via: AuditFacts["via"]
  readonly audited: AuditedCell | undefined
  readonly target: AuditFacts["target"]
  /** Whether the caller was refused, where the reply's status says otherwise. */
  readonly isDenied: boolean | undefined
  /** The status of what was done to its end, and would have been sent if its caller had waited for it. */
  readonly outcome: number | undefined
  /** Whether what was asked goes on behind the beginning of the reply; then what does it tells the audit how it ended. */
  readonly isLasting: boolean
  /** The code of the problem that was sent, if one was. */
  readonly problem: string | undefined
  /** Whether what the caller presented counted against its address, as what is no key does. */
  readonly isAttempt: boolean
  /** The whole reply of a list, also where its caller has it already and was told so. */
  readonly list: HttpServerResponse.HttpServerResponse | undefined
  /** Headers that the reply carries beside its own. */
  readonly replyHeaders: Readonly<Record<string, string>>
}

type Connection = Pick<RequestRecord, "clientAddress" | "scheme" | "isSecure">

const UNKNOWN: Connection = { clientAddress: undefined, scheme: undefined, isSecure: false }

export const make = (
  requestId: string,
  connection: Connection = UNKNOWN,
  via: AuditFacts["via"] = "rest"
): RequestRecord => ({
  requestId,
  clientAddress: connection.clientAddress,
  scheme: connection.scheme,
  isSecure: connection.isSecure,
  route: undefined,
  keyId: undefined,
  user: undefined,
  actor: { kind: "anonymous" },
  via,
  audited: undefined,
  target: { asked: "", clusters: [] },
  isDenied: undefined,
  outcome: undefined,
  isLasting: false,
  problem: undefined,
  isAttempt: false,
  list: undefined,
  replyHeaders: {}
})

/** The record of the request that the current fiber serves. */
export const CurrentRequest = Context.Reference<RequestRecord>("@quarterdeck/http-server/CurrentRequest", {
  defaultValue: () => make("none")
})

/** What is noted on a request's way. */
type Notes = Partial<Omit<RequestRecord, "requestId" | keyof Connection>>

/** Notes something of the current request, in place of what was noted before; headers of the reply add up. */
export const note = (notes: Notes): Effect.Effect<void> =>
  Effect.map(CurrentRequest, (record) => {
    const replyHeaders =
      notes.replyHeaders === undefined ? record.replyHeaders : { ...record.replyHeaders, ...notes.replyHeaders }
    Object.assign(record, notes, { replyHeaders })
  })

/** Notes on the reply of a request what the reply of one that it asked for says of limits. */
export const noteLimits = (outer: RequestRecord, { replyHeaders }: RequestRecord): Effect.Effect<void> => {
  const limits = Object.entries(replyHeaders).filter(([name]) => name.startsWith("ratelimit"))
  return Effect.provideService(note({ replyHeaders: Object.fromEntries(limits) }), CurrentRequest, outer)
}

/** Runs an effect of whose outcome the current request's log, audit and reply must not tell. */
export const withoutNotes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRequest, (record) =>
    Effect.provideService(effect, CurrentRequest, make(record.requestId, record))
  )
