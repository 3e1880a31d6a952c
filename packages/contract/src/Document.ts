/**
 * The contract as an OpenAPI document: what the generator makes of the schemas, told as its readers expect it.
 *
 * A module of its own, so that a page that calls the API does not carry the document's texts and examples.
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import { SchemaAST } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { actionExamples } from "./document/ActionExamples.ts"
import { costExamples } from "./document/CostExamples.ts"
import { example } from "./document/Example.ts"
import { type Json, simplify } from "./document/JsonSchema.ts"
import { auditExamples } from "./document/AuditExamples.ts"
import { keyExamples } from "./document/KeyExamples.ts"
import { listExamples } from "./document/ListExamples.ts"
import { priceExamples } from "./document/PriceExamples.ts"
import { problem } from "./document/ProblemExamples.ts"
import * as Replies from "./document/Replies.ts"
import * as Problem from "./Problem.ts"

/** What one server's document has of its settings. **Units** deadlines of lists, in milliseconds. */
export interface DocumentOptions {
  /**
   * Where the API is. **Shape** a path without a slash at its end; `.` is where the document is, under every prefix, also one
   * that a proxy takes off, for who reads it as an address relative to the document's own.
   */
  readonly server: string
  readonly header: string
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

export const DEFAULT_OPTIONS: DocumentOptions = {
  server: ".",
  header: ClusterHeader.DEFAULT_NAME,
  timeoutMs: 3_000,
  maxTimeoutMs: 30_000
}

const examples = [
  ...actionExamples,
  ...auditExamples,
  ...costExamples,
  ...keyExamples,
  ...listExamples,
  ...priceExamples,
  example(Problem.Problem, problem)
]

/** The examples by the name of the component that they stand for. */
const byComponent: ReadonlyMap<string | undefined, unknown> = new Map(
  examples.map(({ schema, value }) => [SchemaAST.resolveIdentifier(schema.ast), value])
)

let generated: OpenApi.OpenAPISpec | undefined

/** Gives what the generator makes of the contract. Kept: it is most of the work of a document, and a server needs two. */
const ofContract = (): OpenApi.OpenAPISpec =>
  (generated ??= OpenApi.fromApi(Api.annotate(HttpApi.AdditionalSchemas, [Problem.Problem])))

/**
 * Makes the document.
 *
 * **Shape** OpenAPI 3.1. Problems are one component, and one reply for each status, which lists its codes. Every component
 * has an example.
 */
export const make = (options: DocumentOptions = DEFAULT_OPTIONS): Json => {
  const { components, info, openapi, paths, security, tags } = ofContract()
  const schemas = mapValues(components.schemas, (schema, name) => {
    const value = byComponent.get(name)
    return { ...simplify(schema), ...(value === undefined ? {} : { examples: [value] }) }
  })
  const needsMember = (schema: Json): boolean => {
    const { $ref, required } = schema
    const component = typeof $ref === "string" ? schemas[$ref.replace(/^.*\//, "")] : undefined
    return component === undefined ? Array.isArray(required) && required.length > 0 : needsMember(component)
  }
  const operation = (declared: OpenApi.OpenAPISpecOperation): Json => ({
    ...declared,
    parameters: declared.parameters.map((parameter) => parameterOf(parameter, options)),
    ...(declared.requestBody === undefined ? {} : { requestBody: bodyOf(declared.requestBody, needsMember) }),
    responses: Replies.ofOperation(declared)
  })
  return {
    openapi,
    info,
    servers: [{ url: options.server, description: "This server." }],
    paths: mapValues(paths, (item) =>
      mapValues(item, (declared) => ("operationId" in declared ? operation(declared) : declared))
    ),
    components: {
      schemas,
      responses: Replies.responses,
      headers: Replies.headers,
      securitySchemes: components.securitySchemes
    },
    security,
    tags
  }
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

const parameterOf = (parameter: OpenApi.OpenAPISpecParameter, options: DocumentOptions): Json => {
  const { description, ...schema } = simplify({ ...parameter.schema })
  const { maxTimeoutMs, timeoutMs } = options
  return {
    ...parameter,
    name: parameter.name === ClusterHeader.DEFAULT_NAME.toLowerCase() ? options.header : parameter.name,
    ...(description === undefined ? {} : { description }),
    schema: parameter.name === "timeoutMs" ? { ...schema, maximum: maxTimeoutMs, default: timeoutMs } : schema
  }
}

/** A body of which nothing must be said may be left out: an empty one counts as `{}`. */
const bodyOf = ({ content }: OpenApi.OpenAPISpecRequestBody, needsMember: (schema: Json) => boolean): Json => ({
  content: mapValues(content, (media) => ({ ...media, schema: simplify(media.schema) })),
  required: Object.values(content).some(({ schema }) => needsMember(schema))
})
