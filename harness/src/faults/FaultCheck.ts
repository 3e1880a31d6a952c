/** Says in one line why something is no fault. */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { InvalidFault } from "../machine/HarnessError.ts"

/** The form of each fault, by its tag. */
type Schemas = Readonly<Record<string, Schema.Decoder<unknown>>>

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the first field that is wrong, and what may stand there. */
export const refusal = (schemas: Schemas, given: unknown): InvalidFault => {
  const tag = Predicate.hasProperty(given, "_tag") ? String(given._tag) : ""
  const schema = Object.hasOwn(schemas, tag) ? schemas[tag] : undefined
  const problem =
    schema === undefined
      ? `its _tag must be one of ${Object.keys(schemas).join(", ")}`
      : problemOf(Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(given))
  return new InvalidFault({ fault: tag, problem })
}

const problemOf = (decoded: Result.Result<unknown, Schema.SchemaError>): string => {
  const [first] = Result.isFailure(decoded) ? issuesOf(decoded.failure.issue).issues : []
  if (first === undefined) return "it cannot be read"
  const field = (first.path ?? []).reduce<string>(
    (path, step) => joined(path, typeof step === "object" ? step.key : step),
    ""
  )
  if (first.message === "Expected no excess property") return `it has no field ${field}`
  if (first.message === "Missing key") return `${field} is missing`
  return `${field} must be ${first.message.replace(/^Expected /, "").replaceAll(" | ", " or ")}`
}

const joined = (path: string, step: PropertyKey): string => {
  if (typeof step === "number") return `${path}[${step}]`
  return path === "" ? String(step) : `${path}.${String(step)}`
}
