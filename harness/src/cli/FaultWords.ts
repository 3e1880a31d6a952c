/**
 * Parses faults on the command line: `black-hole`, `latency ms=200 jitterMs=50`, `forbidden match.verbs=list,watch`.
 */
import { Effect, Option, Predicate, Schema } from "effect"
import { decode, type Fault, TAGS } from "../faults/Fault.ts"
import { type CommandFailure, misused } from "./CommandFailure.ts"

/** The name of every fault on the command line: `black-hole`. */
export const NAMES: ReadonlyArray<string> = TAGS.map((tag) =>
  tag.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
)

/** Options that consist of fields, such as `match.verbs` and `headers.retry-after`. */
const GROUPS = new Set(["match", "headers"])
/** Matcher fields that are lists, comma-separated. */
const LISTS = new Set(["verbs", "groups", "resources", "namespaces", "names"])
const TEXTS = new Set(["userAgent", "path", "user", "problem", "manner", "body"])
const FIELD = /^([A-Za-z]+)(?:\.([A-Za-z][\w-]*))?=(.*)$/s

const fromJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Parses a fault from its name and its options: `field=value`, `match.field=value` or `headers.name=value`.
 *
 * **Errors** `CommandFailure` that names the option and its allowed values.
 */
export const parse = Effect.fnUntraced(function* (
  name: string,
  fields: ReadonlyArray<string>
): Effect.fn.Return<Fault, CommandFailure> {
  const _tag = TAGS[NAMES.indexOf(name)]
  if (_tag === undefined) return yield* misused(`${name} is not a fault; faults: ${NAMES.join(", ")}`)
  const options: Record<string, unknown> = {}
  const groups: Record<string, Record<string, unknown>> = {}
  for (const text of fields) {
    const [, first = "", second, value = ""] = FIELD.exec(text) ?? []
    if (first === "" || (second !== undefined && !GROUPS.has(first))) {
      return yield* misused(`${text} is not an option of a fault; write ms=200 or match.verbs=list,watch`)
    }
    const [place, field] = second === undefined ? [options, first] : [(groups[first] ??= {}), second]
    if (Object.hasOwn(place, field)) return yield* misused(`${text.slice(0, text.indexOf("="))} is given twice`)
    place[field] = read(second === undefined ? "" : first, field, value)
  }
  return yield* decode({ _tag, ...options, ...groups }).pipe(
    Effect.mapError(({ problem }) => misused(`${name}: ${problem}`))
  )
})

/** Parses the value of `field=` or `group.field=`. */
const read = (group: string, field: string, text: string): unknown => {
  if (group === "match" && LISTS.has(field)) return text.split(",")
  return group === "headers" || TEXTS.has(field) ? text : valueOf(text)
}

/** Parses numbers and booleans as JSON. Other text stays text, and decoding then reports the allowed values. */
const valueOf = (text: string): unknown => {
  const value = Option.getOrUndefined(fromJson(text))
  return Predicate.isNumber(value) || Predicate.isBoolean(value) ? value : text
}
