/**
 * The contract's own client, as promises that a page can await.
 */
import { Api } from "@quarterdeck/contract/Api"
import { Problem } from "@quarterdeck/contract/Problem"
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"

/** Where the server stands: the page's own folder, whatever prefix that is. */
export const serverUrl = new URL(".", document.baseURI).href.replace(/\/$/, "")

/**
 * What a call failed with.
 *
 * **Shape** `code` is that of the server's problem, or says that there was no answer; `retryAfterMs` is there where the
 * server says when to ask again.
 */
export class ApiFailure extends Error {
  readonly code: string
  readonly title: string
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly field: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(facts: {
    readonly code: string
    readonly title: string
    readonly detail: string
    readonly status?: number
    readonly requestId?: string
    readonly field?: string
    readonly retryAfterMs?: number
  }) {
    super(facts.detail)
    this.name = "ApiFailure"
    this.code = facts.code
    this.title = facts.title
    this.status = facts.status
    this.requestId = facts.requestId
    this.field = facts.field
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** What the contract calls the header that names clusters, and what this server does. */
const CLUSTER_HEADER = "x-service-cluster"
const clusterHeader =
  document.querySelector<HTMLMetaElement>("meta[name=quarterdeck-cluster-header]")?.content.toLowerCase()
  ?? CLUSTER_HEADER

/** Gives the headers of a call the names that this server has for them, and says that it is a page that calls. */
export const namedHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const { [CLUSTER_HEADER]: target, ...others } = headers
  return {
    ...others,
    ...(target === undefined ? {} : { [clusterHeader]: target }),
    // The browser would answer a challenge with a window of its own; to pages the server sends none.
    "x-requested-with": "quarterdeck"
  }
}

const asPage = HttpClient.mapRequest((request) =>
  HttpClientRequest.setHeaders(HttpClientRequest.removeHeader(request, CLUSTER_HEADER), namedHeaders(request.headers))
)

const client = Effect.runSync(
  HttpApiClient.make(Api, { baseUrl: serverUrl, transformClient: asPage }).pipe(Effect.provide(FetchHttpClient.layer))
)

const isProblem = Schema.is(Problem)

const toFailure = (error: unknown): ApiFailure => {
  if (isProblem(error)) return new ApiFailure(error)
  return new ApiFailure({
    code: "no_answer",
    title: "No answer",
    detail: "The server did not answer, or answered what this page does not understand. Try again, or reload the page."
  })
}

/**
 * Calls the server.
 *
 * **Errors** rejects with {@link ApiFailure}.
 *
 * **Example** `call((api) => api.whoami.whoami(), signal)`
 */
export const call = <A, E>(use: (api: typeof client) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> =>
  Effect.runPromise(use(client).pipe(Effect.mapError(toFailure)), signal === undefined ? undefined : { signal })
