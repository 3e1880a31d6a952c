/**
 * The client of the contract, with promises instead of effects.
 */
import { Api } from "@quarterdeck/contract/Api"
import { Problem } from "@quarterdeck/contract/Problem"
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"

/** Base URL of the server: the page's folder, below any prefix. */
export const serverUrl = new URL(".", document.baseURI).href.replace(/\/$/, "")

/**
 * The failure of a call.
 *
 * **Shape** `code` is the server's problem code, or `no_answer`. `retryAfterMs` is set if the server says when to retry.
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

/** Name of the cluster header in the contract. A setting of the server may rename it. */
const CLUSTER_HEADER = "x-service-cluster"
const clusterHeader =
  document.querySelector<HTMLMetaElement>("meta[name=quarterdeck-cluster-header]")?.content.toLowerCase()
  ?? CLUSTER_HEADER

/** Renames the cluster header to the server's setting, and marks the request as one of a page. */
export const namedHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const { [CLUSTER_HEADER]: target, ...others } = headers
  return {
    ...others,
    ...(target === undefined ? {} : { [clusterHeader]: target }),
    // The server sends no challenge to pages: the browser would open its own sign-in dialog.
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
    detail: "The server did not answer, or this page does not understand the answer. Try again, or reload the page."
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
