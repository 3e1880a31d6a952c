/**
 * What a schema must be like so that its kind's objects can be pruned and filled in: structural.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apiserver/schema`, and the validation of definitions.
 */
import * as GoPattern from "../core/GoPattern.ts"
import { arrayAt, at, equals, isObject, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import { type FieldError, forbiddenValue, invalidValue, required, unsupportedValue } from "../core/Status.ts"
import { mergeErrors, typeError } from "./MergeRules.ts"
import * as SchemaCheck from "./SchemaCheck.ts"
import * as Structural from "./Structural.ts"

/** Finds what is wrong with the schema of a version. */
export const check = (schema: JsonObject, path: string, hasStatus: boolean): ReadonlyArray<FieldError> => {
  const structural = [...structureErrors(schema, path, "root")].toSorted((left, right) =>
    text(left) < text(right) ? -1 : 1
  )
  return [
    ...(hasStatus ? rootErrors(schema, path) : []),
    ...(schema["nullable"] === true ? [forbiddenValue(`${path}.nullable`, "nullable cannot be true at the root")] : []),
    ...structural,
    ...(structural.length > 0 ? [] : defaultErrors(schema, path)),
    ...keywordErrors(schema, path)
  ]
}

const text = ({ field, message }: FieldError): string => `${field}: ${message}`

type Level = "root" | "item" | "field"

const NEEDS_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields"
}

const isOn = (schema: JsonObject, name: string): boolean => schema[`x-kubernetes-${name}`] === true

const entries = (schema: JsonObject): ReadonlyArray<readonly [string, JsonObject]> =>
  Object.entries(objectAt(schema, "properties")).flatMap(([name, value]) =>
    isObject(value) ? [[name, value] as const] : []
  )

/** Schemas that say more of a value, beside the one that gives it its structure. */
const JUNCTORS = ["allOf", "anyOf", "oneOf"]

const structureErrors = (schema: JsonObject, path: string, level: Level): ReadonlyArray<FieldError> => {
  const type = textAt(schema, "type")
  const [either, open, embedded] = ["int-or-string", "preserve-unknown-fields", "embedded-resource"].map((name) =>
    isOn(schema, name)
  )
  const { additionalProperties, items, pattern } = schema
  return [
    ...(type === "array" && !isObject(items) ? [required(`${path}.items`, "must be specified")] : []),
    ...(isObject(items) ? structureErrors(items, `${path}.items`, "item") : []),
    ...entries(schema).flatMap(([name, one]) => structureErrors(one, `${path}.properties[${name}]`, "field")),
    ...(additionalProperties !== undefined && level === "root"
      ? [forbiddenValue(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(isObject(additionalProperties)
      ? structureErrors(additionalProperties, `${path}.additionalProperties`, "field")
      : []),
    ...(either && open
      ? [
          invalidValue(
            `${path}.x-kubernetes-preserve-unknown-fields`,
            true,
            "must be false if x-kubernetes-int-or-string is true"
          )
        ]
      : []),
    ...(typeof pattern === "string" && pattern !== "" && GoPattern.compile(pattern) === undefined
      ? [invalidValue(`${path}.pattern`, pattern, "must be a valid regular expression")]
      : []),
    ...JUNCTORS.flatMap((name) =>
      arrayAt(schema, name).flatMap((one, index) => nested(schema, one, name, index, path))
    ),
    ...(isObject(schema["not"]) ? nestedErrors(schema["not"], `${path}.not`) : []),
    ...(embedded && type !== "object"
      ? [typeError(`${path}.type`, type, "must be object if x-kubernetes-embedded-resource is true")]
      : type === "" && !either && !open
        ? [required(`${path}.type`, NEEDS_TYPE[level])]
        : []),
    ...(level === "root" && type !== "" && type !== "object"
      ? [invalidValue(`${path}.type`, type, "must be object at the root")]
      : []),
    ...(level === "root" ? metadataErrors(schema, path) : []),
    ...(embedded && !open && entries(schema).length === 0
      ? [
          required(
            `${path}.properties`,
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
          )
        ]
      : [])
  ]
}

const EITHER = [{ type: "integer" }, { type: "string" }]

/** The two ways to spell out that a value is a number or a text may name types; nothing else in a junctor may. */
const nested = (schema: JsonObject, one: unknown, name: string, index: number, path: string) => {
  if (!isObject(one)) return []
  const either = isOn(schema, "int-or-string")
  if (either && name === "anyOf" && equals([...arrayAt(schema, "anyOf")], EITHER)) return []
  if (either && name === "allOf" && index === 0 && equals(at(one, "anyOf"), EITHER)) return []
  return nestedErrors(one, `${path}.${name}[${index}]`)
}

const nestedErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const empty = (name: string) =>
    textAt(schema, name) === "" ? [] : [forbiddenValue(`${path}.${name}`, "must be empty to be structural")]
  const off = (name: string, rule: string) =>
    schema[name] === undefined || schema[name] === false ? [] : [forbiddenValue(`${path}.${name}`, rule)]
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
    ...empty("type"),
    ...off("additionalProperties", "must be undefined to be structural"),
    ...off("default", "must be undefined to be structural"),
    ...empty("title"),
    ...empty("description"),
    ...off("nullable", "must be false to be structural"),
    ...off("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ...off("x-kubernetes-embedded-resource", "must be false to be structural"),
    ...off("x-kubernetes-int-or-string", "must be false to be structural"),
    ...off("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ...off("x-kubernetes-list-type", "must be undefined to be structural"),
    ...off("x-kubernetes-map-type", "must be undefined to be structural"),
    ...off("x-kubernetes-validations", "must be empty to be structural")
  ]
}

const metadataErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const own = at(schema, "properties", "metadata")
  if (!isObject(own)) return []
  const where = `${path}.properties[metadata]`
  const rest = Object.keys(own).filter((key) => key !== "type" && key !== "properties" && key !== "description")
  const names = Object.keys(objectAt(own, "properties")).filter((name) => name !== "name" && name !== "generateName")
  return [
    ...(own["type"] === "object" ? [] : [invalidValue(`${where}.type`, textAt(own, "type"), "must be object")]),
    ...(rest.length === 0 && names.length === 0
      ? []
      : [
          forbiddenValue(
            where,
            "must not specify anything other than name and generateName, but metadata is implicitly specified"
          )
        ])
  ]
}

/** With a status of its own, what the root says of the whole object would be lost on the status. */
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

const AT_ROOT_NAMES =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems "
  + "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]"

const rootErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const type = textAt(schema, "type")
  if (type !== "" && type !== "object") {
    const rule = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalidValue(`${path}.type`, type, rule)]
  }
  const other = Object.keys(schema).find((key) => !AT_ROOT.has(key))
  if (other === undefined) return []
  const rule = `only ${AT_ROOT_NAMES} fields are allowed at the root of the schema if the status subresource is enabled`
  return [invalidValue(path, schema, rule)]
}

const defaultErrors = (schema: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const standard = schema["default"]
  const { items } = schema
  const unpruned =
    isObject(standard)
    && !isOn(schema, "embedded-resource")
    && Structural.pruneValue(schema, standard).unknown.length > 0
  return [
    ...(unpruned ? [invalidValue(`${path}.default`, standard, "must not have unknown fields")] : []),
    ...(standard === undefined ? [] : SchemaCheck.check(schema, standard, { prefix: `${path}.default` })),
    ...(isObject(items) ? defaultErrors(items, `${path}.items`) : []),
    ...entries(schema).flatMap(([name, one]) => defaultErrors(one, `${path}.properties[${name}]`))
  ]
}

/** Whether a schema fills in anything. */
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
      schema[name] === undefined ? [] : [forbiddenValue(`${path}.${name}`, `${name} is not supported`)]
    ),
    ...(schema["uniqueItems"] === true
      ? [
          forbiddenValue(
            `${path}.uniqueItems`,
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
          )
        ]
      : []),
    ...(additionalProperties !== undefined && additionalProperties !== true && entries(schema).length > 0
      ? [forbiddenValue(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive")]
      : []),
    ...(isObject(additionalProperties) ? keywordErrors(additionalProperties, `${path}.additionalProperties`) : []),
    ...entries(schema).flatMap(([name, one]) => keywordErrors(one, `${path}.properties[${name}]`)),
    ...(isObject(schema["not"]) ? keywordErrors(schema["not"], `${path}.not`) : []),
    ...JUNCTORS.flatMap(all),
    ...(isObject(items) ? keywordErrors(items, `${path}.items`) : []),
    ...(schema["x-kubernetes-preserve-unknown-fields"] === false
      ? [invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined")]
      : []),
    ...mergeErrors(schema, path, type)
  ]
}
