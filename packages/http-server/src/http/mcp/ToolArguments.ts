/**
 * Normalizes the arguments that a model sends, by the schema of the tool.
 *
 * The route still validates each value.
 */
import { Option, Predicate, Schema } from "effect"
import * as KindNames from "../request/KindNames.ts"
import { KIND_ARGUMENTS, OBJECT_ARGUMENTS, type ToolInput } from "./ToolInput.ts"

type Json = Readonly<Record<string, unknown>>

/**
 * Normalizes arguments.
 *
 * **Shape** null means absent. A number or a boolean may be a string, a string may be a number, a list may be JSON text,
 * `clusters` may be `"*"`. Kinds may be plural, short or lower-case. Any other value is unchanged.
 *
 * **Limits** linear. Only text that starts with `[` is parsed.
 */
export const read = ({ properties }: ToolInput["schema"], given: unknown): Json => {
  if (!Predicate.isReadonlyObject(given)) return {}
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      if (value === null || value === undefined) return []
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [[name, schema === undefined ? value : withKinds(name, valueOf(schema, name, value))] as const]
    })
  )
}

const valueOf = (schema: Json, name: string, value: unknown): unknown => {
  switch (schema["type"]) {
    case "integer":
    case "number":
      return typeof value === "string" && INTEGER.test(value) ? Number(value) : value
    case "boolean":
      return BOOLEANS.get(lowerCase(value)) ?? value
    case "string":
      return stringOf(schema, value)
    default:
      return listOf(schema, name, value)
  }
}

const INTEGER = /^-?\d{1,15}(?:\.0{1,15})?$/

const BOOLEANS: ReadonlyMap<string | undefined, boolean> = new Map([
  ["true", true],
  ["false", false]
])

const lowerCase = (value: unknown): string | undefined => (typeof value === "string" ? value.toLowerCase() : undefined)

const stringOf = (schema: Json, value: unknown): unknown => {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
  const choices: unknown = schema["enum"]
  if (typeof text !== "string" || !Array.isArray(choices)) return text
  const lower = text.toLowerCase()
  const choice: unknown = choices.find((one) => lowerCase(one) === lower)
  return choice ?? text
}

const listOf = (schema: Json, name: string, value: unknown): unknown => {
  if (name === "clusters" && value === "*") return ["*"]
  const list =
    typeof value === "string" && value.startsWith("[") ? Option.getOrElse(parseList(value), () => value) : value
  if (!Array.isArray(list) || !Predicate.isReadonlyObject(schema["items"])) return list
  const items: Json = { ...schema["items"] }
  return list.map((item: unknown) => (items["type"] === "string" ? stringOf(items, item) : item))
}

const parseList = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Unknown)))

const spellingOf = (name: string): ((text: string) => string) | undefined => {
  if (KIND_ARGUMENTS.has(name)) return KindNames.parse
  return OBJECT_ARGUMENTS.has(name) ? KindNames.pathOf : undefined
}

const withKinds = (name: string, value: unknown): unknown => {
  const spell = spellingOf(name)
  if (spell === undefined) return value
  const spelled = (one: unknown) => (typeof one === "string" ? spell(one) : one)
  return Array.isArray(value) ? value.map(spelled) : spelled(value)
}
