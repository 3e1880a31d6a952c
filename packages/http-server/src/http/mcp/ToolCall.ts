/**
 * Turns a tool call into a call of its route, and the reply of the route into a result for a model.
 */
import type { Code } from "@quarterdeck/contract/Problem"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Effect, Predicate, Result, Schema } from "effect"
import * as Nearest from "../../settings/Nearest.ts"
import * as McpCaller from "./McpCaller.ts"
import type { McpTool } from "./McpTools.ts"
import { DEFAULT_ROWS, MAX_ROWS, type ToolInput } from "./ToolInput.ts"
import * as ClusterData from "./ClusterData.ts"
import * as ToolArguments from "./ToolArguments.ts"
import * as ToolRefusal from "./ToolRefusal.ts"

type Arguments = Readonly<Record<string, unknown>>

/** Longest result. **Units** characters of JSON; about four characters are one token of a model. */
const MAX_LENGTH = 64 * 1024 - ClusterData.OVERHEAD

/** The problem of an argument that cannot be sent to the route. */
interface InvalidArgument {
  readonly code: Code
  readonly detail: string
  readonly field: string
}

const invalid = (field: string, problem: string): Result.Result<never, InvalidArgument> =>
  Result.fail({ code: "invalid_parameter", detail: `${field}: ${problem}`, field })

const unknown = (field: string, names: ReadonlyArray<string>): Result.Result<never, InvalidArgument> =>
  Result.fail({
    code: "unknown_parameter",
    detail: `${field}: the tool has no such argument${Nearest.suggestion(Nearest.find(field, names))}; ${names.length === 0 ? "it takes none" : `allowed: ${names.join(", ")}`}`,
    field
  })

const decodeTarget = Schema.decodeUnknownResult(TargetRequest.Body)
const isText = Schema.is(Schema.Union([Schema.String, Schema.Number, Schema.Boolean]))

/**
 * Reads the argument `clusters` as a target.
 *
 * **Shape** an absent argument selects the default target of the route; `["*"]` selects all clusters that the key reaches.
 */
const targetOf = ({ clusters }: Arguments): Result.Result<TargetRequest.Body, InvalidArgument> => {
  if (clusters === undefined) return Result.succeed({})
  if (Array.isArray(clusters) && clusters.length === 1 && clusters[0] === "*") {
    return Result.succeed({ multiCluster: true })
  }
  const target = decodeTarget({ multiCluster: true, clusters })
  if (Result.isSuccess(target)) return Result.succeed(target.success)
  const fault = SchemaFault.fromIssue(target.failure.issue)
  const all = fault.field === "clusters" ? ', or ["*"] for all clusters that the key reaches' : ""
  return invalid(fault.field, `${fault.problem}${all}`)
}

/** Turns arguments into a call. The route validates the values. */
const callOf = (
  { defaults, endpoint, isPaged, targeting }: McpTool,
  { hasBody, inPath, inQuery, schema: { properties } }: ToolInput,
  given: Arguments
): Result.Result<McpCaller.RouteCall, InvalidArgument> =>
  Result.gen(function* () {
    const target = targeting === "none" ? undefined : yield* targetOf(given)
    const query = new URLSearchParams()
    const body: Record<string, unknown> = {}
    const all: Arguments =
      isPaged && given["limit"] === undefined ? { ...given, limit: DEFAULT_ROWS } : { ...defaults, ...given }
    let { path }: { readonly path: string } = endpoint
    for (const name of inPath) path = path.replace(`:${name}`, encodeURIComponent(yield* partOf(name, all[name])))
    if (isPaged && typeof all["limit"] === "number" && all["limit"] > MAX_ROWS) {
      return yield* invalid("limit", `at most ${MAX_ROWS} in a tool; use nextCursor of the answer for further rows`)
    }
    for (const [name, value] of Object.entries(all)) {
      if (!Object.hasOwn(properties, name)) return yield* unknown(name, Object.keys(properties))
      if (inPath.has(name) || (name === "clusters" && targeting !== "none")) continue
      if (hasBody && !inQuery.has(name)) body[name] = value
      else for (const text of yield* textsOf(name, value)) query.append(name, text)
    }
    const { method } = endpoint
    return hasBody
      ? { method, path, query, target: undefined, body: { ...body, ...target } }
      : { method, path, query, target, body: undefined }
  })

const textsOf = (name: string, value: unknown): Result.Result<ReadonlyArray<string>, InvalidArgument> => {
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const texts = values.filter(isText).map(String)
  return texts.length === values.length ? Result.succeed(texts) : invalid(name, "must be a text, a number or a list")
}

/** Reads a path segment. **Shape** an empty text, `.` and `..` are refused, because they would change the path. */
const partOf = (name: string, value: unknown): Result.Result<string, InvalidArgument> => {
  if (value === undefined) return invalid(name, "is missing")
  return typeof value === "string" && !/^\.{0,2}$/.test(value) ? Result.succeed(value) : invalid(name, "must be a name")
}

/**
 * Calls a tool.
 *
 * **Shape** a refusal is a result that is marked as an error, with the route's problem code and a hint what to do next.
 *
 * **Limits** if a paged result is longer than {@link MAX_LENGTH}, the route is called again with a smaller limit. Its
 * cursor then continues after the last row shown. A result without pages is cut to fewer rows.
 */
export const call = Effect.fn("ToolCall.call")(function* (tool: McpTool, input: ToolInput, given: unknown) {
  const { ask } = yield* McpCaller.current
  const first = callOf(tool, input, ToolArguments.read(input.schema, given))
  if (Result.isFailure(first)) return yield* ToolRefusal.ofArgument(first.failure)
  let { query } = first.success
  let reply = yield* ask(first.success)
  let most = DEFAULT_ROWS
  for (;;) {
    if (reply.status !== 200 || !Predicate.isReadonlyObject(reply.body)) return yield* ToolRefusal.ofReply(reply)
    const { answer, rows } = tool.shape({ ...reply.body }, most)
    const text = JSON.stringify(answer)
    if (text.length <= MAX_LENGTH) return yield* ClusterData.result(answer)
    if (rows <= 1) return yield* ToolRefusal.tooLong
    most = Math.max(1, Math.min(rows - 1, Math.floor((rows * MAX_LENGTH) / text.length)))
    if (!tool.isPaged) continue
    query = new URLSearchParams(query)
    query.set("limit", String(most))
    reply = yield* ask({ ...first.success, query })
  }
})
