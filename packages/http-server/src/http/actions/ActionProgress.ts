/**
 * Replies with the progress of a bulk action as server-sent events, if the client accepts them.
 *
 * **Source** WHATWG HTML, "Server-sent events"; RFC 9110 §12.5.1, "Accept".
 */
import { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import { Deferred, Effect, Exit, Queue, Schema, Stream } from "effect"
import type { Cause } from "effect"
import { Sse } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import * as DetachedOutcome from "../audit/DetachedOutcome.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import { StreamLimits } from "../stream/Streams.ts"

type Outcome = BulkActionResult["outcomes"][number]

/** Callbacks of a bulk action. **Shape** after `begin`, the work has no expected failure. */
export interface Progress {
  readonly begin: Effect.Effect<void>
  readonly tell: (outcome: Outcome) => Effect.Effect<void>
}

const MEDIA_TYPE = "text/event-stream"
const METHOD = "POST"
const OK = 200
const FAILED = 500

/** Returns true if an Accept header names events, with at least the weight of JSON. */
export const isAskedFor = (accept: string | undefined): boolean => {
  const weights = new Map(
    (accept ?? "").split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
      return [type, weight === undefined ? 1 : Number(weight)] as const
    })
  )
  const events = weights.get(MEDIA_TYPE) ?? 0
  return events > 0 && events >= (weights.get("application/json") ?? 0)
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(BulkActionResult))

/** Makes the `data` of the event `end`: the number of targets of each status. */
const endOf = ({ outcomes, partial }: BulkActionResult) => {
  const counts = { applied: 0, dryRun: 0, refused: 0, failed: 0 }
  for (const { status } of outcomes) counts[status]++
  return { partial, ...counts }
}

/**
 * Makes the function that replies with the progress of work whose result is the text of a `BulkActionResult`.
 *
 * **Shape** one event `outcome` for each target as soon as it is known, then `end`. An idempotent replay sends the stored
 * outcomes. The audit gets the outcome even if the client disconnects.
 *
 * **Errors** those of the work before `begin`, when nothing has been changed.
 */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const trail = yield* AuditTrail
  const { heartbeatMs } = yield* StreamLimits

  return Effect.fnUntraced(function* <E, R>(work: (progress: Progress) => Effect.Effect<string, E, R>) {
    const record = yield* RequestRecord.CurrentRequest
    const events = yield* Queue.unbounded<string, Cause.Done>()
    const begun = yield* Deferred.make<void, E>()
    const send = (event: string, data: object) =>
      Queue.offerUnsafe(events, Sse.encoder.write({ _tag: "Event", event, id: undefined, data: JSON.stringify(data) }))
    let told = 0
    const progress: Progress = {
      begin: Effect.andThen(DetachedOutcome.outlast, Effect.asVoid(Deferred.succeed(begun, undefined))),
      tell: (outcome) =>
        Effect.sync(() => {
          told++
          send("outcome", outcome)
        })
    }
    const finish = Effect.gen(function* () {
      const result = yield* Effect.flatMap(work(progress), (text) => Effect.orDie(decode(text)))
      if (told === 0) for (const outcome of result.outcomes) send("outcome", outcome)
      send("end", endOf(result))
    })
    const settled = (exit: Exit.Exit<void, E>) =>
      Effect.gen(function* () {
        if (Exit.isSuccess(exit)) yield* DetachedOutcome.outlast
        else if (record.isLasting) {
          yield* Effect.logError("a bulk action failed", exit.cause)
          send("end", { code: "internal_error" })
        }
        Queue.endUnsafe(events)
        yield* Deferred.done(begun, exit)
        if (record.isLasting) yield* trail.end(record, METHOD, Exit.isSuccess(exit) ? OK : FAILED)
      })
    yield* Effect.forkIn(Effect.onExit(finish, settled), scope)
    yield* Deferred.await(begun)
    const beat = Effect.as(Effect.sleep(heartbeatMs), COMMENT)
    return HttpServerResponse.stream(
      Stream.fromQueue(events).pipe(
        Stream.merge(Stream.fromEffectRepeat(beat), { haltStrategy: "left" }),
        Stream.encodeText
      ),
      { contentType: MEDIA_TYPE, headers: { "x-accel-buffering": "no" } }
    )
  })
})

const COMMENT = ":\n\n"
