/**
 * The first thing that is wrong with a value that did not decode, told without the value.
 *
 * @since 0.1.0
 */
import { SchemaIssue } from "effect"
import { pathOf } from "./StrictJson.ts"

/** **Shape** `field` is a path such as `rule.targetClusters[2]`, empty for the whole value. */
export interface SchemaFault {
  readonly field: string
  readonly message: string
  /** Whether the field is one that the schema does not know. */
  readonly unknown: boolean
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

/** Reads the fault; the first one that concerns a field unknown to the schema comes before the others. */
export const fromIssue = (issue: SchemaIssue.Issue): SchemaFault => {
  const faults = format(issue).issues.map(({ message, path = [] }) => ({
    field: pathOf(path.map((step) => (typeof step === "object" ? step.key : step))),
    message: message.charAt(0).toLowerCase() + message.slice(1),
    unknown: message === UNKNOWN
  }))
  return faults.find((fault) => fault.unknown) ?? faults[0] ?? { field: "", message: "is not allowed", unknown: false }
}

/** Makes the fault of a field that nothing declares. */
export const unknownField = (name: string): SchemaFault => ({ field: pathOf([name]), message: UNKNOWN, unknown: true })

/** Prints a fault as one sentence that names its field. */
export const print = (fault: SchemaFault): string => (fault.field === "" ? fault.message : `${fault.field}: ${fault.message}`)
