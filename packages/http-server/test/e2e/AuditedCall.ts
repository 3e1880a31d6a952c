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

/** Lets calls have addresses of their own, as {@link audited} gives them. */
export const BEHIND_PROXY = { server: { trustedProxies: ["127.0.0.0/8", "::1"] } }

let clients = 0
const ownAddress = () => {
  clients++
  return ["X-Forwarded-For", `10.0.${clients >> 8}.${clients & 255}`] as const
}

/**
 * Makes a call under an id of its own, and gives the events that it left.
 *
 * **Shape** Repeated where it left none: denials of a key are folded while they are many. Without a known key each call has
 * an address of its own, of which one denial a minute is kept singly; that needs {@link BEHIND_PROXY}.
 */
export const audited = (name: string, path: string, call: Call = {}) =>
  Effect.gen(function* () {
    let attempt = 0
    const once = Effect.gen(function* () {
      const requestId = `${name}.${attempt++}`
      const isAnonymous = call.key === null || call.bearer !== undefined
      const headers = [
        ["X-Request-Id", requestId],
        ...(isAnonymous ? [ownAddress()] : []),
        ...(call.headers ?? [])
      ] as const
      yield* (yield* Deployment).call(path, { ...call, headers })
      return yield* eventsOf(requestId)
    })
    return yield* eventually(`${name} is in the audit`, once, (events) => events.length > 0, { within: "20 seconds" })
  })
