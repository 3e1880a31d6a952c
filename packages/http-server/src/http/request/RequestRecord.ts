/**
 * What one request turned out to be: noted on its way, read by log, metrics, span, audit and the reply's headers.
 *
 * Six modules write it, each its own fields by {@link writer}: Routes, Guard, TargetResolution, Refusal, ListReply and
 * DetachedOutcome.
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

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

/** Fields that are written after the record is made. */
type Field = Exclude<keyof RequestRecord, "requestId" | "replyHeaders" | keyof Connection>

const write = <Name extends Field>(record: Writable<RequestRecord>, field: Name, value: RequestRecord[Name]): void => {
  record[field] = value
}

/** Makes the function by which one module writes its fields of the current request's record. */
export const writer =
  <Name extends Field>(...fields: ReadonlyArray<Name>) =>
  (values: { readonly [Each in Name]?: RequestRecord[Each] }): Effect.Effect<void> =>
    Effect.map(CurrentRequest, (record) => {
      for (const field of fields) {
        const value = values[field]
        if (value !== undefined) write(record, field, value)
      }
    })

/** Adds headers to the current request's reply. */
export const addHeaders = (headers: RequestRecord["replyHeaders"]): Effect.Effect<void> =>
  Effect.map(CurrentRequest, (record: Writable<RequestRecord>) => {
    record.replyHeaders = { ...record.replyHeaders, ...headers }
  })

/** Adds the rate limit headers of an inner request to the reply of the request that asked for it. */
export const addLimits = (outer: RequestRecord, { replyHeaders }: RequestRecord): Effect.Effect<void> => {
  const limits = Object.entries(replyHeaders).filter(([name]) => name.startsWith("ratelimit"))
  return Effect.provideService(addHeaders(Object.fromEntries(limits)), CurrentRequest, outer)
}

/** Runs an effect of whose outcome the current request's log, audit and reply must not tell. */
export const withoutNotes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRequest, (record) =>
    Effect.provideService(effect, CurrentRequest, make(record.requestId, record))
  )
