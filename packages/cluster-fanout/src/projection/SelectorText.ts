/**
 * Prints a workload's label selector in the syntax of kubectl and of the API's query parameters.
 */
import { type Fields, fields, list, text } from "./Field.ts"

/**
 * Printed operators: a sign for a single value, a word for several. With the word, one empty value would print as `in
 * ()`, like an empty list.
 */
const OPERATORS: Readonly<Record<string, readonly [sign: string, word: string]>> = {
  In: ["=", "in"],
  NotIn: ["!=", "notin"]
}

/**
 * Prints a `LabelSelector` object.
 *
 * **Shape** `undefined` if the selector is absent, selects everything or has an unknown operator.
 *
 * **Example** `app=web,tier in (back,front),!canary`
 */
export const of = (selector: unknown): string | undefined => {
  const { matchExpressions, matchLabels } = fields(selector)
  const equal = Object.entries(fields(matchLabels)).map(([key, value]) => `${key}=${text(value) ?? ""}`)
  const expressions = list(matchExpressions).map((expression) => expressionText(fields(expression)))
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
