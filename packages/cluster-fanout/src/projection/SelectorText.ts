/**
 * Writes the label selector of a workload as kubectl and the API's query parameters take it.
 */
import { type Fields, fields, list, text } from "./Field.ts"

/** The sign before one value, and the word before several: a list of one empty value would look like a list of none. */
const OPERATORS: Readonly<Record<string, readonly [sign: string, word: string]>> = {
  In: ["=", "in"],
  NotIn: ["!=", "notin"]
}

/**
 * Writes a `LabelSelector` object.
 *
 * **Shape** `undefined` for one that is absent, selects everything, or holds an operator that is not known.
 *
 * **Example** `app=web,tier in (back,front),!canary`
 */
export const of = (selector: unknown): string | undefined => {
  const { matchExpressions, matchLabels } = fields(selector)
  const equal = Object.entries(fields(matchLabels)).map(([key, value]) => `${key}=${text(value) ?? ""}`)
  const expressions = list(matchExpressions).map((one) => expressionText(fields(one)))
  const all = [...equal, ...expressions]
  return all.length === 0 || all.includes(undefined) ? undefined : all.join(",")
}

const expressionText = (expression: Fields): string | undefined => {
  const key = text(expression["key"])
  const operator = text(expression["operator"]) ?? ""
  if (key === undefined) return undefined
  if (operator === "Exists") return key
  if (operator === "DoesNotExist") return `!${key}`
  const written = OPERATORS[operator]
  const values = list(expression["values"]).flatMap((value) => text(value) ?? [])
  if (written === undefined || values.length === 0) return undefined
  const [sign, word] = written
  return values.length === 1 ? `${key}${sign}${values.join("")}` : `${key} ${word} (${values.join(",")})`
}
