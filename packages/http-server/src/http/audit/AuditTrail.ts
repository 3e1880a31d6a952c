/**
 * Tells the audit of each request: of what it will do before it does it, and of what was decided.
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
     * Writes that the current request is about to be done, if it changes anything.
     *
     * **Errors** the problem `audit_unavailable`: then nothing may be done.
     */
    readonly begin: Effect.Effect<void, Problem.Problem>
    /**
     * Writes that the current request is about to end a key or a session, on a full disk too.
     *
     * **Shape** For requests alone that are not refused any more: each uses some of the disk reserve.
     *
     * **Errors** as `begin`.
     */
    readonly beginRevocation: Effect.Effect<void, Problem.Problem>
    /**
     * Writes a request that changes nothing, such as the second revocation of a key. A full audit leaves it out.
     *
     * **Shape** nothing where the request began before.
     *
     * **Errors** as `begin`, but not because the audit or the disk is full.
     */
    readonly attempt: Effect.Effect<void, Problem.Problem>
    /** Writes what became of a request. */
    readonly end: (record: RequestRecord, method: string, status: number) => Effect.Effect<void>
  }
>()("@quarterdeck/http-server/http/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const log = yield* AuditLog
      /** Requests with an event that says that they are about to be done, and whether each ends a key or a session. */
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
          Effect.logError("the audit failed, so a request was refused", error),
          refuse("audit_unavailable", {
            detail:
              error.isFull === true
                ? "the audit has no room left, so nothing was done; keys can still be revoked"
                : "the audit cannot be written at the moment, so nothing was done"
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
        const cell = record.audited ?? { resource: "unknown", verb: VERBS[method] ?? "read" }
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
        end
      })
    })
  )
}

/** Statuses that say that the caller may not. */
const DENIALS: ReadonlySet<number> = new Set([401, 403, 429])

/** What a method does to a route that nobody knows. */
const VERBS: Readonly<Record<string, Verb>> = { POST: "create", PUT: "operate", PATCH: "operate", DELETE: "delete" }

/** What the audit says that a dry run is about. */
const DRY_RUN = "dryRun"

/**
 * Reads what the current request is about from its route's policy, path and query; `undefined` for what is public.
 *
 * **Shape** a dry run changes nothing, so it is a read, and says what it is. A key is named by the id in the path; a text
 * that is no id is left out, for it may be a secret.
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

/** Tells whether the body of a request asks for a dry run, where the route reads `dryRun` from the body. */
export const isDryRun = (annotations: Context.Context<never>, text: string): boolean => {
  const policy = Option.getOrUndefined(Context.getOption(annotations, EndpointPolicy))
  if (typeof policy !== "object" || policy.canDryRun !== "body") return false
  const body = StrictJson.parse(text === "" ? "{}" : text)
  return Result.isSuccess(body) && Predicate.hasProperty(body.success, "dryRun") && body.success.dryRun === true
}

/** Tells who asks: a key, or a signed-in browser by its key or its person. */
export const actorOf = (
  kind: "key" | "session",
  { keyId, name, signedInAt }: Pick<Principal["Service"], "keyId" | "name" | "signedInAt">
): AuditFacts["actor"] => ({
  kind,
  keyId,
  name,
  ...(signedInAt === undefined ? {} : { subject: keyId.slice(Person.idOf({ subject: "" }).length) })
})

/** What a call of sessions is about. */
export const sessionCellOf = (method: string): AuditedCell => ({ resource: "session", verb: VERBS[method] ?? "read" })

const factsOf = (record: RequestRecord, cell: AuditedCell, status: number, at: DateTime.Utc): AuditFacts => {
  const { actor, clientAddress, isDenied, problem, requestId, route, target, via } = record
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
    requestId
  }
}
