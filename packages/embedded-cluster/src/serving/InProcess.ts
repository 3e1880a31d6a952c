/**
 * The way to an embedded server that needs no socket: for the process that runs it.
 *
 * A seed's calls are answered where they are made. Over a connection each of them would hold buffers, parsers and fibers
 * on both sides until its turn comes, which is most of the time that filling a cluster takes; of 730 MB for three clusters
 * with 5000 pods each (`bench harness`), 587 were left without it.
 */
import { Effect, Option, Result } from "effect"
import type { RequestInfo } from "../core/RequestInfo.ts"
import { toJson } from "../core/Status.ts"
import { JSON_TYPE } from "../core/TextReply.ts"
import type { Api } from "./Api.ts"

/** One answer, as HTTP sees it, whatever its status. */
export interface ApiReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** A call as it goes out. **Shape** `path` has its query. */
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

/** Answers a call without a connection. **Shape** none where only a connection can carry the answer, or its failure. */
export type AnswerInProcess = (call: WireCall) => Effect.Effect<Option.Option<ApiReply>>

/** Longer ones may be more than the server takes, which the socket tells. */
const LONGEST_BODY = 512 * 1_024

/**
 * Answers as the socket would: the same checks, the same texts, counted and logged.
 *
 * **Shape** none while the server does not listen, for long bodies, for watches, for logs that go on, and for what other servers answer: those
 * take the socket, and fail there as they should.
 *
 * **Limits** others get their turn before each call.
 */
export const answerInProcess =
  (server: {
    readonly api: Api
    readonly isUp: () => boolean
    readonly seen: (info: RequestInfo) => void
    readonly observe: (line: string) => void
  }): AnswerInProcess =>
  (call) =>
    // A call waits for nothing; without this, thousands in a row would hold up everybody else.
    Effect.map(Effect.yieldNow, () => {
      if (!server.isUp() || (call.body ?? "").length > LONGEST_BODY) return Option.none()
      const answered = reply(server.api, call, server.seen)
      if (Option.isSome(answered)) server.observe(`${call.method} ${call.path} ${answered.value.status}`)
      return answered
    })

const reply = (
  api: Api,
  { body = "", headers, method, path }: WireCall,
  seen: (info: RequestInfo) => void
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
  seen(admitted.success.info)
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
