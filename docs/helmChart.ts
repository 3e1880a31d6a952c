/**
 * Generates parts of the Helm chart: its README from the schema of its values, and its version from the program's
 * version.
 */
import { descriptions } from "@quarterdeck/http-server/settings/Reference"
import { Schema } from "effect"
import { readFile } from "node:fs/promises"
import { parse } from "yaml"

const FOLDER = "packages/helm-chart"

/** The parts of JSON Schema that the chart's values use. */
interface Shape {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Shape
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
}

const decodable: Schema.Codec<Shape> = Schema.Struct({
  $ref: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  enum: Schema.optionalKey(Schema.Array(Schema.String)),
  minimum: Schema.optionalKey(Schema.Number),
  maximum: Schema.optionalKey(Schema.Number),
  properties: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.suspend(() => decodable)
    )
  ),
  required: Schema.optionalKey(Schema.Array(Schema.String)),
  items: Schema.optionalKey(Schema.suspend(() => decodable)),
  patternProperties: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.suspend(() => decodable)
    )
  ),
  additionalProperties: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.suspend(() => decodable)]))
})

const Document = Schema.Struct({
  properties: Schema.Record(Schema.String, decodable),
  $defs: Schema.Record(Schema.String, decodable)
})
type Document = typeof Document.Type

/** Returns a schema, or the schema that its `$ref` names. A description beside the `$ref` takes precedence. */
const resolved = (node: Shape, { $defs }: Document): Shape => {
  if (node.$ref === undefined) return node
  const named = $defs[node.$ref.replace("#/$defs/", "")] ?? {}
  return { ...named, ...(node.description === undefined ? {} : { description: node.description }) }
}

const kindOf = (node: Shape, document: Document): string => {
  if (node.enum !== undefined) return node.enum.map((word) => `\`${word}\``).join(", ")
  if (node.type === "integer") return `whole number from ${node.minimum} to ${node.maximum}`
  if (node.type === "boolean") return "`true`, `false`"
  if (node.type === "string") return "text"
  if (node.type === "array") {
    const items = resolved(node.items ?? {}, document)
    return items.type === "object" ? "list of maps" : "list of texts"
  }
  if (node.patternProperties !== undefined) return "map of texts"
  const values = node.additionalProperties
  return typeof values === "object" && resolved(values, document).type === "string" ? "map of texts" : "map"
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("*", "\\*")

const valueAt = (values: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined),
    values
  )

const row = (path: ReadonlyArray<string>, node: Shape, document: Document, values: unknown): string => {
  const value = valueAt(values, path)
  const initial = value === undefined || value === "" ? "" : `\`${JSON.stringify(value).replaceAll('"', "")}\``
  const whatItDoes = node.description ?? descriptions.get(path.slice(1).join(".")) ?? ""
  return `| \`${path.join(".")}\` | ${cell(kindOf(node, document))} | ${initial} | ${cell(whatItDoes)} |`
}

/** Lists the values of one section and of the sections inside it. */
const rows = (
  path: ReadonlyArray<string>,
  given: Shape,
  document: Document,
  values: unknown
): ReadonlyArray<string> => {
  const node = resolved(given, document)
  if (node.properties === undefined) return [row(path, node, document, values)]
  return Object.entries(node.properties).flatMap(([name, inner]) => rows([...path, name], inner, document, values))
}

const table = (lines: ReadonlyArray<string>): string =>
  ["| Value | Allowed | Default | What it does |", "|---|---|---|---|", ...lines].join("\n")

/** Renders one table for each section, then one table for the single values. */
const sections = (document: Document, values: unknown): string => {
  const named = Object.entries(document.properties).map(([name, node]) => ({ name, node: resolved(node, document) }))
  const groups = named.filter(({ node }) => node.properties !== undefined)
  const single = named.filter(({ node }) => node.properties === undefined)
  const chapters = groups.map(
    ({ name, node }) => `### \`${name}\`\n\n${node.description ?? ""}\n\n${table(rows([name], node, document, values))}`
  )
  const rest = `### Others\n\n${table(single.flatMap(({ name, node }) => rows([name], node, document, values)))}`
  return [...chapters, rest].join("\n\n")
}

const SHAPES = [
  ["key", "An entry of `apiKeys.keys`"],
  ["rule", "A rule"],
  ["selector", "A selector of namespaces"]
] as const

const shapes = (document: Document): string =>
  SHAPES.map(([name, title]) => {
    const node = document.$defs[name] ?? {}
    const lines = Object.entries(node.properties ?? {}).map(([field, inner]) => {
      const { description, ...kind } = resolved(inner, document)
      const isRequired = node.required?.includes(field) === true
      return `| \`${field}\` | ${isRequired ? "yes" : ""} | ${cell(kindOf(kind, document))} | ${cell(description ?? "")} |`
    })
    const head = ["| Field | Required | Allowed | What it is |", "|---|---|---|---|"]
    return `### ${title}\n\n${node.description ?? ""}\n\n${[...head, ...lines].join("\n")}`
  }).join("\n\n")

const readme = (document: Document, values: unknown): string => `# The Helm chart of Quarterdeck

<!-- Made from packages/helm-chart/values.schema.json and values.yaml; change them there. -->

Runs Quarterdeck in a cluster, which becomes the parent cluster. A Secret of kubeconfig files adds child clusters.
[Install by Helm](../../docs/tasks/install-by-helm.md) has examples of each configuration to copy.

The chart creates:

- a StatefulSet with one replica and a volume, since a data directory can be used by one server at a time
- a Secret of keys and a ConfigMap of settings
- a ServiceAccount and a ClusterRole with minimal permissions
- a Service, a NetworkPolicy and a PodDisruptionBudget
- on request, an Ingress, an HTTPRoute and a ServiceMonitor

The pod runs as user 65532 without capabilities, on a read-only root file system, with the seccomp profile of the runtime.

Create other Secrets yourself and give the chart their names. Helm stores all values in each release, so a secret value
would remain there. The hashes in \`apiKeys.keys\` are no secrets.

Changes of keys, kubeconfig files and certificates apply without a restart, as soon as the kubelet has updated the pod: within
two minutes. Any other changed value rolls the pod. The server reads the Secrets of \`secretSettings\` and \`oidc\` only at
startup. After changing one of these, run \`kubectl rollout restart\`.

## Values

The chart rejects values that are not listed here.

${sections(document, values)}

## Shapes

${shapes(document)}
`

const chart = (text: string, version: string): string =>
  text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: ${version}`)

const decode = Schema.decodeSync(Schema.fromJsonString(Document))
const versionOf = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))

const read = (path: string): Promise<string> => readFile(path, "utf8")

/** Returns the generated files of the chart, each with its path. */
export const pages = async (): Promise<ReadonlyArray<readonly [path: string, text: string]>> => {
  const { version } = versionOf(await read("packages/http-server/package.json"))
  const document = decode(await read(`${FOLDER}/values.schema.json`))
  const values: unknown = parse(await read(`${FOLDER}/values.yaml`))
  return [
    [`${FOLDER}/README.md`, readme(document, values)],
    [`${FOLDER}/Chart.yaml`, chart(await read(`${FOLDER}/Chart.yaml`), version)]
  ]
}
