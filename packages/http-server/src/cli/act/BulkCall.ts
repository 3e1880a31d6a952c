/**
 * Asks the service to change many workloads, and hears what becomes of each.
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

/** What the service takes at once. */
const MOST = 500

/** What names a workload. */
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
 * Changes workloads, or tries to, 500 at once.
 *
 * **Shape** `hear` gets each outcome once, as it comes. Where the connection is lost the same is asked again under the same
 * `Idempotency-Key`, so that nothing is done twice.
 *
 * **Errors** `CommandFailure`: what the service refused as a whole, and a connection that stays lost; unless it was a dry run, with
 * of how many the outcome is not known, and how many were not asked for.
 */
export const send = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: Change & { readonly dryRun?: true },
  targets: ReadonlyArray<Target>,
  hear: (outcomes: ReadonlyArray<BulkOutcome>) => Effect.Effect<void, never, R>
) {
  for (let from = 0; from < targets.length; from += MOST) {
    const left = targets.slice(from + MOST).length
    yield* sendPart(connection, change, targets.slice(from, from + MOST), hear).pipe(
      Effect.mapError((failure) =>
        left === 0 || change.dryRun === true
          ? failure
          : saying(failure, `${left} more of the workloads were left as they are`)
      )
    )
  }
})

/** The same failure, with a line behind its own. */
const saying = ({ exitCode, lines }: CommandFailure, line: string): CommandFailure =>
  new CommandFailure({ lines: [...lines, line], exitCode })

const sendPart = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: Change & { readonly dryRun?: true },
  targets: ReadonlyArray<Target>,
  hear: (outcomes: ReadonlyArray<BulkOutcome>) => Effect.Effect<void, never, R>
) {
  const told = new Set<string>()
  let isEnded = false
  // Whether the service may have begun: what it refuses behind that says nothing of what it did before.
  let isOpen = false
  let tries = 0
  const listen = Effect.fnUntraced(function* (events: ReadonlyArray<Sse.Event>) {
    isOpen = true
    const fresh: Array<BulkOutcome> = []
    const faults: Array<string> = []
    for (const { data, event } of events) {
      if (event === "end") {
        const end = decodeEnd(data)
        isEnded = Result.isSuccess(end) && end.success.code === undefined
        if (!isEnded) faults.push("the service failed in the middle; its log says why")
      }
      if (event !== "outcome") continue
      const outcome = decodeOutcome(data)
      if (Result.isFailure(outcome)) {
        const fault = SchemaFault.print(SchemaFault.fromIssue(outcome.failure.issue))
        faults.push(`an outcome is not one that this program knows: ${fault}`)
        continue
      }
      const place = placeOf(outcome.success)
      if (!told.has(place)) fresh.push(outcome.success)
      told.add(place)
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
      const failure = failed(`${connection.base}: the answer broke off`)
      return yield* new ApiClient.StreamLost({ failure })
    }
  })
  yield* once.pipe(
    Effect.tapError((error) => {
      if (error._tag !== "StreamLost") return Effect.void
      isOpen = true
      tries++
      return tries < TRIES ? Print.note(`${error.failure.message}; asking again for the same`) : Effect.void
    }),
    Effect.retry({
      while: ({ _tag }) => _tag === "StreamLost",
      times: TRIES - 1,
      schedule: Schedule.exponential(FIRST_WAIT)
    }),
    Effect.mapError((error) => {
      const failure = error._tag === "StreamLost" ? error.failure : error
      const open = isOpen && change.dryRun !== true ? targets.length - told.size : 0
      const line = `what became of ${open} of the workloads is not known: look before you try again`
      return open === 0 ? failure : saying(failure, line)
    })
  )
})
