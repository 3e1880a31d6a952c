/**
 * The contract as an OpenAPI document.
 *
 * Only this module imports the document's texts and examples. A browser bundle that calls the API leaves them out.
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import { SchemaAST } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { actionExamples } from "./document/ActionExamples.ts"
import { costExamples } from "./document/CostExamples.ts"
import { example } from "./document/Example.ts"
import { type Json, simplify } from "./document/JsonSchema.ts"
import { auditExamples, keyExamples } from "./document/KeyExamples.ts"
import { listExamples } from "./document/ListExamples.ts"
import { overviewExamples } from "./document/OverviewExamples.ts"
import { priceExamples } from "./document/PriceExamples.ts"
import { problem } from "./document/ProblemExamples.ts"
import * as Replies from "./document/Replies.ts"
import * as Problem from "./Problem.ts"

/** Settings of a server that appear in its document. */
export interface DocumentOptions {
  /**
   * Base URL of the API.
   *
   * **Shape** a path without a trailing slash. `.` is relative to the document's own URL, so it works below any prefix, even a
   * prefix that a proxy strips.
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
  ...overviewExamples,
  ...priceExamples,
  example(Problem.Problem, problem)
]

/** Examples by the name of their component. */
const byComponent: ReadonlyMap<string | undefined, unknown> = new Map(
  examples.map(({ schema, value }) => [SchemaAST.resolveIdentifier(schema.ast), value])
)

let generated: OpenApi.OpenAPISpec | undefined

/** Generates the OpenAPI specification of the contract. Memoized, because it is slow and a server makes two documents. */
const ofContract = (): OpenApi.OpenAPISpec =>
  (generated ??= OpenApi.fromApi(Api.annotate(HttpApi.AdditionalSchemas, [Problem.Problem])))

/**
 * Makes the OpenAPI 3.1 document.
 *
 * **Shape** one component `Problem`, and one response component for each status, which lists its codes. Every component
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

/** A body without a required member is optional: an absent body is read as `{}`. */
const bodyOf = ({ content }: OpenApi.OpenAPISpecRequestBody, needsMember: (schema: Json) => boolean): Json => ({
  content: mapValues(content, (media) => ({ ...media, schema: simplify(media.schema) })),
  required: Object.values(content).some(({ schema }) => needsMember(schema))
})
