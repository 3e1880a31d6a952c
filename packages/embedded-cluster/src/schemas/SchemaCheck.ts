/**
 * Validates a value against a structural schema.
 *
 * CEL rules in `x-kubernetes-validations` are not evaluated.
 *
 * **Source** Kubernetes 1.36, `kube-openapi/pkg/validation/validate`, and the way `apiextensions-apiserver` reports
 * its errors.
 */
import * as Formats from "../core/Formats.ts"
import * as GoPattern from "../core/GoPattern.ts"
import {
  arrayAt,
  equals,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  numberAt,
  objectAt
} from "../core/Json.ts"
import {
  type FieldError,
  invalidValue,
  required,
  sentence,
  tooLong,
  tooMany,
  typeInvalid,
  unsupportedValue
} from "../core/Status.ts"
import * as KindSchema from "./KindSchema.ts"

/**
 * Result of a check. **Shape** `matches` counts the rules that held; it ranks failed alternatives of `anyOf` and
 * `oneOf`.
 */
interface Verdict {
  readonly errors: Array<FieldError>
  matches: number
}

/** Position of a value. **Shape** `prefix` is the path of the checked value, `path` the path inside it. */
interface Place {
  readonly path: string
  readonly prefix: string
  readonly before: Json | undefined
}

/**
 * Checks a value.
 *
 * **Shape** `before` is the previous value: errors in unchanged parts are ignored. `prefix` is the path of the value
 * in its object.
 */
export const check = (
  schema: JsonObject,
  value: Json,
  options: { readonly before?: Json | undefined; readonly prefix?: string } = {}
): ReadonlyArray<FieldError> => {
  const { before, prefix = "" } = options
  return checked(schema, value, { path: "", prefix, before }).errors
}

const verdict = (): Verdict => ({ errors: [], matches: 0 })

const add = (to: Verdict, ...errors: ReadonlyArray<FieldError>): void => {
  for (const error of errors) {
    const known = to.errors.some((other) => other.field === error.field && sentence(other) === sentence(error))
    if (!known) to.errors.push(error)
  }
}

const merge = (to: Verdict, from: Verdict): void => {
  add(to, ...from.errors)
  to.matches += from.matches
}

const fieldAt = ({ path, prefix }: Place): string => {
  const name = path.startsWith(".") ? path.slice(1) : path
  if (name === "") return prefix === "" ? "<nil>" : prefix
  return prefix === "" ? name : `${prefix}.${name}`
}

/** Makes an error for the whole checked value, as the real server does. Its rule names the field inside the value. */
const whole = (place: Place, rule: string): FieldError =>
  invalidValue(place.prefix === "" ? "<nil>" : place.prefix, undefined, `${fieldAt(place)} ${rule}`)

const wrong = (place: Place, value: Json, rule: string): FieldError => invalidValue(fieldAt(place), value, rule)

/** Checks a value and drops the errors if it is unchanged. Its children are compared with their own previous values. */
const checked = (schema: JsonObject, value: Json, place: Place): Verdict => {
  const made = checkedAnew(schema, value, place)
  const unchanged = made.errors.length > 0 && place.before !== undefined && equals(place.before, value)
  return unchanged ? { errors: [], matches: made.matches } : made
}

const checkedAnew = (schema: JsonObject, value: Json, place: Place): Verdict => {
  const made = verdict()
  const steps: Array<Verdict> = []
  const types = typesOf(schema)
  if (value === null) {
    merge(made, checkedType(schema, types, value, place))
    merge(made, checkedEnum(schema, value, place))
    return made
  }
  const format = schema["format"]
  if (types.length > 0 || typeof format === "string") steps.push(checkedType(schema, types, value, place))
  steps.push(checkedJunctors(schema, value, place))
  if (typeof value === "string") {
    steps.push(checkedText(schema, value, place))
    if (typeof format === "string") steps.push(checkedFormat(format, value, place))
  }
  if (typeof value === "number") steps.push(checkedNumber(schema, types, value, place))
  if (isArray(value)) steps.push(checkedList(schema, value, place))
  steps.push(checkedEnum(schema, value, place))
  if (isObject(value)) steps.push(checkedObject(schema, value, place))
  for (const step of steps) merge(made, step)
  made.matches += steps.length + 1
  return made
}

const typesOf = (schema: JsonObject): ReadonlyArray<string> => {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"]
  const type = schema["type"]
  return typeof type === "string" && type !== "" ? [type] : []
}

const typeName = (value: Json): string => {
  if (value === null) return "null"
  if (isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const checkedType = (schema: JsonObject, types: ReadonlyArray<string>, value: Json, place: Place): Verdict => {
  const made = verdict()
  const name = typeName(value)
  const fits =
    types.length === 0
    || types.includes(name)
    || (name === "integer" && types.includes("number"))
    || (value === null && schema["nullable"] === true)
  // For a text with a format, only the format is checked.
  const formatted = typeof schema["format"] === "string" && schema["format"] !== "" && typeof value === "string"
  const numeric = types.includes("number") || types.includes("integer")
  if (fits || (formatted && !numeric)) made.matches = 1
  else add(made, typeInvalid(fieldAt(place), value, `must be of type ${types.join(" or ")}`))
  return made
}

const checkedFormat = (format: string, value: string, place: Place): Verdict => {
  const made = verdict()
  if (!Formats.has(format, value)) add(made, typeInvalid(fieldAt(place), value, `must be of format ${format}`))
  return made
}

const checkedEnum = (schema: JsonObject, value: Json, place: Place): Verdict => {
  const made = verdict()
  const allowed = arrayAt(schema, "enum")
  if (allowed.length > 0 && !allowed.some((one) => equals(one, value))) {
    const texts = allowed.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    add(made, unsupportedValue(fieldAt(place), value, texts))
  }
  return made
}

const checkedText = (schema: JsonObject, value: string, place: Place): Verdict => {
  const made = verdict()
  const length = Array.from(value).length
  const [max, min] = [numberAt(schema, "maxLength"), numberAt(schema, "minLength")]
  const pattern = schema["pattern"]
  if (max !== undefined && length > max) add(made, tooLong(fieldAt(place), max))
  else if (min !== undefined && length < min) add(made, wrong(place, value, `must have at least ${min} characters`))
  else if (typeof pattern === "string" && pattern !== "" && GoPattern.compile(pattern)?.test(value) !== true)
    add(made, wrong(place, value, `must match ${pattern}`))
  return made
}

const RANGES = new Map([
  ["int32", [-(2 ** 31), 2 ** 31 - 1]],
  ["int64", [-(2 ** 63), 2 ** 63 - 1]]
])

const checkedNumber = (schema: JsonObject, types: ReadonlyArray<string>, value: number, place: Place): Verdict => {
  const made = verdict()
  made.matches = 1
  const format = schema["format"]
  if (types.length === 1 && types[0] === "integer") {
    const named = typeof format === "string" && RANGES.has(format) ? format : "int64"
    const [low = 0, high = 0] = RANGES.get(named) ?? []
    if (!Number.isInteger(value) || value < low || value > high)
      add(made, whole(place, `must be a whole number of format ${named}`))
  }
  const multiple = numberAt(schema, "multipleOf")
  // For a whole number, only the integer part of `multipleOf` counts.
  const factor = multiple !== undefined && Number.isInteger(value) ? Math.trunc(multiple) : multiple
  if (factor !== undefined && factor <= 0) {
    add(made, wrong(place, factor, "multipleOf must be positive"))
  } else if (factor !== undefined && !Number.isInteger(value / factor))
    add(made, wrong(place, value, `must be a multiple of ${factor}`))
  const [max, min] = [numberAt(schema, "maximum"), numberAt(schema, "minimum")]
  const [below, above] = [schema["exclusiveMaximum"] === true, schema["exclusiveMinimum"] === true]
  if (min !== undefined && (above ? value <= min : value < min))
    add(made, wrong(place, value, `must be ${above ? "more than" : "at least"} ${min}`))
  if (max !== undefined && (below ? value >= max : value > max))
    add(made, wrong(place, value, `must be ${below ? "less than" : "at most"} ${max}`))
  return made
}

const checkedList = (schema: JsonObject, value: JsonArray, place: Place): Verdict => {
  const made = verdict()
  const { items } = schema
  if (isObject(items)) {
    for (const [index, item] of value.entries()) {
      const path = `${place.path}[${index}]`
      merge(made, checked(items, item, { ...place, path, before: sameItem(schema, place.before, item) }))
    }
  }
  const [min, max] = [numberAt(schema, "minItems"), numberAt(schema, "maxItems")]
  const count = value.length
  if (min !== undefined && count < min) add(made, wrong(place, count, `must have at least ${min} items`))
  if (max !== undefined && count > max) add(made, tooMany(fieldAt(place), count, max))
  const repeated = value.some((item, index) => value.slice(0, index).some((one) => equals(one, item)))
  if (schema["uniqueItems"] === true && repeated)
    add(made, invalidValue(fieldAt(place), undefined, "must not contain duplicates"))
  made.matches += 1
  return made
}

/** Previous value of a list item. Only a list of type `map` can match its items. */
const sameItem = (list: JsonObject, before: Json | undefined, item: Json): Json | undefined => {
  const rule = KindSchema.forApply(list)
  if (rule._tag !== "Keyed" || !isArray(before) || !isObject(item)) return undefined
  return before.find((one) => isObject(one) && rule.keys.every((key) => equals(one[key], item[key])))
}

const checkedObject = (schema: JsonObject, value: JsonObject, place: Place): Verdict => {
  const made = verdict()
  const count = Object.keys(value).length
  const [min, max] = [numberAt(schema, "minProperties"), numberAt(schema, "maxProperties")]
  if (min !== undefined && count < min) add(made, wrong(place, count, `must have at least ${min} properties`))
  if (max !== undefined && count > max) add(made, tooMany(fieldAt(place), count, max))
  const properties = objectAt(schema, "properties")
  const others = schema["additionalProperties"]
  const below = (name: string, of: JsonObject, one: Json, path: string) => {
    const before = isObject(place.before) ? place.before[name] : undefined
    merge(made, checked(of, one, { ...place, path, before }))
  }
  for (const [name, one] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue
    if (isObject(others)) below(name, others, one, `${place.path}.${name}`)
    if (others === false) add(made, wrong(place, name, "must not have this property"))
  }
  for (const [name, property] of Object.entries(properties)) {
    const one = value[name]
    if (one === undefined || !isObject(property)) continue
    below(name, property, one, place.path === "" ? name : `${place.path}.${name}`)
  }
  for (const name of arrayAt(schema, "required")) {
    if (typeof name !== "string" || Object.hasOwn(value, name)) continue
    add(made, required(fieldAt({ ...place, path: `${place.path}.${name}` })))
  }
  return made
}

const schemasAt = (schema: JsonObject, name: string): ReadonlyArray<JsonObject> =>
  arrayAt(schema, name).filter(isObject)

/** Selects the failed alternative with the most matches; its errors explain the failure best. */
const best = (verdicts: ReadonlyArray<Verdict>): Verdict | undefined =>
  verdicts.reduce<Verdict | undefined>(
    (found, one) => (found === undefined || one.matches > found.matches ? one : found),
    undefined
  )

const checkedJunctors = (schema: JsonObject, value: Json, place: Place): Verdict => {
  const made = verdict()
  const ask = (of: JsonObject) => checked(of, value, place)
  const any = schemasAt(schema, "anyOf").map(ask)
  if (any.length > 0) {
    const success = any.find((one) => one.errors.length === 0)
    if (success === undefined) add(made, whole(place, "must fit one schema of anyOf"))
    merge(made, success ?? best(any) ?? verdict())
  }
  const one = schemasAt(schema, "oneOf").map(ask)
  if (one.length > 0) {
    const valid = one.filter(({ errors }) => errors.length === 0)
    if (valid.length !== 1) add(made, whole(place, `must fit one schema of oneOf, and fits ${valid.length}`))
    const shown = valid.length === 0 ? best(one) : valid.length === 1 ? valid[0] : undefined
    if (shown !== undefined) merge(made, shown)
  }
  const all = schemasAt(schema, "allOf").map(ask)
  for (const each of all) merge(made, each)
  if (all.some(({ errors }) => errors.length > 0)) add(made, whole(place, "must fit every schema of allOf"))
  const { not } = schema
  if (isObject(not) && ask(not).errors.length === 0) add(made, whole(place, "must not fit the schema of not"))
  made.matches += 1
  return made
}
