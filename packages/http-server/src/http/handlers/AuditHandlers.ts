/**
 * `GET /api/v1/audit`.
 */
import * as Cursor from "@quarterdeck/cluster-fanout/Cursor"
import { DEFAULT_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import { RowOrder } from "@quarterdeck/cluster-fanout"
import { Api } from "@quarterdeck/contract/Api"
import { NDJSON_MEDIA_TYPE } from "@quarterdeck/contract/AuditGroup"
import { Expiry } from "@quarterdeck/keys"
import type * as AuditStore from "@quarterdeck/keys/audit/AuditStore"
import { AuditEvent } from "@quarterdeck/keys/AuditEvent"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Principal } from "@quarterdeck/keys/Principal"
import { DateTime, Effect, Option, type Redacted, Result, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AuditReader from "../audit/AuditReader.ts"
import * as KeyRefusal from "../refusal/KeyRefusal.ts"
import { refuse } from "../refusal/Refusal.ts"

type Failure = AuditStore.AuditStoreError | KeyStoreError

export const AuditHandlers = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fn(function* (handlers) {
    const read = yield* AuditReader.make
    const cursorKey = yield* Cursor.CursorKey
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query: { cursor, format = "json", limit, since, until, ...filter } }) {
        const caller = yield* Principal
        const sinceMs = yield* instantOf("since", since)
        const untilMs = yield* instantOf("until", until)
        const query = {
          ...filter,
          ...(sinceMs === undefined ? {} : { sinceMs }),
          ...(untilMs === undefined ? {} : { untilMs })
        }
        if (format === "ndjson") {
          if (cursor !== undefined) {
            return yield* refuse("invalid_parameter", {
              detail: "cursor: not allowed with format=ndjson, which has no pages",
              field: "cursor"
            })
          }
          const first = yield* read(caller, query, PART).pipe(Effect.catch(fromError))
          return file(first, (before) => read(caller, query, PART, before), limit)
        }
        const { actor, cluster, decision, keyId, object, resource, verb } = filter
        const asked = [caller.keyId, sinceMs, untilMs, keyId, decision, resource, verb, cluster, actor, object]
        const binding = `audit ${JSON.stringify(asked)}`
        const before = cursor === undefined ? undefined : yield* open(cursorKey, binding, cursor)
        const { events, next } = yield* read(caller, query, limit ?? DEFAULT_LIMIT, before).pipe(
          Effect.catch(fromError)
        )
        return {
          events,
          ...(next === undefined ? {} : { nextCursor: Cursor.seal(cursorKey, binding, [next]) })
        }
      })
    )
  })
)

/** Maximum number of events of a file that are in memory at a time. */
const PART = 500

const encodeEvent = Schema.encodeSync(Schema.fromJsonString(AuditEvent))

/** Streams the events as a file. A failure is logged and aborts the reply, so that the client notices the incomplete file. */
const file = <E extends Failure>(
  first: AuditReader.AuditPage,
  rest: (before: number) => Effect.Effect<AuditReader.AuditPage, E>,
  limit: number | undefined
) => {
  const nextOf = ({ events, next }: AuditReader.AuditPage) => [events, Option.fromUndefinedOr(next)] as const
  const events = Stream.paginate(undefined as number | undefined, (before) =>
    before === undefined ? Effect.succeed(nextOf(first)) : Effect.map(rest(before), nextOf)
  )
  return HttpServerResponse.stream(
    events.pipe(
      Stream.take(limit ?? Number.POSITIVE_INFINITY),
      Stream.map((event) => `${encodeEvent(event)}\n`),
      Stream.tapError((error) =>
        Effect.logError("aborted the download of audit events because the audit could not be read", error)
      ),
      Stream.encodeText
    ),
    {
      contentType: NDJSON_MEDIA_TYPE,
      headers: { "content-disposition": 'attachment; filename="audit.ndjson"' }
    }
  )
}

const instantOf = Effect.fnUntraced(function* (field: "since" | "until", text: string | undefined) {
  if (text === undefined) return undefined
  const instant = Expiry.parseConfigured(text)
  if (Result.isSuccess(instant)) return DateTime.toEpochMillis(instant.success)
  return yield* refuse("invalid_parameter", { detail: `${field}: ${instant.failure.message}`, field })
})

const fromError = (error: Failure) =>
  error._tag === "AuditStoreError"
    ? Effect.andThen(
        Effect.logError("could not read the audit", error),
        refuse("audit_unavailable", { detail: "the audit cannot be read at the moment" })
      )
    : KeyRefusal.fromError(error)

/** Cursor position in the list of events: an event's number in the audit chain, newest first. */
const PLACE = RowOrder.make<number>({ type: "number", read: (number) => number }, "desc", [])

const open = Effect.fnUntraced(function* (key: Redacted.Redacted<Uint8Array>, binding: string, cursor: string) {
  const place = Cursor.open(key, binding, PLACE, cursor)
  if (Result.isFailure(place))
    return yield* refuse("invalid_cursor", { detail: place.failure.message, field: "cursor" })
  return Number(place.success[0])
})
