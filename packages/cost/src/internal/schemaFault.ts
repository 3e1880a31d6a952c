/**
 * Says which field of an input a schema refuses, and why.
 */
import { type Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Gives the first fault. **Shape** `field` is written as in JavaScript, `overrides[2].match.cluster`; empty for the whole. */
export const first = ({ issue }: Schema.SchemaError): { readonly field: string; readonly problem: string } => {
  const [fault] = format(issue).issues
  return { field: printPath(fault?.path ?? []), problem: fault?.message ?? "is not allowed" }
}

const printPath = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path
    .map((step) => (typeof step === "object" ? step.key : step))
    .reduce<string>(
      (text, step) =>
        typeof step === "number" ? `${text}[${step}]` : text === "" ? String(step) : `${text}.${String(step)}`,
      ""
    )
