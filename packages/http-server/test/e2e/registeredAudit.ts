/** What the audit and the list of clusters tell of registrations. */
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { Deployment } from "./Deployment.ts"

const decodeAudit = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList))

/** The events of one request, the first one first. */
export const auditOf = (requestId: string, count: number) =>
  Effect.gen(function* () {
    const deployment = yield* Deployment
    const events = deployment.call("/api/v1/audit?limit=5000", { key: "admin" }).pipe(
      Effect.flatMap(({ text }) => decodeAudit(text)),
      Effect.map((list) => list.events.filter((event) => event.requestId === requestId).toReversed())
    )
    return yield* eventually(`${requestId} is in the audit`, events, (some) => some.length >= count)
  })

export const namesOf = Effect.gen(function* () {
  const { clusters } = yield* (yield* Deployment).clusters("", { key: "admin" })
  return clusters.map(({ name }) => String(name))
})
