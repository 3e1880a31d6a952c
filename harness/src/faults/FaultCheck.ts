/** Describes in one line why a value is not a valid fault. */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { InvalidFault } from "../machine/HarnessError.ts"

/** The schema of each fault, by its tag. */
type Schemas = Readonly<Record<string, Schema.Decoder<unknown>>>

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Returns an error that names the first invalid field and its allowed values. */
export const refusal = (schemas: Schemas, input: unknown): InvalidFault => {
  const tag = Predicate.hasProperty(input, "_tag") ? String(input._tag) : ""
  const schema = Object.hasOwn(schemas, tag) ? schemas[tag] : undefined
  const problem =
    schema === undefined
      ? `its _tag must be one of ${Object.keys(schemas).join(", ")}`
      : problemOf(Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(input))
  return new InvalidFault({ fault: tag, problem })
}

const problemOf = (decoded: Result.Result<unknown, Schema.SchemaError>): string => {
  const [first] = Result.isFailure(decoded) ? issuesOf(decoded.failure.issue).issues : []
  if (first === undefined) return "it cannot be decoded"
  const field = (first.path ?? []).reduce<string>(
    (path, step) => joined(path, typeof step === "object" ? step.key : step),
    ""
  )
  if (first.message === "Expected no excess property") return `unknown field ${field}`
  if (first.message === "Missing key") return `${field} is missing`
  return `${field} must be ${first.message.replace(/^Expected /, "").replaceAll(" | ", " or ")}`
}

const joined = (path: string, step: PropertyKey): string => {
  if (typeof step === "number") return `${path}[${step}]`
  return path === "" ? String(step) : `${path}.${String(step)}`
}
