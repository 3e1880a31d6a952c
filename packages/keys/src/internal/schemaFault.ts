/**
 * The first thing that is wrong with a value that did not decode, told without the value.
 */
import { SchemaIssue } from "effect"

/** **Shape** `field` is a path such as `rule.targetClusters[2]`, empty for the whole value. */
export interface SchemaFault {
  readonly field: string
  readonly problem: string
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
    problem: message.charAt(0).toLowerCase() + message.slice(1)
  }))
  return faults.find(({ problem }) => problem === UNKNOWN) ?? faults[0] ?? { field: "", problem: "is not allowed" }
}

/** A key of this form needs no quotes, and cannot break the line that tells of it. */
const PLAIN_KEY = /^[A-Za-z0-9_./-]{1,253}$/

const printPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`
    const key = String(step)
    const name = PLAIN_KEY.test(key) ? key : JSON.stringify(key.slice(0, 253))
    return text === "" ? name : `${text}.${name}`
  }, "")
