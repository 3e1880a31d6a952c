/**
 * Selects objects by their labels, in the syntax of `kubectl -l`.
 *
 * **Source** Kubernetes, "Labels and Selectors"; apimachinery `labels.Parse`.
 */
import { LabelKey, LabelValue } from "@quarterdeck/targeting/NamespaceFilter"
import { Result, Schema } from "effect"

/**
 * One condition on a label.
 *
 * **Shape** `NotIn` also matches an object without the key. `DoesNotExist` matches only objects without the key. `Gt`
 * and `Lt` compare whole numbers and match no other value.
 */
export type Requirement =
  | { readonly operator: "In" | "NotIn"; readonly key: string; readonly values: ReadonlyArray<string> }
  | { readonly operator: "Gt" | "Lt"; readonly key: string; readonly value: bigint }
  | { readonly operator: "Exists" | "DoesNotExist"; readonly key: string }

/** Requirements that must all match. An empty list matches everything. */
export type LabelSelector = ReadonlyArray<Requirement>

export const everything: LabelSelector = []

/** A syntax error and its position. The message omits the text itself, which may be hostile. */
export class InvalidLabelSelector extends Schema.TaggedError<InvalidLabelSelector>()("InvalidLabelSelector", {
  problem: Schema.Literals([
    "tooLong",
    "key",
    "value",
    "operator",
    "openingParenthesis",
    "closingParenthesis",
    "noValues",
    "number",
    "end"
  ]),
  /** Number of characters before the error. */
  at: Schema.Natural
}) {
  override get message(): string {
    return `label selector, character ${this.at + 1}: ${EXPLANATION[this.problem]}`
  }
}

const MAX_CHARACTERS = 4096

/**
 * Parses a selector.
 *
 * **Shape** requirements joined by `,`: `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)`,
 * `key notin (a,b)`, `key>1`, `key<2`. White space between the parts is skipped. An empty text selects everything.
 *
 * **Errors** `InvalidLabelSelector` with the problem and its position.
 *
 * **Limits** 4,096 characters.
 *
 * **Example**
 *
 * ```ts
 * parse("app=web,tier in (front,edge),!canary")
 * ```
 */
export const parse = (text: string): Result.Result<LabelSelector, InvalidLabelSelector> => {
  if (text.length > MAX_CHARACTERS) return refuse("tooLong", MAX_CHARACTERS)
  const requirements: Array<Requirement> = []
  let at = skipSpace(text, 0)
  if (at === text.length) return Result.succeed(everything)

  for (;;) {
    const read = parseRequirement(text, at)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    requirements.push(read.success.requirement)
    at = skipSpace(text, read.success.end)
    if (at === text.length) return Result.succeed(requirements)
    if (text[at] !== ",") return refuse("end", at)
    at = skipSpace(text, at + 1)
  }
}

/** Prints the canonical text; `parse(print(selector))` returns an equal selector. */
export const print = (selector: LabelSelector): string => selector.map(printRequirement).join(",")

/** Returns whether labels satisfy every requirement. */
export const matches = (selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean =>
  selector.every((requirement) => satisfies(requirement, labels))

interface Read {
  readonly requirement: Requirement
  readonly end: number
}

/**
 * Returns whether a character ends a key or a value. Other characters belong to the word, which the label grammar
 * validates.
 */
const isDelimiter = (character: string): boolean => " \t\r\n,()=!<>".includes(character)
const isSpace = (character: string | undefined): boolean => character !== undefined && " \t\r\n".includes(character)
const isKey = Schema.is(LabelKey)
const isValue = Schema.is(LabelValue)

const parseRequirement = (text: string, start: number): Result.Result<Read, InvalidLabelSelector> => {
  const negated = text[start] === "!"
  const keyAt = negated ? skipSpace(text, start + 1) : start
  const keyEnd = wordEnd(text, keyAt)
  const key = text.slice(keyAt, keyEnd)
  if (!isKey(key)) return refuse("key", keyAt)
  if (negated) return succeed({ operator: "DoesNotExist", key }, keyEnd)

  const at = skipSpace(text, keyEnd)
  if (at === text.length || text[at] === ",") return succeed({ operator: "Exists", key }, at)
  if (text.startsWith("!=", at)) return parseSingle(text, at + 2, "NotIn", key)
  if (text.startsWith("==", at)) return parseSingle(text, at + 2, "In", key)
  if (text[at] === "=") return parseSingle(text, at + 1, "In", key)
  if (text[at] === ">") return parseNumber(text, at + 1, "Gt", key)
  if (text[at] === "<") return parseNumber(text, at + 1, "Lt", key)

  const wordAt = wordEnd(text, at)
  const word = text.slice(at, wordAt)
  if (word !== "in" && word !== "notin") return refuse("operator", at)
  return parseSet(text, skipSpace(text, wordAt), word === "in" ? "In" : "NotIn", key)
}

const parseSingle = (
  text: string,
  from: number,
  operator: "In" | "NotIn",
  key: string
): Result.Result<Read, InvalidLabelSelector> => {
  const start = skipSpace(text, from)
  const end = wordEnd(text, start)
  const value = text.slice(start, end)
  return isValue(value) ? succeed({ operator, key, values: [value] }, end) : refuse("value", start)
}

const parseNumber = (
  text: string,
  from: number,
  operator: "Gt" | "Lt",
  key: string
): Result.Result<Read, InvalidLabelSelector> => {
  const start = skipSpace(text, from)
  const end = wordEnd(text, start)
  const value = numberOf(text.slice(start, end))
  return value === undefined ? refuse("number", start) : succeed({ operator, key, value }, end)
}

const MAX_NUMBER = 2n ** 63n - 1n

/** Reads a label value as a whole number of at most 63 bits. **Shape** a label value has no sign. */
const numberOf = (text: string): bigint | undefined => {
  if (!/^[0-9]{1,63}$/.test(text)) return undefined
  const number = BigInt(text)
  return number <= MAX_NUMBER ? number : undefined
}

const parseSet = (
  text: string,
  open: number,
  operator: "In" | "NotIn",
  key: string
): Result.Result<Read, InvalidLabelSelector> => {
  if (text[open] !== "(") return refuse("openingParenthesis", open)
  let at = skipSpace(text, open + 1)
  if (text[at] === ")") return refuse("noValues", at)
  const values = new Set<string>()
  for (;;) {
    const end = wordEnd(text, at)
    const value = text.slice(at, end)
    if (!isValue(value)) return refuse("value", at)
    values.add(value)
    const next = skipSpace(text, end)
    if (text[next] === ")") return succeed({ operator, key, values: [...values] }, next + 1)
    if (text[next] !== ",") return refuse("closingParenthesis", next)
    at = skipSpace(text, next + 1)
  }
}

const satisfies = (requirement: Requirement, labels: Readonly<Record<string, string>>): boolean => {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined
  switch (requirement.operator) {
    case "Exists":
      return value !== undefined
    case "DoesNotExist":
      return value === undefined
    case "In":
      return value !== undefined && requirement.values.includes(value)
    case "NotIn":
      return value === undefined || !requirement.values.includes(value)
    case "Gt":
    case "Lt": {
      const number = value === undefined ? undefined : numberOf(value)
      if (number === undefined) return false
      return requirement.operator === "Gt" ? number > requirement.value : number < requirement.value
    }
  }
}

const printRequirement = (requirement: Requirement): string => {
  switch (requirement.operator) {
    case "Exists":
      return requirement.key
    case "DoesNotExist":
      return `!${requirement.key}`
    case "In":
      return printSet(requirement.key, "=", "in", requirement.values)
    case "NotIn":
      return printSet(requirement.key, "!=", "notin", requirement.values)
    case "Gt":
      return `${requirement.key}>${requirement.value}`
    case "Lt":
      return `${requirement.key}<${requirement.value}`
  }
}

/** Writes a single value with `=`: `in ()` with one empty value would look like an empty list. */
const printSet = (key: string, sign: string, word: string, values: ReadonlyArray<string>): string =>
  values.length === 1 ? `${key}${sign}${values.join("")}` : `${key} ${word} (${values.join(",")})`

const wordEnd = (text: string, from: number): number => {
  let at = from
  while (at < text.length && !isDelimiter(text.charAt(at))) at++
  return at
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text[at])) at++
  return at
}

const succeed = (requirement: Requirement, end: number): Result.Result<Read, InvalidLabelSelector> =>
  Result.succeed({ requirement, end })

const refuse = (problem: InvalidLabelSelector["problem"], at: number): Result.Result<never, InvalidLabelSelector> =>
  Result.fail(new InvalidLabelSelector({ problem, at }))

const EXPLANATION: Record<InvalidLabelSelector["problem"], string> = {
  tooLong: "the selector is longer than 4096 characters",
  key: "expected a label key",
  value: "expected a label value: at most 63 of A-Z a-z 0-9 - _ ., first and last a letter or digit",
  operator: "expected =, ==, !=, >, <, in, notin or a comma",
  openingParenthesis: "expected ( after in or notin",
  closingParenthesis: "expected , or ) in a list of values",
  noValues: "in and notin need at least one value",
  number: "> and < need a whole number from 0 to 9223372036854775807",
  end: "expected a comma or the end"
}
