/**
 * Writes the audit events of each request: one before a change, and one with the outcome.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { EndpointPolicy } from "@quarterdeck/contract/Policy"
import { Person } from "@quarterdeck/keys"
import { isId } from "@quarterdeck/keys/ApiKey"
import { AuditLog } from "@quarterdeck/keys/audit/AuditLog"
import type { AuditStoreError } from "@quarterdeck/keys/audit/AuditStore"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import type { Verb } from "@quarterdeck/keys/Access"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Context, DateTime, Effect, Layer, Option, Predicate, Result } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { refuse } from "../refusal/Refusal.ts"
import { type AuditedCell, CurrentRequest, type RequestRecord } from "../request/RequestRecord.ts"
import * as StrictJson from "../request/StrictJson.ts"

export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /**
     * Writes the event that precedes the current request's change. Does nothing for a read.
     *
     * **Errors** the problem `audit_unavailable`: the change must not run.
     */
    readonly begin: Effect.Effect<void, Problem.Problem>
    /**
     * Writes the event that precedes the end of a key or session, even if the disk is full.
     *
     * **Shape** call this only once no check can refuse the request: each event uses some of the disk reserve.
     *
     * **Errors** as `begin`.
     */
    readonly beginRevocation: Effect.Effect<void, Problem.Problem>
    /**
     * Writes the event of a write request that changes nothing, such as the second revocation of a key. If the audit or
     * the disk is full, the event is omitted.
     *
     * **Shape** does nothing if the request already has an event.
     *
     * **Errors** as `begin`, except if the audit or the disk is full.
     */
    readonly attempt: Effect.Effect<void, Problem.Problem>
    /** Writes the outcome of a request. */
    readonly end: (record: RequestRecord, method: string, status: number) => Effect.Effect<void>
    /**
     * Records a refused request as `end` does, if its event is folded with others. Returns false, and records nothing, if
     * the event must be written singly. **Limits** no I/O.
     */
    readonly foldRefusal: (record: RequestRecord, method: string, status: number) => Effect.Effect<boolean>
  }
>()("@quarterdeck/http-server/http/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const log = yield* AuditLog
      /** Requests with an event that precedes their change. The value is true if the request ends a key or a session. */
      const begun = new WeakMap<RequestRecord, boolean>()

      const write = Effect.fnUntraced(function* (isRevocation: boolean) {
        const record = yield* CurrentRequest
        const { audited } = record
        if (audited === undefined || audited.verb === "read") return
        yield* log.write(factsOf(record, audited, 0, yield* DateTime.now), { isRevocation })
        begun.set(record, isRevocation)
      })
      const refused = (error: AuditStoreError) =>
        Effect.andThen(
          Effect.logError("refused a request because the audit could not be written", error),
          refuse("audit_unavailable", {
            detail:
              error.isFull === true
                ? "the audit is full, so the request was not executed; keys can still be revoked"
                : "the audit cannot be written at the moment, so the request was not executed"
          })
        )
      const attempt = Effect.gen(function* () {
        if (begun.has(yield* CurrentRequest)) return
        yield* write(false).pipe(Effect.catch((error) => (error.isFull === true ? Effect.void : refused(error))))
      })

      const end = (record: RequestRecord, method: string, status: number) => {
        const isDenied = record.isDenied ?? DENIALS.has(status)
        const isTold = isDenied || begun.has(record) || (record.audited !== undefined && log.keepsReads)
        return isTold ? tell(record, method, status, isDenied) : Effect.void
      }
      const tell = Effect.fnUntraced(function* (
        record: RequestRecord,
        method: string,
        status: number,
        isDenied: boolean
      ) {
        const cell = cellOfRecord(record, method)
        const facts = factsOf(record, cell, status, yield* DateTime.now)
        const isRevocation = begun.get(record)
        if (isRevocation !== undefined) return yield* log.note(facts, { isRevocation })
        if (isDenied) return yield* log.deny(facts)
        if (cell.verb === "read") yield* log.read(facts)
      })

      return AuditTrail.of({
        begin: write(false).pipe(Effect.catch(refused)),
        beginRevocation: write(true).pipe(Effect.catch(refused)),
        attempt,
        end,
        foldRefusal: (record, method, status) =>
          Effect.flatMap(DateTime.now, (at) =>
            log.foldDenial(factsOf(record, cellOfRecord(record, method), status, at))
          )
      })
    })
  )
}

/** Statuses of a refused caller. */
const DENIALS: ReadonlySet<number> = new Set([401, 403, 429])

/** Audited verb of a method on an unknown route. */
const VERBS: Readonly<Record<string, Verb>> = { POST: "create", PUT: "operate", PATCH: "operate", DELETE: "delete" }

/** Returns the audited resource and verb of a request, also on an unknown route. */
const cellOfRecord = ({ audited }: RequestRecord, method: string): AuditedCell =>
  audited ?? { resource: "unknown", verb: VERBS[method] ?? "read" }

/** Audited object of a dry run. */
const DRY_RUN = "dryRun"

/**
 * Returns the audited resource and verb of the current request, from the policy, path and query; `undefined` for a public
 * route.
 *
 * **Shape** a dry run is a read with the object `dryRun`. A key is named by the id in the path. A text that is not an id
 * is omitted, because it may be a secret.
 */
export const cellOf = Effect.fnUntraced(function* (
  annotations: Context.Context<never>
): Effect.fn.Return<AuditedCell | undefined, never, HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext> {
  const policy = Option.getOrUndefined(Context.getOption(annotations, EndpointPolicy))
  if (policy === undefined || typeof policy === "string") return undefined
  const { resource, verb } = policy.ofOthers ?? policy
  const { dryRun } = yield* HttpServerRequest.ParsedSearchParams
  if (policy.canDryRun === "query" && dryRun === "true") return { resource, verb: "read", object: DRY_RUN }
  const { id } = (yield* HttpRouter.RouteContext).params
  return resource === "apiKeys" && id !== undefined && isId(id) ? { resource, verb, object: id } : { resource, verb }
})

/** Returns true if the route reads `dryRun` from the body and the body sets it. */
export const isDryRun = (annotations: Context.Context<never>, text: string): boolean => {
  const policy = Option.getOrUndefined(Context.getOption(annotations, EndpointPolicy))
  if (typeof policy !== "object" || policy.canDryRun !== "body") return false
  const body = StrictJson.parse(text === "" ? "{}" : text)
  return Result.isSuccess(body) && Predicate.hasProperty(body.success, "dryRun") && body.success.dryRun === true
}

/** Returns the audited actor: a key, or a signed-in browser with the key or the person who signed in. */
export const actorOf = (
  kind: "key" | "session",
  { keyId, name, signedInAt }: Pick<Principal["Service"], "keyId" | "name" | "signedInAt">
): AuditFacts["actor"] => ({
  kind,
  keyId,
  name,
  ...(signedInAt === undefined ? {} : { subject: keyId.slice(Person.idOf({ subject: "" }).length) })
})

/** Returns the audited resource and verb of a request on sessions. */
export const sessionCellOf = (method: string): AuditedCell => ({ resource: "session", verb: VERBS[method] ?? "read" })

const factsOf = (record: RequestRecord, cell: AuditedCell, status: number, at: DateTime.Utc): AuditFacts => {
  const { actor, change, clientAddress, isDenied, problem, requestId, route, target, via } = record
  return {
    at,
    actor,
    via,
    address: clientAddress ?? "",
    resource: cell.resource,
    verb: cell.verb,
    route: route ?? "unmatched",
    target: { ...(cell.object === undefined ? {} : { object: cell.object }), ...target },
    decision: (isDenied ?? DENIALS.has(status)) ? "deny" : "allow",
    status,
    ...(status === 0 || problem === undefined ? {} : { code: problem }),
    requestId,
    ...(status === 0 || cell.verb === "read" ? {} : change)
  }
}
