/**
 * Error replies of the OpenAPI document: one response component for each status.
 */
import type { OpenApi } from "effect/http-api"
import * as Problem from "../Problem.ts"
import type { Json } from "./JsonSchema.ts"
import { problems } from "./ProblemExamples.ts"

const PROBLEM_MEDIA_TYPE = "application/problem+json"

/** Statuses of any request, sent before a route is matched. */
const EVERYWHERE = [431, 503] as const
/** Statuses of any request to a route that requires a key. */
const WITH_KEY = [405] as const

const header = (description: string, schema: Json = { type: "string" }): Json => ({ description, schema })
const reference = (section: string, name: string): Json => ({ $ref: `#/components/${section}/${name}` })

const REQUEST_ID = { "X-Request-Id": reference("headers", "RequestId") }

/** Headers of each status, in addition to the request id. */
const HEADERS: Readonly<Record<number, Json>> = {
  401: { "WWW-Authenticate": header("A challenge for each authentication scheme.") },
  405: { Allow: header("Methods that the path supports.") },
  429: {
    "Retry-After": header("Seconds to wait before a retry.", { type: "integer", minimum: 1 }),
    RateLimit: header('The limit, its remaining requests and the seconds until it is restored: `"key";r=0;t=2`.'),
    "RateLimit-Policy": header(
      'The limit, its burst and the seconds in which the burst is restored: `"key";q=100;w=2`.'
    )
  },
  503: { "Retry-After": header("Seconds to wait before a retry, if known.", { type: "integer", minimum: 0 }) }
}

const TITLES: Readonly<Record<number, string>> = {
  400: "The request is malformed or has an invalid value.",
  401: "The request has no key, or the key is not valid.",
  403: "The key does not allow the request.",
  404: "The route, or an object that the request names, does not exist.",
  405: "The path does not support the method.",
  409: "The request conflicts with the current state.",
  413: "The body is too large.",
  415: "The body has an unsupported media type.",
  422: "The idempotency key was used with another request.",
  429: "A rate limit or quota is exceeded.",
  500: "The server failed.",
  502: "No addressed cluster answered, or the cluster refused the change.",
  503: "The server, or a store that it needs, is not available at the moment.",
  504: "No addressed cluster answered in time, or the outcome of a change is unknown."
}

const statuses = [...new Set(Problem.codes.map((code) => Problem.catalogue[code].status))]
const codesOf = (status: number) => Problem.codes.filter((code) => Problem.catalogue[code].status === status)

const contentOf = (status: number): Json => ({
  [PROBLEM_MEDIA_TYPE]: {
    schema: reference("schemas", "Problem"),
    examples: Object.fromEntries(
      codesOf(status).map((code) => [code, { summary: Problem.catalogue[code].title, value: problems[code] }])
    )
  }
})

const describe = (status: number): string => {
  const codes = codesOf(status).map((code) => `- \`${code}\`: ${Problem.catalogue[code].meaning}`)
  return `${TITLES[status] ?? ""}\n\n${codes.join("\n")}`.trim()
}

const nameOf = (status: number): string => `Status${status}`

/** Response components: one for each status of the catalogue, with its codes, and one for 431, which the HTTP parser sends. */
export const responses: Json = {
  ...Object.fromEntries(
    statuses.map((status) => [
      nameOf(status),
      {
        description: describe(status),
        headers: { ...REQUEST_ID, ...HEADERS[status] },
        content: contentOf(status)
      }
    ])
  ),
  [nameOf(431)]: { description: "The headers exceed 16 KiB in total. The reply has no body." }
}

export const headers: Json = {
  RequestId: header("Id of the request in the server's log: the id that the client sent, or a generated one.", {
    type: "string",
    pattern: "^[A-Za-z0-9._-]{1,64}$",
    examples: ["6f1c1f0e-6a0b-4a8f-9d0e-0b1f2c3d4e5f"]
  })
}

/**
 * Returns the replies of an operation.
 *
 * **Shape** a problem is a reference to its response component. If an operation declares a 503 body of its own, its 503 has two
 * media types: that body, and the problem.
 */
export const ofOperation = ({ responses: declared, security }: OpenApi.OpenAPISpecOperation): Json => {
  const added = security.length === 0 ? EVERYWHERE : [...EVERYWHERE, ...WITH_KEY]
  const replies = Object.entries(declared).map(([status, reply]): readonly [string, Json] => [
    status,
    isProblem(reply)
      ? reference("responses", nameOf(Number(status)))
      : {
          ...reply,
          headers: { ...REQUEST_ID, ...HEADERS[Number(status)], ...reply.headers },
          ...(status === "503" ? { content: { ...reply.content, ...contentOf(503) } } : {})
        }
  ])
  const others = added.map((status): readonly [string, Json] => [
    String(status),
    reference("responses", nameOf(status))
  ])
  return Object.fromEntries([...others, ...replies])
}

const isProblem = ({ content }: OpenApi.OpenApiSpecResponse): boolean =>
  content !== undefined && PROBLEM_MEDIA_TYPE in content
