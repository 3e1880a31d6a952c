/**
 * Fails a request with a problem of the contract.
 */
import * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequest } from "./RequestRecord.ts"

/** What a refusal tells beside its code. */
export type Facts = Omit<Parameters<typeof Problem.make>[1], "requestId">

/** Makes the problem of the current request, and notes its code for the log. */
export const make = (code: Problem.Code, facts: Facts): Effect.Effect<Problem.Problem> =>
  Effect.map(CurrentRequest, (record) => {
    record.problem = code
    return Problem.make(code, { ...facts, requestId: record.requestId })
  })

/**
 * Fails with a problem of the current request.
 *
 * **Example** `return yield* refuse("not_found", { detail: "no route has this path" })`
 */
export const refuse = (code: Problem.Code, facts: Facts): Effect.Effect<never, Problem.Problem> =>
  Effect.flatMap(make(code, facts), Effect.fail)

/** Renders a problem as a reply. */
export const respond = (problem: Problem.Problem): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(problem, { status: problem.status, contentType: "application/problem+json" })
