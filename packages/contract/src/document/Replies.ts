/**
 * The replies that are no success, as the OpenAPI document tells of them: each status once, and what operations share.
 */
import type { OpenApi } from "effect/http-api"
import * as Problem from "../Problem.ts"
import type { Json } from "./JsonSchema.ts"
import { problems } from "./ProblemExamples.ts"

const PROBLEM_MEDIA_TYPE = "application/problem+json"

/** Any request may be answered so, before a route is looked for. */
const EVERYWHERE = [431, 503] as const
/** So may any that asks for a key: what matches the path has other methods. */
const WHERE_A_KEY_IS_ASKED_FOR = [405] as const

const header = (description: string, schema: Json = { type: "string" }): Json => ({ description, schema })
const reference = (section: string, name: string): Json => ({ $ref: `#/components/${section}/${name}` })

const REQUEST_ID = { "X-Request-Id": reference("headers", "RequestId") }

/** Headers that come with a status, beside the request's id. */
const HEADERS: Readonly<Record<number, Json>> = {
  401: { "WWW-Authenticate": header("A challenge for each scheme.") },
  405: { Allow: header("The methods that the path answers to.") },
  429: {
    "Retry-After": header("Seconds until the same may be asked again.", { type: "integer", minimum: 1 }),
    RateLimit: header('The limit, what is left of it and the seconds until it is whole: `"key";r=0;t=2`.'),
    "RateLimit-Policy": header('The limit, its burst and the seconds in which that comes back: `"key";q=100;w=2`.')
  },
  503: { "Retry-After": header("Seconds to wait, where that is known.", { type: "integer", minimum: 0 }) }
}

const TITLES: Readonly<Record<number, string>> = {
  400: "The request cannot be read, or asks for what is not allowed.",
  401: "No key, or none that is valid.",
  403: "The key may not do this.",
  404: "What was named does not exist.",
  405: "The path has other methods.",
  409: "What is there is in the way.",
  413: "The body is too large.",
  415: "The body is of another media type.",
  422: "It was asked for otherwise before.",
  429: "Too often.",
  500: "The service failed.",
  502: "No addressed cluster answered, or the one that was to be changed refused.",
  503: "Not at the moment.",
  504: "No addressed cluster answered in time, or nobody knows what became of a change."
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

/** One reply for each status of the catalogue, which lists the codes that it can have, and that of the HTTP parser. */
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
  [nameOf(431)]: { description: "The headers are over 16 KiB, all together. There is no body." }
}

/** The headers that replies share. */
export const headers: Json = {
  RequestId: header("Names the request in the service's log: the caller's own, or one that was made.", {
    type: "string",
    pattern: "^[A-Za-z0-9._-]{1,64}$",
    examples: ["6f1c1f0e-6a0b-4a8f-9d0e-0b1f2c3d4e5f"]
  })
}

/**
 * Gives the replies of an operation.
 *
 * **Shape** problems by reference, so that the document has one of each; 503 keeps what an operation says with it beside the
 * problem.
 */
export const ofOperation = ({ responses: declared, security }: OpenApi.OpenAPISpecOperation): Json => {
  const added = security.length === 0 ? EVERYWHERE : [...EVERYWHERE, ...WHERE_A_KEY_IS_ASKED_FOR]
  const own = Object.entries(declared).map(([status, reply]): readonly [string, Json] => [
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
  return Object.fromEntries([...others, ...own])
}

const isProblem = ({ content }: OpenApi.OpenApiSpecResponse): boolean =>
  content !== undefined && PROBLEM_MEDIA_TYPE in content
