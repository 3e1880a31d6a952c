/**
 * JSON as a security boundary reads it: no duplicate members, bounded depth, nothing beside the value.
 *
 * **Source** RFC 8259; RFC 7493 §2.3 (member names are unique).
 */
import { printPath } from "@quarterdeck/targeting/SchemaFault"
import { Result, Schema } from "effect"
import { visit } from "jsonc-parser"

/** No body of the contract nests deeper than a handful of levels. */
const MAX_DEPTH = 32
/** A price book of 1,000 overrides, the largest body of the contract, has some 12,000. */
const MAX_VALUES = 20_000

/** Says why a body is refused; `field` is the path of a member that stands twice. */
export class InvalidJson extends Schema.TaggedError<InvalidJson>()("InvalidJson", {
  problem: Schema.Literals(["syntax", "duplicateMember", "depth", "values"]),
  field: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    switch (this.problem) {
      case "syntax":
        return "the body is not JSON"
      case "duplicateMember":
        return `the body names ${this.field ?? "a member"} twice`
      case "depth":
        return `the body nests deeper than ${MAX_DEPTH} levels`
      case "values":
        return `the body holds more than ${MAX_VALUES} values`
    }
  }
}

/**
 * Parses a text.
 *
 * **Errors** `InvalidJson`. **Limits** linear; at most 32 levels deep and 20,000 values, objects and arrays included.
 */
export const parse = (text: string): Result.Result<unknown, InvalidJson> => {
  const refused = scan(text)
  if (refused !== undefined) return Result.fail(refused)
  return Result.try({
    try: () => {
      const value: unknown = JSON.parse(text)
      return value
    },
    catch: () => new InvalidJson({ problem: "syntax" })
  })
}

/**
 * Looks for what `JSON.parse` lets pass; the syntax itself is left to it.
 *
 * The visitor recurses, so the visit is left, by throwing, before it goes deeper than is allowed.
 */
const scan = (text: string): InvalidJson | undefined => {
  const members: Array<Set<string> | undefined> = []
  let values = 0
  const count = () => {
    if (++values > MAX_VALUES) throw new InvalidJson({ problem: "values" })
  }
  const enter = (names: Set<string> | undefined) => {
    count()
    if (members.length === MAX_DEPTH) throw new InvalidJson({ problem: "depth" })
    members.push(names)
  }
  const leave = () => {
    members.pop()
  }
  const visited = Result.try({
    try: () => {
      visit(text, {
        onObjectBegin: () => enter(new Set()),
        onArrayBegin: () => enter(undefined),
        onObjectEnd: leave,
        onArrayEnd: leave,
        onLiteralValue: count,
        onObjectProperty: (name, _offset, _length, _line, _character, pathOfParent) => {
          const names = members.at(-1)
          if (names?.has(name)) {
            throw new InvalidJson({ problem: "duplicateMember", field: printPath([...pathOfParent(), name]) })
          }
          names?.add(name)
        }
      })
    },
    catch: (thrown) => (thrown instanceof InvalidJson ? thrown : new InvalidJson({ problem: "syntax" }))
  })
  return Result.isFailure(visited) ? visited.failure : undefined
}
