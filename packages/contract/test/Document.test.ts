import { assert, describe, it } from "@effect/vitest"
import { Predicate, Result, Schema } from "effect"
import * as Document from "../src/Document.ts"
import { actionExamples } from "../src/document/ActionExamples.ts"
import { costExamples } from "../src/document/CostExamples.ts"
import { auditExamples, keyExamples } from "../src/document/KeyExamples.ts"
import { listExamples } from "../src/document/ListExamples.ts"
import { priceExamples } from "../src/document/PriceExamples.ts"
import { problems } from "../src/document/ProblemExamples.ts"
import * as Problem from "../src/Problem.ts"

/** What this suite reads of the document. */
const Parameter = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Unknown)
})
const Reference = Schema.Struct({ $ref: Schema.String })
const Operation = Schema.Struct({
  parameters: Schema.Array(Parameter),
  requestBody: Schema.optionalKey(Schema.Struct({ required: Schema.Boolean })),
  responses: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
})
const Reply = Schema.Struct({
  description: Schema.String,
  content: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Struct({ schema: Reference, examples: Schema.Record(Schema.String, Schema.Unknown) })
    )
  )
})
const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation)),
    components: Schema.Struct({
      schemas: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
      responses: Schema.Record(Schema.String, Reply)
    })
  })
)

const made = Document.make()
const { components, paths } = decode(made)
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, ...operation }))
)
const operationOf = (name: string) => operations.find((operation) => operation.name === name)
const parameterOf = (name: string, parameter: string) =>
  operationOf(name)?.parameters.find((one) => one.name === parameter)?.schema

/** Every value of a member, wherever it stands, in lists too. */
const valuesOf = (value: unknown, key: string): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => valuesOf(one, key))
  if (!Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === key ? [member] : []),
    ...valuesOf(member, key)
  ])
}

describe("the OpenAPI document", () => {
  it("has one Problem, which every refusal refers to", () => {
    const withCodes = Object.entries(components.schemas).filter(([, schema]) =>
      valuesOf(schema["properties"], "code").some((code) => Predicate.hasProperty(code, "enum"))
    )
    assert.deepStrictEqual(
      withCodes.map(([name]) => name),
      // An outcome of many tells why by the codes of problems, and is none.
      ["Problem", "BulkOutcome"]
    )
    for (const { name, responses } of operations) {
      for (const [status, reply] of Object.entries(responses)) {
        if (Number(status) < 400 || "content" in reply) continue
        assert.deepStrictEqual(reply, { $ref: `#/components/responses/Status${status}` }, `${name} ${status}`)
      }
    }
    for (const { content = {} } of Object.values(components.responses)) {
      for (const { schema } of Object.values(content)) assert.strictEqual(schema.$ref, "#/components/schemas/Problem")
    }
  })

  it("lists with each status the codes that it can have, each with an example", () => {
    for (const code of Problem.codes) {
      const reply = components.responses[`Status${Problem.catalogue[code].status}`]
      assert.include(reply?.description, `\`${code}\``)
      assert.property(reply?.content?.["application/problem+json"]?.examples, code)
    }
  })

  /** Whoever comes without a key finds no other method there. */
  const OPEN = new Set(["get /healthz", "get /readyz", "post /api/v1/session"])

  it("tells of 405 wherever a key is asked for, and of 431 everywhere", () => {
    for (const { name, responses } of operations) {
      assert.property(responses, "431", name)
      assert.strictEqual("405" in responses, !OPEN.has(name), name)
    }
  })

  it("has numbers as numbers, with their bounds and defaults", () => {
    const list = "get /api/v1/workloads"
    assert.deepInclude(parameterOf(list, "limit"), { type: "integer", minimum: 1, maximum: 5_000, default: 500 })
    assert.deepInclude(parameterOf(list, "timeoutMs"), { type: "integer", minimum: 1, maximum: 30_000, default: 3_000 })
    assert.deepInclude(parameterOf("get /api/v1/apiKeys", "limit"), { type: "integer", maximum: 5_000, default: 500 })
    const [bytes] = valuesOf(components.schemas["Workload"], "memoryRequestBytes")
    assert.deepInclude(bytes, { type: "integer", format: "int64", minimum: 0 })
  })

  it("has the header and the deadlines that the server's settings name", () => {
    const own = decode(Document.make({ server: ".", header: "X-Cluster", timeoutMs: 500, maxTimeoutMs: 1_000 }))
    const parameters = own.paths["/api/v1/clusters"]?.["get"]?.parameters ?? []
    assert.include(
      parameters.map(({ name }) => name),
      "X-Cluster"
    )
    const timeout = parameters.find(({ name }) => name === "timeoutMs")?.schema
    assert.deepInclude(timeout, { default: 500, maximum: 1_000 })
  })

  it.each([
    ["range", "post /detailedCostReport/getWorkloads", ["7d", "24h", "9999w"], ["0d", "7", "7m", "-1d", ""]],
    ["from", "get /api/v1/costExplanation", ["0", "1793491200000", "2026-01-31T12:00:00+02:00"], ["yesterday", "-1"]],
    ["cluster", "get /api/v1/costExplanation", ["prod", "eu-1.prod_a"], ["-prod", "a|b", ""]],
    ["X-Service-Cluster", "get /api/v1/workloads", ["prod", "a|b", "a | b", "*", '"*"'], ["a||b", "a,b", "**", ""]],
    ["cursor", "get /api/v1/apiKeys", ["WyJh.bciq-_"], ["a b", ""]]
  ])("has a pattern of %s", (parameter, operation, allowed, refused) => {
    const pattern = new RegExp(String(parameterOf(operation, parameter)?.["pattern"]), "u")
    for (const text of allowed) assert.match(text, pattern)
    for (const text of refused) assert.notMatch(text, pattern)
  })

  it("has only patterns that every generator can read", () => {
    const patterns = new Set(valuesOf(made, "pattern").map(String))
    assert.isAbove(patterns.size, 8)
    // What RE2, Python's re and Java's Pattern do not share with ECMAScript.
    for (const pattern of patterns) assert.notMatch(pattern, /\\[pPuck]|\(\?[=!<]|\\[0-9]/)
  })

  it("says of each part of a reply what it is in one schema: generators leave replies out whose parts they cannot merge", () => {
    assert.deepStrictEqual(valuesOf(made, "allOf"), [])
  })

  it("has a format for every instant", () => {
    for (const [name, schema] of Object.entries(components.schemas)) {
      for (const key of ["createdAt", "lastSeen", "expiresAt", "lastUsedAt", "start", "end", "validFrom"]) {
        if (["ApiKey", "ApiKeyFamily", "SignedIn"].includes(name) && key === "start") continue
        for (const value of valuesOf(schema["properties"], key)) {
          assert.include(JSON.stringify(value), '"format":"date-time"', `${name}.${key}`)
        }
      }
    }
  })

  it.each([
    ["post /api/v1/workloads/actions", "text/event-stream"],
    ["post /detailedCostReport/getWorkloads", "text/csv"]
  ])("tells of both forms of what %s replies", (name, form) => {
    const content = operationOf(name)?.responses["200"]?.["content"]
    assert.sameMembers(Object.keys(Predicate.isObject(content) ? content : {}), ["application/json", form])
  })

  it("lets a body be left out of which nothing must be said", () => {
    const required = operations.flatMap(({ name, requestBody }) =>
      requestBody === undefined ? [] : [[name, requestBody.required]]
    )
    assert.deepStrictEqual(Object.fromEntries(required), {
      "post /api/v1/accessReviews": true,
      "post /api/v1/apiKeys": true,
      "patch /api/v1/apiKeys/{id}": false,
      "post /api/v1/apiKeys/{id}/rotate": false,
      "post /api/v1/clusters": true,
      "post /api/v1/session": true,
      "post /api/v1/workloads/{cluster}/{namespace}/{kind}/{name}/scale": true,
      "post /api/v1/workloads/{cluster}/{namespace}/{kind}/{name}/restart": false,
      "post /api/v1/workloads/actions": true,
      "post /api/v1/workloads/{cluster}/{namespace}/{kind}/{name}/pause": false,
      "post /api/v1/workloads/{cluster}/{namespace}/{kind}/{name}/resume": false,
      "post /detailedCostReport/getWorkloads": false,
      "post /detailedCostReport/getAggregated": true,
      "put /api/v1/prices": true
    })
  })

  it("has an example of every component", () => {
    const without = Object.entries(components.schemas).filter(([, schema]) => !("examples" in schema))
    assert.deepStrictEqual(without, [])
  })

  const all = [
    ...actionExamples,
    ...costExamples,
    ...auditExamples,
    ...keyExamples,
    ...listExamples,
    ...priceExamples,
    ...Object.values(problems).map((value) => ({ schema: Problem.Problem, value }))
  ]
  it.each(all.map((one, index) => [index, one] as const))("has examples that the contract accepts: %i", (_, one) => {
    const decoded = Schema.decodeUnknownResult(one.schema, { onExcessProperty: "error" })(one.value)
    assert.isTrue(Result.isSuccess(decoded), JSON.stringify(decoded))
  })
})
