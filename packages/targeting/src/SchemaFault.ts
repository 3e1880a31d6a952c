/**
 * Describes why a value did not decode, without quoting the value.
 */
import { Array, SchemaAST, SchemaIssue } from "effect"

/**
 * The problem of one field.
 *
 * **Shape** `field` is a path such as `rule.targetClusters[2]`, empty for the whole value.
 */
export interface SchemaFault {
  readonly field: string
  readonly problem: string
  /** True if the schema does not contain the field. */
  readonly isUnknown: boolean
}

type Path = ReadonlyArray<PropertyKey>

/**
 * Returns the first problem, worded for users who do not know the schema's types.
 *
 * **Example** `overrides[0].resource: expected node, storage, egress, loadBalancer or cluster`
 */
export const fromIssue = (issue: SchemaIssue.Issue): SchemaFault => allFromIssue(issue)[0]

/**
 * Returns every problem of an issue.
 *
 * **Shape** unknown fields come first, because they are often misspellings of a missing field. A value that was decoded
 * without the option `errors: "all"` has only one problem.
 */
export const allFromIssue = (issue: SchemaIssue.Issue): Array.NonEmptyReadonlyArray<SchemaFault> => {
  const faults = faultsOf(issue, []).toSorted((left, right) => Number(right.isUnknown) - Number(left.isUnknown))
  return Array.isReadonlyArrayNonEmpty(faults) ? faults : [known([], "is not allowed")]
}

const faultsOf = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<SchemaFault> => {
  switch (issue._tag) {
    case "Pointer":
      return faultsOf(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return faultsOf(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => faultsOf(inner, path))
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((inner) => faultsOf(inner, path))
        : [noneOf(issue.ast, path)]
    case "InvalidType":
      return [known(path, `expected ${wordsOf(issue.ast)}`)]
    case "MissingKey":
      return [known(path, "is required")]
    case "UnexpectedKey":
      return [unknownField(path, SchemaAST.isObjects(issue.ast) ? issue.ast.propertySignatures.map(nameOf) : [])]
    default:
      return format(issue).issues.map(({ message, path: rest = [] }) =>
        known(
          [...path, ...rest.map((step) => (typeof step === "object" ? step.key : step))],
          message.charAt(0).toLowerCase() + message.slice(1)
        )
      )
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const known = (path: Path, problem: string): SchemaFault => ({ field: printPath(path), problem, isUnknown: false })

const nameOf = ({ name }: SchemaAST.PropertySignature): string => String(name)

/**
 * Reports a value outside a union. If one field distinguishes the members of the union, the problem is reported for
 * that field.
 */
const noneOf = (union: SchemaAST.Union, path: Path): SchemaFault => {
  const kinds = union.types.map((type) => {
    const encoded = SchemaAST.toEncoded(type)
    return SchemaAST.isObjects(encoded)
      ? encoded.propertySignatures.filter(({ type }) => SchemaAST.isLiteral(type))
      : []
  })
  const shared = kinds[0]?.find(({ name }) => kinds.every((kind) => kind.some((other) => other.name === name)))
  if (shared === undefined) return known(path, `expected ${wordsOf(union)}`)
  const values = kinds.flatMap((kind) =>
    kind.filter(({ name }) => name === shared.name).map(({ type }) => wordsOf(type))
  )
  return known([...path, shared.name], `expected ${eitherOf(values)}`)
}

/** Describes the expected value in terms of JSON. */
const wordsOf = (ast: SchemaAST.AST): string => {
  const expected = ast.annotations?.["expected"]
  if (typeof expected === "string") return expected
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return String(ast.literal)
    case "Arrays":
      return "an array"
    case "Objects":
      return "an object"
    case "Union":
      return eitherOf(ast.types.map((type) => wordsOf(SchemaAST.toEncoded(type))))
    default:
      return "another value"
  }
}

const eitherOf = (values: ReadonlyArray<string>): string => {
  const distinct = [...new Set(values)]
  return distinct.length < 2 ? distinct.join("") : `${distinct.slice(0, -1).join(", ")} or ${distinct.at(-1)}`
}

/** Makes the problem of an unknown field. **Shape** the message lists the `allowed` names. */
export const unknownField = (path: Path, allowed: ReadonlyArray<string> = []): SchemaFault => ({
  field: printPath(path),
  problem: allowed.length === 0 ? UNKNOWN : `${UNKNOWN}; allowed: ${allowed.join(", ")}`,
  isUnknown: true
})

const UNKNOWN = "is not known here"

/** Prints a problem as one sentence with its field. */
export const print = ({ field, problem }: SchemaFault): string => (field === "" ? problem : `${field}: ${problem}`)

/** Keys of this form need no quotes and cannot break a log line. */
const PLAIN_KEY = /^[A-Za-z0-9_./-]+$/
/** Upper bound of a key in a message. Longer keys are caller input and are not echoed in full. */
const MAX_KEY = 128

/**
 * Prints the path of a value.
 *
 * **Limits** prints the first 128 characters of each key.
 *
 * **Example** `printPath(["rule", "targetClusters", 2])` is `rule.targetClusters[2]`
 */
export const printPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`
    const key = String(step).slice(0, MAX_KEY)
    const name = PLAIN_KEY.test(key) ? key : JSON.stringify(key)
    return text === "" ? name : `${text}.${name}`
  }, "")
