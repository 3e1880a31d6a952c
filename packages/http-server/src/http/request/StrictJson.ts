/**
 * Strict JSON parser: no duplicate members, bounded depth and number of values.
 *
 * **Source** RFC 8259; RFC 7493 §2.3 (member names are unique).
 */
import { printPath } from "@quarterdeck/targeting/SchemaFault"
import { Result, Schema } from "effect"
import { visit } from "jsonc-parser"

/** Bodies of the contract nest only a few levels deep. */
const MAX_DEPTH = 32
/** The largest body of the contract, a price book of 1,000 overrides, has about 12,000 values. */
const MAX_VALUES = 20_000

/** The reason why a body is refused. **Shape** `field` is the path of a duplicate member. */
export class InvalidJson extends Schema.TaggedError<InvalidJson>()("InvalidJson", {
  problem: Schema.Literals(["syntax", "duplicateMember", "depth", "values"]),
  field: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    switch (this.problem) {
      case "syntax":
        return "the body is not valid JSON"
      case "duplicateMember":
        return `the body contains ${this.field ?? "a member"} more than once`
      case "depth":
        return `the body is nested deeper than ${MAX_DEPTH} levels`
      case "values":
        return `the body contains more than ${MAX_VALUES} values`
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
 * Checks the rules that `JSON.parse` does not enforce. `JSON.parse` still checks the full syntax.
 *
 * The visitor recurses once per level, so the scan throws at the depth limit before the stack can overflow.
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
