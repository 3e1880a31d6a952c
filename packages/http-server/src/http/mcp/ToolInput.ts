/**
 * Input schemas of tools, derived from the OpenAPI document: the route's parameters and the members of its body.
 */
import * as Document from "@quarterdeck/contract/Document"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import { Predicate, Schema } from "effect"
import type { McpTool } from "./McpTools.ts"

type Json = Readonly<Record<string, unknown>>

/** Default and maximum number of rows of a result. */
export const DEFAULT_ROWS = 50
export const MAX_ROWS = 200

export interface ToolInput {
  /** Names of path parameters. */
  readonly inPath: ReadonlySet<string>
  /** Names of query parameters. All other names are members of the body. */
  readonly inQuery: ReadonlySet<string>
  readonly hasBody: boolean
  readonly schema: {
    readonly type: "object"
    readonly properties: Readonly<Record<string, Json>>
    readonly required: ReadonlyArray<string>
    readonly additionalProperties: false
  }
}

const HISTORY_NAME = Schema.toJsonSchemaDocument(HistoryName.HistoryName).schema
const CLUSTER_NAME = Schema.toJsonSchemaDocument(ClusterName.ClusterName).schema

const TARGETS: Readonly<Record<McpTool["targeting"], string>> = {
  parent: 'Names of clusters, or "*" for all clusters that the key reaches. Default: only the parent cluster.',
  all: 'Names of clusters, or "*" for all clusters that the key reaches. Default: all of them.',
  histories:
    'Names of clusters, or "*" for all clusters that the key reaches, removed clusters included: a name without a registered cluster, or `<name>@<yyyy-mm-dd>`. Default: only the parent cluster.',
  none: ""
}

const ALL: Json = { type: "string", const: "*" }

const clustersOf = (targeting: McpTool["targeting"]): Json => ({
  anyOf: [
    {
      type: "array",
      minItems: 1,
      maxItems: 64,
      items: { anyOf: [ALL, targeting === "histories" ? HISTORY_NAME : CLUSTER_NAME] }
    },
    ALL
  ],
  description: TARGETS[targeting]
})

const LIMIT: Json = {
  type: "integer",
  minimum: 1,
  maximum: MAX_ROWS,
  default: DEFAULT_ROWS,
  description: "Maximum number of rows of one answer. An answer with very long rows has fewer."
}

/** Arguments with kinds, and arguments with `<Kind>/<name>`. */
export const KIND_ARGUMENTS: ReadonlySet<string> = new Set(["kind", "workloadTypes"])
export const OBJECT_ARGUMENTS: ReadonlySet<string> = new Set(["workload", "regarding"])

const CAPITAL = "^[A-Z]"
const KIND_HINT = "A kind may also be plural, short or lower-case: Deployment, deployments, deploy."

/** Extends the schema of a kind by the spellings that `ToolArguments` accepts. */
const withKinds = (name: string, schema: Json): Json => {
  if (!KIND_ARGUMENTS.has(name) && !OBJECT_ARGUMENTS.has(name)) return schema
  const description = typeof schema["description"] === "string" ? `${schema["description"]} ${KIND_HINT}` : KIND_HINT
  const items = objectAt(schema, "items")
  return {
    ...schema,
    ...anyCase(schema),
    ...(schema["items"] === undefined ? {} : { items: { ...items, ...anyCase(items) } }),
    description
  }
}

const anyCase = ({ pattern }: Json): Json =>
  typeof pattern === "string" && pattern.startsWith(CAPITAL)
    ? { pattern: `^[A-Za-z]${pattern.slice(CAPITAL.length)}` }
    : {}

/** Makes the function that derives input schemas. **Shape** `options` has the limits of `timeoutMs`. */
export const make = (options: Document.DocumentOptions) => {
  const document = Document.make(options)
  const components = objectAt(objectAt(document, "components"), "schemas")
  /** Replaces references by their schemas, because a tool's schema must be self-contained. */
  const inlined = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(inlined)
    if (!Predicate.isReadonlyObject(schema)) return schema
    const reference = Predicate.hasProperty(schema, "$ref") ? String(schema.$ref).split("/").at(-1) : undefined
    if (reference !== undefined) return inlined(components[reference])
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inlined(value)]))
  }
  const objectOf = (schema: unknown): Json => {
    const value = inlined(schema)
    return Predicate.isReadonlyObject(value) ? { ...value } : {}
  }

  return ({ defaults, endpoint, isPaged, targeting, without }: McpTool): ToolInput => {
    const operation = objectAt(
      objectAt(objectAt(document, "paths"), pathOf(endpoint.path)),
      endpoint.method.toLowerCase()
    )
    const parametersIn = (place: string) =>
      listAt(operation, "parameters").filter((parameter) => parameter["in"] === place)
    const query = parametersIn("query")
    const path = parametersIn("path")
    const parameters = [...path, ...query]
    const content = objectAt(objectAt(operation, "requestBody"), "content")
    const body = objectOf(objectAt(objectAt(content, "application/json"), "schema"))
    const members = objectAt(body, "properties")
    const given: Array<[string, Json]> = [
      ...parameters.map((parameter): [string, Json] => [
        String(parameter["name"]),
        { ...objectOf(parameter["schema"]), description: parameter["description"] }
      ]),
      ...Object.entries(members).map(([name, member]): [string, Json] => [name, objectOf(member)])
    ]
    const properties = Object.fromEntries(
      given
        .filter(([name]) => !without.includes(name))
        .map(([name, schema]) => [
          name,
          withKinds(name, Object.hasOwn(defaults, name) ? { ...schema, default: defaults[name] } : schema)
        ])
    )
    if (isPaged) properties["limit"] = LIMIT
    if (targeting !== "none") properties["clusters"] = clustersOf(targeting)
    const required = [
      ...parameters.filter((parameter) => parameter["required"] === true).map(({ name }) => String(name)),
      ...(Array.isArray(body["required"]) ? body["required"].map(String) : [])
    ]
    return {
      inPath: namesOf(path),
      inQuery: namesOf(query),
      hasBody: operation["requestBody"] !== undefined,
      schema: { type: "object", properties, required, additionalProperties: false }
    }
  }
}

const namesOf = (parameters: ReadonlyArray<Json>): ReadonlySet<string> =>
  new Set(parameters.map(({ name }) => String(name)))

/** Returns a path in OpenAPI syntax. **Example** `/api/v1/apiKeys/:id` is `/api/v1/apiKeys/{id}` */
const pathOf = (path: string): string => path.replaceAll(/:([A-Za-z]+)/g, "{$1}")

const objectAt = (value: Json, key: string): Json => {
  const found = value[key]
  return Predicate.isReadonlyObject(found) ? { ...found } : {}
}

const listAt = (value: Json, key: string): ReadonlyArray<Json> => {
  const found: unknown = value[key]
  return isObjects(found) ? found : []
}

const isObjects = Schema.is(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
