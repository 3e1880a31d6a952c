/**
 * The first thing that is wrong with a value that did not decode, told without the value.
 *
 * @since 0.1.0
 */
import { SchemaIssue } from "effect"

/** **Shape** `field` is a path such as `rule.targetClusters[2]`, empty for the whole value. */
export interface SchemaFault {
  readonly field: string
  readonly problem: string
  /** Whether the field is one that the schema does not know. */
  readonly isUnknown: boolean
}

const UNKNOWN = "is not known here"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "UnexpectedKey":
        return UNKNOWN
      case "MissingKey":
        return "is required"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

/** Reads the fault; a field unknown to the schema comes first, as it is often the misspelling of a missing one. */
export const fromIssue = (issue: SchemaIssue.Issue): SchemaFault => {
  const faults = format(issue).issues.map(({ message, path = [] }) => ({
    field: printPath(path.map((step) => (typeof step === "object" ? step.key : step))),
    problem: message.charAt(0).toLowerCase() + message.slice(1),
    isUnknown: message === UNKNOWN
  }))
  return (
    faults.find(({ isUnknown }) => isUnknown) ?? faults[0] ?? { field: "", problem: "is not allowed", isUnknown: false }
  )
}

/** Makes the fault of a field that nothing declares. */
export const unknownField = (name: string): SchemaFault => ({
  field: printPath([name]),
  problem: UNKNOWN,
  isUnknown: true
})

/** Prints a fault as one sentence that names its field. */
export const print = ({ field, problem }: SchemaFault): string => (field === "" ? problem : `${field}: ${problem}`)

/** A key of this form needs no quotes, and cannot break the line that tells of it. */
const PLAIN_KEY = /^[A-Za-z0-9_./-]+$/
/** A name that is asked for is rarely longer, and a caller's own is not sent back whole. */
const MAX_KEY = 128

/**
 * Prints where a value stands.
 *
 * **Limits** of each name the first 128 characters.
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
