/**
 * Changes many workloads through the bulk endpoint, and reads the outcome of each.
 */
import { BulkOutcome } from "@quarterdeck/contract/WorkloadsGroup"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Effect, Result, Schedule, Schema, Stream } from "effect"
import type { Sse } from "effect/encoding"
import { randomUUID } from "node:crypto"
import * as ApiClient from "../request/ApiClient.ts"
import { CommandFailure, failed } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as Print from "../print/Print.ts"

/** Maximum targets of one request. */
const MAX_TARGETS_OF_CALL = 500

/** A target of a change. */
export interface Target {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

export interface Change {
  readonly action: "scale" | "restart" | "pause" | "resume"
  readonly replicas?: number
}

const FIRST_WAIT = "500 millis"
const TRIES = 3

const decodeOutcome = Schema.decodeUnknownResult(Schema.fromJsonString(BulkOutcome))
const decodeEnd = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ code: Schema.optionalKey(Schema.String) }))
)

export const placeOf = ({ cluster, kind, name, namespace }: Target): string => `${cluster}/${namespace}/${kind}/${name}`

/**
 * Changes workloads, 500 in a request.
 *
 * **Shape** `hear` gets each outcome once, as it arrives. A lost connection is retried with the same `Idempotency-Key`,
 * so no change is made twice.
 *
 * **Errors** `CommandFailure` for a refused request and for a connection that stays lost. Except for a dry run, the
 * failure states how many workloads have an unknown outcome and how many were not tried.
 */
export const send = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: Change & { readonly dryRun?: true },
  targets: ReadonlyArray<Target>,
  hear: (outcomes: ReadonlyArray<BulkOutcome>) => Effect.Effect<void, never, R>
) {
  for (let from = 0; from < targets.length; from += MAX_TARGETS_OF_CALL) {
    const left = targets.slice(from + MAX_TARGETS_OF_CALL).length
    yield* sendPart(connection, change, targets.slice(from, from + MAX_TARGETS_OF_CALL), hear).pipe(
      Effect.mapError((failure) =>
        left === 0 || change.dryRun === true
          ? failure
          : withLine(failure, `${left} more of the workloads were not changed`)
      )
    )
  }
})

/** Adds a line to a failure. */
const withLine = ({ exitCode, lines }: CommandFailure, line: string): CommandFailure =>
  new CommandFailure({ lines: [...lines, line], exitCode })

const sendPart = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: Change & { readonly dryRun?: true },
  targets: ReadonlyArray<Target>,
  hear: (outcomes: ReadonlyArray<BulkOutcome>) => Effect.Effect<void, never, R>
) {
  const received = new Set<string>()
  let isEnded = false
  // True once the server may have started the action. A refused retry then leaves the outcome of the first request unknown.
  let mayHaveStarted = false
  let tries = 0
  const listen = Effect.fnUntraced(function* (events: ReadonlyArray<Sse.Event>) {
    mayHaveStarted = true
    const fresh: Array<BulkOutcome> = []
    const faults: Array<string> = []
    for (const { data, event } of events) {
      if (event === "end") {
        const end = decodeEnd(data)
        isEnded = Result.isSuccess(end) && end.success.code === undefined
        if (!isEnded) faults.push("the server failed during the request; its log has the reason")
      }
      if (event !== "outcome") continue
      const outcome = decodeOutcome(data)
      if (Result.isFailure(outcome)) {
        const fault = SchemaFault.print(SchemaFault.fromIssue(outcome.failure.issue))
        faults.push(`this version of the program cannot read an outcome: ${fault}`)
        continue
      }
      const place = placeOf(outcome.success)
      if (!received.has(place)) fresh.push(outcome.success)
      received.add(place)
    }
    if (fresh.length > 0) yield* hear(fresh)
    const [fault] = faults
    if (fault !== undefined) return yield* failed(`${connection.base}: ${fault}`)
  })
  const call: ApiClient.Call = {
    method: "POST",
    path: "/api/v1/workloads/actions",
    headers: { "idempotency-key": randomUUID() },
    body: {
      ...change,
      targets: targets.map(({ cluster, kind, name, namespace }) => ({ cluster, namespace, kind, name }))
    },
    flags: { replicas: "--replicas", targets: "workload" }
  }
  const once = Effect.gen(function* () {
    yield* Stream.runForEach(ApiClient.events(connection, call), listen)
    if (!isEnded) {
      const failure = failed(`${connection.base}: the reply is truncated`)
      return yield* new ApiClient.StreamLost({ failure })
    }
  })
  yield* once.pipe(
    Effect.tapError((error) => {
      if (error._tag !== "StreamLost") return Effect.void
      mayHaveStarted = true
      tries++
      return tries < TRIES ? Print.note(`${error.failure.message}; retrying`) : Effect.void
    }),
    Effect.retry({
      while: ({ _tag }) => _tag === "StreamLost",
      times: TRIES - 1,
      schedule: Schedule.exponential(FIRST_WAIT)
    }),
    Effect.mapError((error) => {
      const failure = error._tag === "StreamLost" ? error.failure : error
      const unknown = mayHaveStarted && change.dryRun !== true ? targets.length - received.size : 0
      const line = `the outcome of ${unknown} of the workloads is unknown: check them before you try again`
      return unknown === 0 ? failure : withLine(failure, line)
    })
  )
})
