/**
 * Fails a request with a problem of the contract.
 */
import * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as RequestRecord from "../request/RequestRecord.ts"

/** Facts of a refusal in addition to its code. */
export type Facts = Omit<Parameters<typeof Problem.make>[1], "requestId">

/** Reply headers of a refusal. **Example** `{ "retry-after": "1" }` */
type ReplyHeaders = Readonly<Record<string, string>>

const write = RequestRecord.writer("problem", "detail", "isDenied")

/** Makes a problem of the current request, and records its code for the log and its detail for repeated refusals. */
export const make = (
  code: Problem.Code,
  facts: Facts,
  replyHeaders: ReplyHeaders = {}
): Effect.Effect<Problem.Problem> =>
  Effect.flatMap(RequestRecord.CurrentRequest, ({ requestId }) =>
    Effect.as(
      Effect.andThen(write({ problem: code, detail: facts.detail }), RequestRecord.addHeaders(replyHeaders)),
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

/** Records for the audit that the caller was refused although the reply's status does not show that. */
export const deny: Effect.Effect<void> = write({ isDenied: true })

/** Records for the audit that the caller was not refused although the reply's status is that of a refusal. */
export const answer: Effect.Effect<void> = write({ isDenied: false })

/** Renders a problem as a reply. */
export const respond = (problem: Problem.Problem): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(problem, { status: problem.status, contentType: "application/problem+json" })
