/**
 * Label selectors: the text of a query parameter, and the object form in workloads.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/labels`: the lexer and the grammar.
 */
import { Result } from "effect"
import { arrayAt, type JsonObject, textAt, textsAt } from "./Json.ts"
import { keyProblem, labelValueProblem } from "./Names.ts"
import { badRequest, type Outcome } from "./Status.ts"

export type Operator = "in" | "notin" | "exists" | "absent" | "gt" | "lt"

export interface Requirement {
  readonly key: string
  readonly operator: Operator
  readonly values: ReadonlyArray<string>
}

/** Requirements that must all hold. An empty list matches every object. */
export type LabelSelector = ReadonlyArray<Requirement>

export type Labels = Readonly<Record<string, string>>

export const matches = (selector: LabelSelector, labels: Labels): boolean =>
  selector.every((requirement) => satisfies(requirement, labels))

const satisfies = ({ key, operator, values }: Requirement, labels: Labels): boolean => {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case "exists":
      return value !== undefined
    case "absent":
      return value === undefined
    case "in":
      return value !== undefined && values.includes(value)
    case "notin":
      return value === undefined || !values.includes(value)
    case "gt":
      return compares(value, values, (left, right) => left > right)
    case "lt":
      return compares(value, values, (left, right) => left < right)
  }
}

const INTEGER = /^[+-]?[0-9]+$/

const compares = (
  value: string | undefined,
  [bound]: ReadonlyArray<string>,
  holds: (left: bigint, right: bigint) => boolean
): boolean =>
  value !== undefined
  && bound !== undefined
  && INTEGER.test(value)
  && INTEGER.test(bound)
  && holds(BigInt(value.replace("+", "")), BigInt(bound.replace("+", "")))

interface Token {
  readonly kind: "identifier" | "end" | "symbol"
  readonly text: string
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),><])|([^=!(),>< \t\r\n]+)|$)/y

const tokens = (text: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (match === null) break
    const [, symbol, word] = match
    if (symbol === undefined && word === undefined) break
    found.push(symbol === undefined ? { kind: "identifier", text: word ?? "" } : { kind: "symbol", text: symbol })
  }
  return [...found, { kind: "end", text: "" }]
}

/**
 * Parses the text of `labelSelector`.
 *
 * **Shape** `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`, joined by commas. An empty
 * text matches every object.
 *
 * **Errors** 400 BadRequest.
 */
export const parse = (text: string): Outcome<LabelSelector> =>
  Result.mapError(requirementsIn(text), (rule) => badRequest(`labelSelector ${JSON.stringify(text)}: ${rule}`))

/** A parsed value, or the rule that the text breaks. */
type Read<A> = Result.Result<A, string>

const UNREADABLE: Read<never> = Result.fail(
  "must be requirements such as a=b, a!=b, a in (b,c), a notin (b), a, !a, a>1 and a<1, joined by commas"
)

const requirementsIn = (text: string): Read<LabelSelector> => {
  const reader = new Reader(tokens(text))
  if (reader.peek().kind === "end") return Result.succeed([])
  const requirements: Array<Requirement> = []
  for (;;) {
    const head = reader.peek()
    if (head.kind !== "identifier" && head.text !== "!") return UNREADABLE
    const requirement = requirementFrom(reader)
    if (Result.isFailure(requirement)) return Result.fail(requirement.failure)
    requirements.push(requirement.success)
    const next = reader.take()
    if (next.kind === "end") return Result.succeed(requirements)
    if (next.text !== ",") return UNREADABLE
  }
}

/** Parses the object form of `spec.selector`. **Shape** `matchLabels` and `matchExpressions`, which must all hold. */
export const fromObject = (selector: JsonObject): LabelSelector => [
  ...Object.entries(textsAt(selector, "matchLabels")).map(([key, value]): Requirement => ({
    key,
    operator: "in",
    values: [value]
  })),
  ...arrayAt(selector, "matchExpressions").flatMap((expression): ReadonlyArray<Requirement> => {
    const operator = OPERATORS.get(textAt(expression, "operator"))
    if (operator === undefined) return []
    const values = arrayAt(expression, "values").filter((value) => typeof value === "string")
    return [{ key: textAt(expression, "key"), operator, values }]
  })
]

const OPERATORS = new Map<string, Operator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "absent"]
])

/** Prints a selector in the form of tables and of a scale's `status.selector`. */
export const print = (selector: LabelSelector): string =>
  [...selector]
    .toSorted((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map((requirement) => {
      const { key, operator, values } = requirement
      switch (operator) {
        case "exists":
          return key
        case "absent":
          return `!${key}`
        case "gt":
          return `${key}>${values[0]}`
        case "lt":
          return `${key}<${values[0]}`
        case "in":
          return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${[...values].toSorted().join(",")})`
        case "notin":
          return `${key} notin (${[...values].toSorted().join(",")})`
      }
    })
    .join(",")

class Reader {
  private readonly list: ReadonlyArray<Token>
  private position = 0
  constructor(list: ReadonlyArray<Token>) {
    this.list = list
  }
  peek(): Token {
    return this.list[this.position] ?? { kind: "end", text: "" }
  }
  take(): Token {
    const token = this.peek()
    this.position += 1
    return token
  }
}

const requirementFrom = (reader: Reader): Read<Requirement> => {
  const negated = reader.peek().text === "!"
  if (negated) reader.take()
  const key = reader.take()
  if (key.kind !== "identifier") return UNREADABLE
  const problem = keyProblem(key.text)
  if (problem !== undefined) return Result.fail(`the key ${JSON.stringify(key.text)} ${problem}`)
  if (negated) return Result.succeed({ key: key.text, operator: "absent", values: [] })
  const next = reader.peek()
  if (next.kind === "end" || next.text === ",") return Result.succeed({ key: key.text, operator: "exists", values: [] })
  reader.take()
  switch (next.text) {
    case "=":
    case "==":
      return withValue(key.text, "in", reader)
    case "!=":
      return withValue(key.text, "notin", reader)
    case ">":
      return withValue(key.text, "gt", reader)
    case "<":
      return withValue(key.text, "lt", reader)
    case "in":
    case "notin":
      return withValues(key.text, next.text, reader)
    default:
      return UNREADABLE
  }
}

const withValue = (key: string, operator: Operator, reader: Reader): Read<Requirement> => {
  const next = reader.peek()
  // `a=` and `a=,b` require the empty value.
  const empty = next.kind === "end" || next.text === ","
  if (!empty && next.kind !== "identifier") return UNREADABLE
  const value = empty ? "" : reader.take().text
  if ((operator === "gt" || operator === "lt") && !INTEGER.test(value))
    return Result.fail(`${key} can be compared only with a whole number, not ${JSON.stringify(value)}`)
  return checked({ key, operator, values: [value] })
}

const withValues = (key: string, operator: "in" | "notin", reader: Reader): Read<Requirement> => {
  if (reader.take().text !== "(") return UNREADABLE
  const values = new Set<string>()
  let last = ""
  for (;;) {
    const token = reader.take()
    if (token.kind === "identifier") {
      values.add(token.text)
      const after = reader.peek()
      if (after.text !== "," && after.text !== ")") return UNREADABLE
    } else if (token.text === ",") {
      if (last === "," || last === "") values.add("")
    } else if (token.text === ")") {
      if (last === "," || last === "") values.add("")
      return checked({ key, operator, values: [...values].toSorted() })
    } else {
      return UNREADABLE
    }
    last = token.text
  }
}

const checked = (requirement: Requirement): Read<Requirement> => {
  for (const value of requirement.values) {
    const problem = labelValueProblem(value)
    if (problem !== undefined) return Result.fail(`the value ${JSON.stringify(value)} ${problem}`)
  }
  return Result.succeed(requirement)
}
