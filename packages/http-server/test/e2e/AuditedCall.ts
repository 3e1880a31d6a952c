/** Calls, and what the audit tells of them. */
import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { type Call, Deployment, type KeyName } from "./Deployment.ts"

const decodeList = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList), { onExcessProperty: "error" })

/** Asks for events by a query. */
export const list = (query = "", key: KeyName = "admin") =>
  Effect.gen(function* () {
    const { status, text } = yield* (yield* Deployment).call(`/api/v1/audit${query}`, { key })
    assert.strictEqual(status, 200, text)
    return yield* decodeList(text)
  })

/** The events of one request, the oldest first. */
const eventsOf = (requestId: string, key?: KeyName) =>
  Effect.map(list("?limit=5000", key), ({ events }) =>
    events.filter((event) => event.requestId === requestId).toReversed()
  )

/**
 * Makes a call under an id of its own, and gives the events that it left.
 *
 * **Shape** again where it left none: a denial is folded while others of the same second, from the same address, are many.
 */
export const audited = (name: string, path: string, call: Call = {}) =>
  Effect.gen(function* () {
    let attempt = 0
    const once = Effect.gen(function* () {
      const requestId = `${name}.${attempt++}`
      const headers = [["X-Request-Id", requestId], ...(call.headers ?? [])] as const
      yield* (yield* Deployment).call(path, { ...call, headers })
      return yield* eventsOf(requestId)
    })
    return yield* eventually(`${name} is in the audit`, once, (events) => events.length > 0, { within: "20 seconds" })
  })
