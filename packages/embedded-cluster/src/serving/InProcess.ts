/**
 * Answers calls to an embedded server within its process, without a socket.
 *
 * A seed makes thousands of calls. Over connections, each would hold buffers, parsers and fibers on both sides until
 * it is answered. That would dominate the time and memory of filling a cluster.
 */
import { Effect, Option, Result } from "effect"
import type { RequestInfo } from "../core/RequestInfo.ts"
import { toJson } from "../core/Status.ts"
import { JSON_TYPE } from "../core/TextReply.ts"
import type { Api } from "./Api.ts"

/** A reply as HTTP represents it, whatever its status. */
export interface ApiReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** A call. **Shape** `path` includes the query. */
export interface WireCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly headers: {
    readonly authorization?: string
    readonly accept: string
    readonly "content-type"?: string
  }
  readonly body?: string
}

/** Answers a call without a connection. **Shape** none if only a connection can carry the reply or its failure. */
export type AnswerInProcess = (call: WireCall) => Effect.Effect<Option.Option<ApiReply>>

/** Largest body to answer, in characters. Longer bodies may exceed the server's limit, which the socket path checks. */
const LONGEST_BODY = 512 * 1_024

/**
 * Answers a call like the socket path: same checks, same texts, counted and logged.
 *
 * **Shape** none while the server does not listen, and for long bodies, watches, followed logs and aggregated APIs.
 * The caller sends those over the socket.
 *
 * **Limits** yields to other fibers before each call.
 */
export const answerInProcess =
  (server: {
    readonly api: Api
    readonly isUp: () => boolean
    readonly onAdmitted: (info: RequestInfo) => void
    readonly observe: (line: string) => void
  }): AnswerInProcess =>
  (call) =>
    // A call never waits, so thousands in a row would block other fibers without this yield.
    Effect.map(Effect.yieldNow, () => {
      if (!server.isUp() || (call.body ?? "").length > LONGEST_BODY) return Option.none()
      const answered = reply(server.api, call, server.onAdmitted)
      if (Option.isSome(answered)) server.observe(`${call.method} ${call.path} ${answered.value.status}`)
      return answered
    })

const reply = (
  api: Api,
  { body = "", headers, method, path }: WireCall,
  onAdmitted: (info: RequestInfo) => void
): Option.Option<ApiReply> => {
  const url = new URL(path, "https://127.0.0.1")
  const contentType = headers["content-type"] ?? ""
  const admitted = api.admit({
    method,
    path: url.pathname,
    query: url.searchParams,
    accept: headers.accept,
    contentType,
    userAgent: "",
    authorization: headers.authorization,
    headers: {}
  })
  if (Result.isFailure(admitted)) {
    const { failure } = admitted
    return Option.some(whole(failure.code, JSON_TYPE, JSON.stringify(toJson(failure))))
  }
  const answer = admitted.success.answer(body, contentType)
  if (answer._tag === "Watch" || answer._tag === "Log" || answer._tag === "Forward") return Option.none()
  onAdmitted(admitted.success.info)
  return Option.some(
    answer._tag === "Text"
      ? whole(answer.status, answer.contentType, answer.body)
      : whole(answer.status, JSON_TYPE, [...answer.pieces].join(""))
  )
}

const whole = (status: number, contentType: string, text: string): ApiReply => ({
  status,
  headers: { "content-type": contentType },
  text
})
