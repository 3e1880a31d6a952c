/**
 * Mutable facts of one request, collected while it is served. Log, metrics, span, audit and reply headers read them.
 *
 * Seven modules write the record, each its own fields with {@link writer}: Routes, Guard, TargetResolution, Refusal,
 * ListReply, DetachedOutcome and AuditedChange.
 */
import type { UnroutedResource } from "@quarterdeck/contract/AuditGroup"
import type { Resource, Verb } from "@quarterdeck/keys/Access"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Context, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Scheme } from "../../limits/ForwardedScheme.ts"

/** The audited resource and verb of a route. */
export interface AuditedCell {
  readonly resource: Resource | UnroutedResource
  readonly verb: Verb
  /** The object of the resource, if the request's target does not name one. */
  readonly object?: string
}

/**
 * The facts of one request. No fact is secret: the record holds the route's pattern instead of the path, and the key's id
 * instead of the key.
 */
export interface RequestRecord {
  readonly requestId: string
  /** The client's address: the socket's peer, or the address that the host or a trusted proxy reports. */
  readonly clientAddress: string | undefined
  /** Scheme of the client's request; `undefined` over plain HTTP, where an unconfigured proxy may terminate TLS. */
  readonly scheme: Scheme | undefined
  /** True if settings, a trusted proxy or the connection show that the client uses HTTPS. */
  readonly isSecure: boolean
  readonly route: string | undefined
  readonly keyId: string | undefined
  /** The caller whose last use is updated unless the request is refused. */
  readonly user: Principal["Service"] | undefined
  /** Facts for the audit: caller, interface, resource and verb, target. */
  readonly actor: AuditFacts["actor"]
  readonly via: AuditFacts["via"]
  readonly audited: AuditedCell | undefined
  readonly target: AuditFacts["target"]
  /** State of the changed object before and after the change, for the outcome event. */
  readonly change: Pick<AuditFacts, "before" | "after"> | undefined
  /** True if the caller was refused; set only if the reply's status does not show that. */
  readonly isDenied: boolean | undefined
  /** Status of work that was completed, even if the caller disconnected before the reply. */
  readonly outcome: number | undefined
  /** True if the work continues after the reply has started. The work itself then writes its outcome to the audit. */
  readonly isLasting: boolean
  /** Code of the problem that was sent. */
  readonly problem: string | undefined
  /** Detail of the problem that was sent. It may quote the request, so it is never logged. */
  readonly detail: string | undefined
  /** True if the request counted as a failed authentication attempt of the client address. */
  readonly isAttempt: boolean
  /** The complete reply of a list, even if the client receives only 304. */
  readonly list: HttpServerResponse.HttpServerResponse | undefined
  /** Headers that are added to the reply. */
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
  change: undefined,
  isDenied: undefined,
  outcome: undefined,
  isLasting: false,
  problem: undefined,
  detail: undefined,
  isAttempt: false,
  list: undefined,
  replyHeaders: {}
})

/** The record of the request that the current fiber serves. */
export const CurrentRequest = Context.Reference<RequestRecord>("@quarterdeck/http-server/CurrentRequest", {
  defaultValue: () => make("none")
})

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

/** Fields that change after the record is made. */
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

/** Adds the rate-limit headers of an inner request to the reply of the outer request. */
export const addLimits = (outer: RequestRecord, { replyHeaders }: RequestRecord): Effect.Effect<void> => {
  const limits = Object.entries(replyHeaders).filter(([name]) => name.startsWith("ratelimit"))
  return Effect.provideService(addHeaders(Object.fromEntries(limits)), CurrentRequest, outer)
}

/** Runs an effect with its own record, so that it does not change the log, audit and reply of the current request. */
export const withoutNotes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRequest, (record) =>
    Effect.provideService(effect, CurrentRequest, make(record.requestId, record))
  )
