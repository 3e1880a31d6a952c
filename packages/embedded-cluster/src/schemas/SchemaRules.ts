/**
 * Checks that the schema of a custom kind is structural, as pruning and defaulting require.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apiserver/schema`, and the validation of
 * CustomResourceDefinitions.
 */
import * as GoPattern from "../core/GoPattern.ts"
import { arrayAt, at, equals, isObject, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import { type FieldError, forbiddenValue, invalidValue, required, sentence, unsupportedValue } from "../core/Status.ts"
import { mergeErrors, typeError } from "./MergeRules.ts"
import * as SchemaCheck from "./SchemaCheck.ts"
import * as Structural from "./Structural.ts"

/** Checks the schema of a version. */
export const check = (schema: JsonObject, path: string, hasStatus: boolean): ReadonlyArray<FieldError> => {
  const structural = [...structureErrors(schema, path, true)].toSorted((left, right) =>
    text(left) < text(right) ? -1 : 1
  )
  return [
    ...(hasStatus ? rootErrors(schema, path) : []),
    ...(schema["nullable"] === true ? [forbiddenValue(`${path}.nullable`, NOT_AT_ROOT)] : []),
    ...structural,
    ...(structural.length > 0 ? [] : defaultErrors(schema, path)),
    ...keywordErrors(schema, path)
  ]
}

const text = (error: FieldError): string => `${error.field}: ${sentence(error)}`

const NOT_AT_ROOT = "must not be at the root"

const isOn = (schema: JsonObject, name: string): boolean => schema[`x-kubernetes-${name}`] === true

const entries = (schema: JsonObject): ReadonlyArray<readonly [string, JsonObject]> =>
  Object.entries(objectAt(schema, "properties")).flatMap(([name, value]) =>
    isObject(value) ? [[name, value] as const] : []
  )

/** Keywords whose schemas only add restrictions to a value. */
const JUNCTORS = ["allOf", "anyOf", "oneOf"]

const structureErrors = (schema: JsonObject, path: string, isRoot = false): ReadonlyArray<FieldError> => {
  const type = textAt(schema, "type")
  const [either, open, embedded] = ["int-or-string", "preserve-unknown-fields", "embedded-resource"].map((name) =>
    isOn(schema, name)
  )
  const { additionalProperties, items, pattern } = schema
  return [
    ...(type === "array" && !isObject(items) ? [required(`${path}.items`)] : []),
    ...(isObject(items) ? structureErrors(items, `${path}.items`) : []),
    ...entries(schema).flatMap(([name, one]) => structureErrors(one, `${path}.properties[${name}]`)),
    ...(additionalProperties !== undefined && isRoot
      ? [forbiddenValue(`${path}.additionalProperties`, NOT_AT_ROOT)]
      : []),
    ...(isObject(additionalProperties) ? structureErrors(additionalProperties, `${path}.additionalProperties`) : []),
    ...(either && open
      ? [
          invalidValue(
            `${path}.x-kubernetes-preserve-unknown-fields`,
            true,
            "must not be with x-kubernetes-int-or-string"
          )
        ]
      : []),
    ...(typeof pattern === "string" && pattern !== "" && GoPattern.compile(pattern) === undefined
      ? [invalidValue(`${path}.pattern`, pattern, "must be a regular expression")]
      : []),
    ...JUNCTORS.flatMap((name) =>
      arrayAt(schema, name).flatMap((one, index) => nested(schema, one, name, index, path))
    ),
    ...(isObject(schema["not"]) ? nestedErrors(schema["not"], `${path}.not`) : []),
    ...(embedded && type !== "object"
      ? [typeError(`${path}.type`, type, "must be object with x-kubernetes-embedded-resource")]
      : type === "" && !either && !open
        ? [required(`${path}.type`)]
        : []),
    ...(isRoot && type !== "" && type !== "object"
      ? [invalidValue(`${path}.type`, type, "must be object at the root")]
      : []),
    ...(isRoot ? metadataErrors(schema, path) : []),
    ...(embedded && !open && entries(schema).length === 0
      ? [
          required(
            `${path}.properties`,
            "an embedded resource must have properties, or x-kubernetes-preserve-unknown-fields"
          )
        ]
      : [])
  ]
}

const EITHER = [{ type: "integer" }, { type: "string" }]

/** Checks a schema inside `allOf`, `anyOf` or `oneOf`. Only the two spellings of "integer or string" may name types there. */
const nested = (schema: JsonObject, one: unknown, name: string, index: number, path: string) => {
  if (!isObject(one)) return []
  const either = isOn(schema, "int-or-string")
  if (either && name === "anyOf" && equals([...arrayAt(schema, "anyOf")], EITHER)) return []
  if (either && name === "allOf" && index === 0 && equals(at(one, "anyOf"), EITHER)) return []
  return nestedErrors(one, `${path}.${name}[${index}]`)
}

/** Keywords that are forbidden inside `allOf`, `anyOf`, `oneOf` and `not`. */
const STRUCTURAL = [
  "type",
  "additionalProperties",
  "default",
  "title",
  "description",
  "nullable",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-validations"
]

const nestedErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const names = STRUCTURAL.filter(
    (name) => ![undefined, false, ""].some((none) => schema[name] === none) || (name === "default" && name in schema)
  )
  const { items } = schema
  return [
    ...JUNCTORS.flatMap((name) =>
      arrayAt(schema, name).flatMap((one, index) =>
        isObject(one) ? nestedErrors(one, `${path}.${name}[${index}]`) : []
      )
    ),
    ...(isObject(schema["not"]) ? nestedErrors(schema["not"], `${path}.not`) : []),
    ...(isObject(items) ? nestedErrors(items, `${path}.items`) : []),
    ...entries(schema).flatMap(([name, one]) => nestedErrors(one, `${path}.properties[${name}]`)),
    ...names.map((name) => forbiddenValue(`${path}.${name}`, "must not be inside allOf, anyOf, oneOf or not"))
  ]
}

const metadataErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const metadata = at(schema, "properties", "metadata")
  if (!isObject(metadata)) return []
  const where = `${path}.properties[metadata]`
  const rest = Object.keys(metadata).filter((key) => key !== "type" && key !== "properties" && key !== "description")
  const names = Object.keys(objectAt(metadata, "properties")).filter(
    (name) => name !== "name" && name !== "generateName"
  )
  return [
    ...(metadata["type"] === "object"
      ? []
      : [invalidValue(`${where}.type`, textAt(metadata, "type"), "must be object")]),
    ...(rest.length === 0 && names.length === 0
      ? []
      : [forbiddenValue(where, "must restrict only name and generateName")])
  ]
}

/** Keywords allowed at the root of a schema with a status subresource. Others would not apply to the status. */
const AT_ROOT = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations"
])

const rootErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const type = textAt(schema, "type")
  if (type !== "" && type !== "object") {
    return [invalidValue(`${path}.type`, type, "must be object at the root")]
  }
  const other = Object.keys(schema).find((key) => !AT_ROOT.has(key))
  return other === undefined
    ? []
    : [invalidValue(path, undefined, `the root of a schema with a status must not have ${other}`)]
}

const defaultErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const standard = schema["default"]
  const { items } = schema
  const unpruned =
    isObject(standard)
    && !isOn(schema, "embedded-resource")
    && Structural.pruneValue(schema, standard).unknown.length > 0
  return [
    ...(unpruned ? [invalidValue(`${path}.default`, standard, "must have no unknown field")] : []),
    ...(standard === undefined ? [] : SchemaCheck.check(schema, standard, { prefix: `${path}.default` })),
    ...(isObject(items) ? defaultErrors(items, `${path}.items`) : []),
    ...entries(schema).flatMap(([name, one]) => defaultErrors(one, `${path}.properties[${name}]`))
  ]
}

/** Returns whether a schema has any default. */
export const hasDefaults = (schema: JsonObject): boolean => {
  const { additionalProperties, items } = schema
  return (
    schema["default"] !== undefined
    || (isObject(items) && hasDefaults(items))
    || (isObject(additionalProperties) && hasDefaults(additionalProperties))
    || entries(schema).some(([, one]) => hasDefaults(one))
  )
}

const VALUE_TYPES = ["array", "boolean", "integer", "number", "object", "string"]
const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]

const keywordErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const type = textAt(schema, "type")
  const { additionalProperties, items } = schema
  const all = (name: string) =>
    arrayAt(schema, name).flatMap((one, index) =>
      isObject(one) ? keywordErrors(one, `${path}.${name}[${index}]`) : []
    )
  return [
    ...(type === "" || VALUE_TYPES.includes(type) ? [] : [unsupportedValue(`${path}.type`, type, VALUE_TYPES)]),
    ...UNSUPPORTED.flatMap((name) =>
      schema[name] === undefined ? [] : [forbiddenValue(`${path}.${name}`, "is not supported")]
    ),
    ...(schema["uniqueItems"] === true ? [forbiddenValue(`${path}.uniqueItems`, "must not be true")] : []),
    ...(additionalProperties !== undefined && additionalProperties !== true && entries(schema).length > 0
      ? [forbiddenValue(`${path}.additionalProperties`, "must not be with properties")]
      : []),
    ...(isObject(additionalProperties) ? keywordErrors(additionalProperties, `${path}.additionalProperties`) : []),
    ...entries(schema).flatMap(([name, one]) => keywordErrors(one, `${path}.properties[${name}]`)),
    ...(isObject(schema["not"]) ? keywordErrors(schema["not"], `${path}.not`) : []),
    ...JUNCTORS.flatMap(all),
    ...(isObject(items) ? keywordErrors(items, `${path}.items`) : []),
    ...(schema["x-kubernetes-preserve-unknown-fields"] === false
      ? [invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or absent")]
      : []),
    ...mergeErrors(schema, path, type)
  ]
}
