/**
 * `POST /api/v1/workloads/actions`: one action on many workloads.
 */
import { BulkActions } from "@quarterdeck/cluster-fanout"
import type { BulkActionRequest, BulkActionResult, StopCode } from "@quarterdeck/contract/WorkloadsGroup"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Sessions } from "@quarterdeck/keys/Sessions"
import * as Rule from "@quarterdeck/keys/Rule"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Idempotency, type IdempotencyError } from "../../services/Idempotency.ts"
import * as AuditedBody from "../audit/AuditedBody.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import * as DetachedOutcome from "../audit/DetachedOutcome.ts"
import * as BulkBody from "./BulkBody.ts"
import * as KeyRefusal from "../refusal/KeyRefusal.ts"
import { Guard } from "../guard/Guard.ts"
import { Deadlines } from "../lists/ListPage.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as ResolvedRequest from "../guard/ResolvedRequest.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"
import * as ActionProgress from "./ActionProgress.ts"
import * as CallerRecheck from "../guard/CallerRecheck.ts"

interface Asked {
  readonly headers: { readonly "idempotency-key"?: string }
}

interface Doing {
  readonly bulk: BulkActions.BulkActions["Service"]
  readonly body: BulkBody.BulkBody
  readonly target: Target
  readonly principal: Principal["Service"]
  /** Writes the audit event that precedes the change. */
  readonly begin: Effect.Effect<void, Problem.Problem>
  /** The reason why the caller may not change any further workload. */
  readonly stopped: Effect.Effect<StopCode | undefined>
  readonly progress?: ActionProgress.Progress
}

/**
 * Makes the handler.
 *
 * **Shape** checks syntax, then scope, then the idempotency key, then the clusters.
 */
export const make = Effect.gen(function* () {
  const bulk = yield* BulkActions.BulkActions
  const idempotency = yield* Idempotency
  const guard = yield* Guard
  const replyWithProgress = yield* ActionProgress.make
  const authenticator = yield* Authenticator
  const sessions = yield* Sessions
  const trail = yield* AuditTrail

  return Effect.fnUntraced(function* ({ headers }: Asked) {
    const body = yield* BulkBody.read
    const { request, which } = body
    const target = yield* which._tag === "Named"
      ? TargetResolution.admitTargets(which.targets.map(({ cluster }) => cluster))
      : TargetResolution.admitBody(request)
    const { principal } = yield* ResolvedRequest.current
    yield* guard.spendClusters(principal, target.clusters.length)
    const { timeoutMs } = yield* Deadlines
    if (which._tag === "Named") {
      const namespaces = Rule.namespaceFilter(principal.rule)
      yield* bulk.require({ targets: which.targets, namespaces, timeoutMs }).pipe(Effect.catch(ListRefusal.fromError))
    }
    const stopped = Effect.map(yield* CallerRecheck.make(authenticator, sessions), stopOf)
    const key = headers["idempotency-key"]
    // A label selector selects within the caller's rule, so a replay must have the same rule. Named targets have just been
    // checked against the current rule.
    const asked = yield* askedOf(request, which._tag === "Named" ? undefined : principal.rule)
    const once = (progress?: ActionProgress.Progress) => {
      const { begin } = trail
      const work = perform({
        bulk,
        body,
        target,
        principal,
        begin,
        stopped,
        ...(progress === undefined ? {} : { progress })
      })
      const answer =
        key === undefined || body.isDryRun ? work : idempotency.once({ owner: principal.keyId, key, asked }, work)
      return answer.pipe(Effect.catch(refusal))
    }
    const { accept } = (yield* HttpServerRequest.HttpServerRequest).headers
    if (ActionProgress.isAskedFor(accept)) return yield* Effect.uninterruptible(replyWithProgress(once))
    // If the client disconnects, the action still completes and the audit has its outcome.
    const text = yield* Effect.uninterruptible(Effect.tap(once(), () => DetachedOutcome.settle(OK)))
    return HttpServerResponse.text(text, { contentType: "application/json" })
  })
})

/**
 * Returns the text that all requests with one idempotency key must have in common: body, target and rule.
 *
 * The target is not always in the body, because a header can name it.
 */
const askedOf = (request: BulkActionRequest, rule: Principal["Service"]["rule"] | undefined) =>
  Effect.map(RequestRecord.CurrentRequest, ({ target }) => JSON.stringify([request, target.asked, rule ?? null]))

/** Runs a bulk action and returns the text of the reply. **Errors** only before any change. */
const perform = Effect.fnUntraced(function* ({ begin, body, bulk, principal, progress, stopped, target }: Doing) {
  const { maxTimeoutMs, timeoutMs } = yield* Deadlines
  const { change, isDryRun, which } = body
  const namespaces = Rule.namespaceFilter(principal.rule)
  const found =
    which._tag === "Named"
      ? { targets: which.targets, partial: false }
      : yield* bulk.select({
          target,
          namespaces,
          labelSelector: which.labelSelector,
          ...(which.status === undefined ? {} : { status: which.status }),
          timeoutMs,
          cursorBinding: principal.keyId
        })
  yield* TargetResolution.noteNamespaces(AuditedBody.namespacesOf(found.targets))
  yield* TargetResolution.noteObject(AuditedBody.objectOf(change.action, found.targets.length))
  // For named workloads, the guard wrote the audit event before the handler ran.
  if (which._tag !== "Named") yield* begin
  if (progress !== undefined) yield* progress.begin
  const outcomes = yield* bulk.run({
    targets: found.targets,
    namespaces,
    change,
    isDryRun,
    stopped,
    readMs: timeoutMs,
    writeMs: maxTimeoutMs,
    ...(progress === undefined ? {} : { tell: progress.tell })
  })
  const partial = found.partial || outcomes.some(({ status }) => status === "failed")
  return JSON.stringify({ outcomes, partial } satisfies BulkActionResult)
})

/** Returns the code of workloads that are not changed because the key has ended or its rule was narrowed. */
const stopOf = (reason: string | undefined): StopCode | undefined => {
  switch (reason) {
    case undefined:
    case "key_revoked":
    case "key_expired":
    case "session_ended":
      return reason
    case "key_narrowed":
      return "namespace_forbidden"
    default:
      return "invalid_key"
  }
}

type Failure = Effect.Error<ReturnType<typeof perform>> | IdempotencyError

const OK = 200
const KEY_HEADER = "Idempotency-Key"

const refusal = (error: Failure): Effect.Effect<never, Problem.Problem> => {
  if (!("_tag" in error)) return Effect.fail(error)
  switch (error._tag) {
    case "TooManySelected":
      return RequestBody.refuseFault({ field: "labelSelector", problem: error.message, isUnknown: false })
    case "IdempotencyMismatch":
      return refuse("idempotency_mismatch", { detail: `${KEY_HEADER}: ${error.message}`, field: KEY_HEADER })
    case "IdempotencyUnknown":
      return refuse("outcome_unknown", { detail: error.message, field: KEY_HEADER })
    case "IdempotencyFull":
      return refuse(
        "too_many_idempotency_keys",
        { detail: error.message, field: KEY_HEADER },
        { "retry-after": String(error.retryAfterSeconds) }
      )
    case "KeyStoreError":
      return KeyRefusal.fromError(error)
    default:
      return ListRefusal.fromError(error)
  }
}
