/**
 * The targeting header: one name, several joined by `|`, or `*` for all.
 */
import { Option, Result } from "effect"
import * as ClusterName from "./ClusterName.ts"
import { InvalidTarget } from "./TargetError.ts"
import * as TargetRequest from "./TargetRequest.ts"

/** Default name of the header, which a setting can change. */
export const DEFAULT_NAME = "X-Service-Cluster"

/** Limit of the header value, which carries one byte per character. */
const MAX_BYTES = 4096

/**
 * Parses all values that a request sent under the header's name.
 *
 * **Shape** `None` without a value. `a`, `a|b`, `*`, `"*"`; spaces and tabs around a name are trimmed; duplicates are
 * removed and the order is kept.
 *
 * **Errors** `InvalidTarget` for a repeated or blank header, an empty segment, a comma, a stray `*` or quote, and a
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

/** Does the same as `parse`, with another grammar of names. */
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

/** Prints the header of a target. Returns `undefined` for the parent cluster, which is addressed without a header. */
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

/** Trims with a loop: a regular expression for trailing blanks would take quadratic time on long runs of blanks. */
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
