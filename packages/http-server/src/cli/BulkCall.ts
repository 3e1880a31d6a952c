/**
 * Asks the service to change many workloads, and hears what becomes of each.
 */
import { BulkOutcome } from "@quarterdeck/contract/WorkloadsGroup"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Effect, Result, Schedule, Schema, Stream } from "effect"
import type { Sse } from "effect/encoding"
import { randomUUID } from "node:crypto"
import * as ApiClient from "./ApiClient.ts"
import { failed } from "./CommandFailure.ts"
import type { Connection } from "./Connection.ts"
import * as Print from "./Print.ts"

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
 * **Errors** `CommandFailure`: what the service refused as a whole, and a connection that stays lost.
 */
export const send = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: Change & { readonly dryRun?: true },
  targets: ReadonlyArray<Target>,
  hear: (outcomes: ReadonlyArray<BulkOutcome>) => Effect.Effect<void, never, R>
) {
  for (let from = 0; from < targets.length; from += MOST) {
    yield* sendPart(connection, change, targets.slice(from, from + MOST), hear)
  }
})

const sendPart = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: Change & { readonly dryRun?: true },
  targets: ReadonlyArray<Target>,
  hear: (outcomes: ReadonlyArray<BulkOutcome>) => Effect.Effect<void, never, R>
) {
  const told = new Set<string>()
  let isEnded = false
  const listen = Effect.fnUntraced(function* (events: ReadonlyArray<Sse.Event>) {
    const fresh: Array<BulkOutcome> = []
    for (const { data, event } of events) {
      if (event === "end") {
        const end = decodeEnd(data)
        if (Result.isFailure(end) || end.success.code !== undefined) {
          return yield* failed(`${connection.base}: the service failed in the middle; its log says why`)
        }
        isEnded = true
      }
      if (event !== "outcome") continue
      const outcome = decodeOutcome(data)
      if (Result.isFailure(outcome)) {
        const fault = SchemaFault.print(SchemaFault.fromIssue(outcome.failure.issue))
        return yield* failed(`${connection.base}: an outcome is not one that this program knows: ${fault}`)
      }
      const place = placeOf(outcome.success)
      if (!told.has(place)) fresh.push(outcome.success)
      told.add(place)
    }
    if (fresh.length > 0) yield* hear(fresh)
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
    Effect.tapError((error) =>
      error._tag === "StreamLost" ? Print.note(`${error.failure.message}; asking again for the same`) : Effect.void
    ),
    Effect.retry({
      while: ({ _tag }) => _tag === "StreamLost",
      times: TRIES - 1,
      schedule: Schedule.exponential(FIRST_WAIT)
    }),
    Effect.catchTag("StreamLost", ({ failure }) => {
      const open = targets.length - told.size
      return Effect.fail(
        failed(failure.message, `what became of ${open} of the workloads is not known: look before you try again`)
      )
    })
  )
})
