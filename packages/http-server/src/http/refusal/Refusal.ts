/**
 * Fails a request with a problem of the contract.
 */
import * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as RequestRecord from "../request/RequestRecord.ts"

/** What a refusal tells beside its code. */
export type Facts = Omit<Parameters<typeof Problem.make>[1], "requestId">

/** What the reply's headers tell of a refusal. **Example** `{ "retry-after": "1" }` */
type ReplyHeaders = Readonly<Record<string, string>>

const write = RequestRecord.writer("problem", "isDenied")

/** Makes the problem of the current request, and notes its code for the log. */
export const make = (
  code: Problem.Code,
  facts: Facts,
  replyHeaders: ReplyHeaders = {}
): Effect.Effect<Problem.Problem> =>
  Effect.flatMap(RequestRecord.CurrentRequest, ({ requestId }) =>
    Effect.as(
      Effect.andThen(write({ problem: code }), RequestRecord.addHeaders(replyHeaders)),
      Problem.make(code, { ...facts, requestId })
    )
  )

/**
 * Fails with a problem of the current request.
 *
 * **Example** `return yield* refuse("not_found", { detail: "no route has this path" })`
 */
export const refuse = (
  code: Problem.Code,
  facts: Facts,
  replyHeaders: ReplyHeaders = {}
): Effect.Effect<never, Problem.Problem> => Effect.flatMap(make(code, facts, replyHeaders), Effect.fail)

/** Notes for the audit that the caller was refused, by a reply whose status does not say so. */
export const deny: Effect.Effect<void> = write({ isDenied: true })

/** Notes for the audit that nobody was refused, though the status of the reply says so. */
export const answer: Effect.Effect<void> = write({ isDenied: false })

/** Renders a problem as a reply. */
export const respond = (problem: Problem.Problem): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(problem, { status: problem.status, contentType: "application/problem+json" })
