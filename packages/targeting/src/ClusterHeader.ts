/**
 * The targeting header: one name, several joined by `|`, or `*` for all.
 */
import { Option, Result } from "effect"
import * as ClusterName from "./ClusterName.ts"
import { InvalidTarget } from "./TargetError.ts"
import * as TargetRequest from "./TargetRequest.ts"

/** The header's name unless a setting says otherwise. */
export const DEFAULT_NAME = "X-Service-Cluster"

/** A header value carries one byte a character. */
const MAX_BYTES = 4096

/**
 * Parses every value that a request carried under the header's name.
 *
 * **Shape** no value: `None`. `a`, `a|b`, `*`, `"*"`; space and tab around a name are trimmed; duplicates collapse
 * keeping their order.
 *
 * **Errors** `InvalidTarget` for a repeated header, a blank one, an empty segment, a comma, a stray `*` or quote, a
 * name outside the grammar.
 *
 * **Limits** 4 KiB; `maxNames` distinct names.
 *
 * **Example**
 *
 * ```ts
 * parse(["a | b|a"], 64) // Some(Named(["a", "b"]))
 * ```
 */
export const parse = (
  values: ReadonlyArray<string>,
  maxNames: number
): Result.Result<Option.Option<TargetRequest.TargetRequest>, InvalidTarget> => parseOf(ClusterName.is)(values, maxNames)

/** As `parse`, by the grammar of other names. */
export const parseOf =
  <Name extends string>(isName: (text: string) => text is Name) =>
  (
    values: ReadonlyArray<string>,
    maxNames: number
  ): Result.Result<Option.Option<TargetRequest.TargetRequest<Name>>, InvalidTarget> => {
    const [value, ...more] = values
    if (value === undefined) return Result.succeed(Option.none())
    if (more.length > 0) return refuse("repeated")
    if (value.length > MAX_BYTES) return refuse("tooLong")

    const text = trim(value)
    if (text === "") return refuse("blank")
    if (text === "*" || text === '"*"') return Result.succeed(Option.some(TargetRequest.all))

    const names = new Set<Name>()
    for (const segment of text.split("|")) {
      const name = trim(segment)
      if (!isName(name)) return refuse(problemOf(name))
      names.add(name)
    }
    if (names.size > maxNames) return refuse("tooManyNames")
    return Result.succeed(Option.some(TargetRequest.named(names)))
  }

/** Prints the header that asks for a target; `undefined` is the absent header, which asks for the parent. */
export const print = (request: TargetRequest.TargetRequest): string | undefined => {
  switch (request._tag) {
    case "Parent":
      return undefined
    case "All":
      return "*"
    case "Named":
      return request.names.join("|")
  }
}

const refuse = (problem: InvalidTarget["problem"]) => Result.fail(new InvalidTarget({ field: "header", problem }))

/** Trims by hand: a pattern for the blanks at the end takes time that grows with the square of those in the middle. */
const trim = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

const problemOf = (name: string): InvalidTarget["problem"] => {
  if (name === "") return "emptySegment"
  if (name.includes(",")) return "comma"
  if (name.includes("*")) return "strayWildcard"
  if (/["'`]/.test(name)) return "quote"
  return "name"
}
