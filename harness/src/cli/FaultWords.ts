/** Reads a fault as people type it: `black-hole`, `latency ms=200 jitterMs=50`, `forbidden match.verbs=list,watch`. */
import { Effect, Option, Predicate, Schema } from "effect"
import { decode, type Fault, TAGS } from "../faults/Fault.ts"
import { type CommandFailure, misused } from "./CommandFailure.ts"

/** Every fault, as people type it: `black-hole`. */
export const NAMES: ReadonlyArray<string> = TAGS.map((tag) =>
  tag.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
)

/** Fields that have fields of their own. */
const GROUPS = new Set(["match", "headers"])
/** The parts of a matcher that are lists: words with commas between them. */
const LISTS = new Set(["verbs", "groups", "resources", "namespaces", "names"])
const TEXTS = new Set(["userAgent", "path", "user", "problem", "manner", "body"])
const FIELD = /^([A-Za-z]+)(?:\.([A-Za-z][\w-]*))?=(.*)$/s

const fromJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Makes a fault of its name and its fields, each `field=value`, `match.field=value` or `headers.name=value`.
 *
 * **Errors** `CommandFailure` that names the field and what may stand there.
 */
export const parse = Effect.fnUntraced(function* (
  name: string,
  fields: ReadonlyArray<string>
): Effect.fn.Return<Fault, CommandFailure> {
  const _tag = TAGS[NAMES.indexOf(name)]
  if (_tag === undefined) return yield* misused(`${name} is no fault; there are ${NAMES.join(", ")}`)
  const given: Record<string, unknown> = {}
  const groups: Record<string, Record<string, unknown>> = {}
  for (const text of fields) {
    const [, first = "", second, value = ""] = FIELD.exec(text) ?? []
    if (first === "" || (second !== undefined && !GROUPS.has(first))) {
      return yield* misused(`${text} is no field of a fault; write ms=200, or match.verbs=list,watch`)
    }
    const [place, field] = second === undefined ? [given, first] : [(groups[first] ??= {}), second]
    if (Object.hasOwn(place, field)) return yield* misused(`${text.slice(0, text.indexOf("="))} is given twice`)
    place[field] = read(second === undefined ? "" : first, field, value)
  }
  return yield* decode({ _tag, ...given, ...groups }).pipe(
    Effect.mapError(({ problem }) => misused(`${name}: ${problem}`))
  )
})

/** Reads what stands behind `field=` or `group.field=`. */
const read = (group: string, field: string, text: string): unknown => {
  if (group === "match" && LISTS.has(field)) return text.split(",")
  return group === "headers" || TEXTS.has(field) ? text : valueOf(text)
}

/** Numbers and truth values are what JSON says; of anything else the refusal says what may stand there. */
const valueOf = (text: string): unknown => {
  const value = Option.getOrUndefined(fromJson(text))
  return Predicate.isNumber(value) || Predicate.isBoolean(value) ? value : text
}
