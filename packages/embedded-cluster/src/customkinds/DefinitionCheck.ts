/**
 * Refuses definitions of kinds that the real server refuses.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apis/apiextensions/validation`.
 */
import { arrayAt, at, equals, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { startingLabelProblem, subdomainProblem } from "../core/Names.ts"
import {
  duplicate,
  type FieldError,
  forbiddenValue,
  invalidValue,
  required,
  tooMany,
  unsupportedValue
} from "../core/Status.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import * as SchemaRules from "../schemas/SchemaRules.ts"
import * as Definition from "./Definition.ts"

/** Finds what is wrong with a definition that is created. */
export const created = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const wanted = `${textAt(definition, "spec", "names", "plural")}.${textAt(definition, "spec", "group")}`
  const name = textAt(definition, "metadata", "name")
  return [
    ...(name === wanted || name === ""
      ? []
      : [invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(definition),
    ...storedErrors(definition),
    ...approvalErrors(definition, undefined),
    ...preserveErrors(definition)
  ]
}

/** Finds what is wrong with a change of a definition. */
export const updated = (definition: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => [
  ...specErrors(definition),
  ...(Definition.isTrue(before, "Established") ? [["scope"], ["names", "kind"]] : []).flatMap((path) =>
    unchanged(definition, before, path)
  ),
  ...[["group"], ["names", "plural"]].flatMap((path) => unchanged(definition, before, path)),
  ...storedErrors(definition),
  ...approvalErrors(definition, before),
  ...preserveErrors(definition)
]

const unchanged = (
  definition: JsonObject,
  before: JsonObject,
  path: ReadonlyArray<string>
): ReadonlyArray<FieldError> => {
  const [now, old] = [at(definition, "spec", ...path), at(before, "spec", ...path)]
  return equals(now, old) ? [] : [invalidValue(`spec.${path.join(".")}`, now, "field is immutable")]
}

const storedErrors = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const stored = arrayAt(definition, "status", "storedVersions")
  if (stored.length === 0) return [invalidValue("status.storedVersions", null, "must have at least one stored version")]
  const names = new Set(Definition.versions(definition).map((version) => textAt(version, "name")))
  return stored
    .map(shownText)
    .flatMap((name, index) =>
      names.has(name)
        ? []
        : [
            invalidValue(
              `status.storedVersions[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a `
                + `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
            )
          ]
    )
}

const shownText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const approvalErrors = (definition: JsonObject, before: JsonObject | undefined): ReadonlyArray<FieldError> => {
  const approval = (object: JsonObject) => textAt(object, "metadata", "annotations", Definition.APPROVAL)
  const given = approval(definition)
  if (!Definition.isProtected(textAt(definition, "spec", "group"))) return []
  if (before !== undefined && approval(before) === given) return []
  const field = `metadata.annotations[${Definition.APPROVAL}]`
  const rule = `protected groups must have approval annotation "${Definition.APPROVAL}"`
  const more = "see https://github.com/kubernetes/enhancements/pull/1111"
  if (given === "") return [required(field, `${rule}, ${more}`)]
  if (given.startsWith("unapproved") || URL.canParse(given)) return []
  return [invalidValue(field, given, `${rule} with either a URL or a reason starting with "unapproved", ${more}`)]
}

const preserveErrors = (definition: JsonObject): ReadonlyArray<FieldError> =>
  at(definition, "spec", "preserveUnknownFields") === true
    ? [
        invalidValue(
          "spec.preserveUnknownFields",
          true,
          "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        )
      ]
    : []

const groupErrors = (group: string): ReadonlyArray<FieldError> => {
  if (group === "") return [required("spec.group")]
  const problem = subdomainProblem(group)
  if (problem !== undefined) return [invalidValue("spec.group", group, problem)]
  return group.includes(".") ? [] : [invalidValue("spec.group", group, "should be a domain with at least one dot")]
}

/** A field that all versions have alike stands at the top of what the real server checks, and its errors say so. */
const placed = (
  versions: ReadonlyArray<JsonObject>,
  key: string,
  top: string,
  check: (version: JsonObject, path: string) => ReadonlyArray<FieldError>
) => {
  const [first] = versions
  const alike = first?.[key] !== undefined && versions.every((version) => equals(version[key], first[key]))
  return {
    each: (version: JsonObject, index: number) => (alike ? [] : check(version, `spec.versions[${index}].${key}`)),
    all: alike && first !== undefined ? check(first, `spec.${top}`) : []
  }
}

const specErrors = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const versions = Definition.versions(definition)
  const scope = textAt(definition, "spec", "scope")
  const names = versions.map((version) => version["name"])
  const schemas = placed(versions, "schema", "validation", (version, path) => {
    if (!isObject(at(version, "schema", "openAPIV3Schema"))) return []
    const status = isObject(at(version, "subresources", "status"))
    return SchemaRules.check(Definition.schemaOf(version), `${path}.openAPIV3Schema`, status)
  })
  const subresources = placed(versions, "subresources", "subresources", scaleErrors)
  const columns = placed(versions, "additionalPrinterColumns", "additionalPrinterColumns", columnErrors)
  const fields = placed(versions, "selectableFields", "selectableFields", selectableErrors)
  const scopes = ["Cluster", "Namespaced"]
  return [
    ...groupErrors(textAt(definition, "spec", "group")),
    ...(scope === "" ? [required("spec.scope")] : []),
    ...(scope === "" || scopes.includes(scope) ? [] : [unsupportedValue("spec.scope", scope, scopes)]),
    ...versions.flatMap((version, index) =>
      isObject(at(version, "schema", "openAPIV3Schema"))
        ? []
        : [required(`spec.versions[${index}].schema.openAPIV3Schema`)]
    ),
    ...(at(definition, "spec", "preserveUnknownFields") === true
    && versions.some((version) => SchemaRules.hasDefaults(Definition.schemaOf(version)))
      ? [invalidValue("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")]
      : []),
    ...versions.flatMap((version, index) => [
      ...labelErrors(`spec.versions[${index}].name`, textAt(version, "name")),
      ...deprecationErrors(version, index),
      ...schemas.each(version, index),
      ...subresources.each(version, index),
      ...columns.each(version, index),
      ...fields.each(version, index)
    ]),
    ...(new Set(names).size === names.length
      ? []
      : [invalidValue("spec.versions", [...versions], "must contain unique version names")]),
    ...(versions.filter((version) => version["storage"] === true).length === 1
      ? []
      : [invalidValue("spec.versions", [...versions], "must have exactly one version marked as storage version")]),
    // The oldest form of a definition had one version; it stands for the first of them.
    ...versions.slice(0, 1).flatMap((version) => labelErrors("spec.version", textAt(version, "name"))),
    ...nameErrors(definition),
    ...schemas.all,
    ...subresources.all,
    ...columns.all,
    ...fields.all,
    ...conversionErrors(definition)
  ]
}

const labelErrors = (field: string, value: string, before = ""): ReadonlyArray<FieldError> => {
  const problem = startingLabelProblem(before === "" ? value : value.toLowerCase())
  return problem === undefined ? [] : [invalidValue(field, value, `${before}${problem}`)]
}

const MIXED = "may have mixed case, but should otherwise match: "

const nameErrors = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const text = (name: string) => textAt(definition, "spec", "names", name)
  const list = (name: string) => arrayAt(definition, "spec", "names", name)
  const each = (name: string) =>
    list(name).flatMap((one, index) => labelErrors(`spec.names.${name}[${index}]`, typeof one === "string" ? one : ""))
  const one = (name: string, before = "") =>
    text(name) === "" ? [] : labelErrors(`spec.names.${name}`, text(name), before)
  return [
    ...["plural", "singular", "kind", "listKind"].flatMap((name) =>
      text(name) === "" ? [required(`spec.names.${name}`)] : []
    ),
    ...one("plural"),
    ...one("singular"),
    ...one("kind", MIXED),
    ...one("listKind", MIXED),
    ...each("shortNames"),
    ...(text("kind") !== "" && text("kind") === text("listKind")
      ? [invalidValue("spec.names.listKind", text("listKind"), "kind and listKind may not be the same")]
      : []),
    ...each("categories")
  ]
}

const deprecationErrors = (version: JsonObject, index: number): ReadonlyArray<FieldError> => {
  const field = `spec.versions[${index}].deprecationWarning`
  const warning = version["deprecationWarning"]
  if (typeof warning !== "string") return []
  if (version["deprecated"] !== true) return [invalidValue(field, warning, "can only be set for deprecated versions")]
  if (warning === "") return [invalidValue(field, warning, "must not be an empty string")]
  return warning.length > 256 ? [invalidValue(field, warning, "must be <= 256 characters long")] : []
}

const scaleErrors = (version: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const scale = at(version, "subresources", "scale")
  if (!isObject(scale)) return []
  const check = (name: string, needed: boolean, ...below: ReadonlyArray<string>) => {
    const field = `${path}.scale.${name}`
    const value = textAt(scale, name)
    if (value === "") return needed ? [required(field)] : []
    if (!value.startsWith(".")) return [invalidValue(field, value, "must be a simple json path starting with .")]
    if (below.some((root) => value.startsWith(`.${root}.`))) return []
    const roots = below.map((root) => `.${root}`)
    const where = roots.length === 1 ? roots[0] : `either ${roots.join(" or ")}`
    return [invalidValue(field, value, `should be a json path under ${where}`)]
  }
  return [
    ...check("specReplicasPath", true, "spec"),
    ...check("statusReplicasPath", true, "status"),
    ...check("labelSelectorPath", false, "spec", "status")
  ]
}

const TYPES = ["boolean", "date", "integer", "number", "string"]
const FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"]

const columnErrors = (version: JsonObject, path: string): ReadonlyArray<FieldError> =>
  arrayAt(version, "additionalPrinterColumns").flatMap((column, index) => {
    const where = `${path}[${index}]`
    const [name, type, format] = [textAt(column, "name"), textAt(column, "type"), textAt(column, "format")]
    const jsonPath = textAt(column, "jsonPath")
    const types = `must be one of ${TYPES.join(",")}`
    return [
      ...(name === "" ? [required(`${where}.name`)] : []),
      ...(type === "" ? [required(`${where}.type`, types)] : []),
      ...(type === "" || TYPES.includes(type) ? [] : [invalidValue(`${where}.type`, type, types)]),
      ...(format === "" || FORMATS.includes(format)
        ? []
        : [invalidValue(`${where}.format`, format, `must be one of ${FORMATS.join(",")}`)]),
      ...(jsonPath === "" ? [required(`${where}.JSONPath`)] : []),
      ...(jsonPath === "" || jsonPath.startsWith(".")
        ? []
        : [invalidValue(`${where}.JSONPath`, jsonPath, "must be a simple json path starting with .")])
    ]
  })

const MOST_FIELDS = 8
const SELECTABLE = new Set(["string", "boolean", "integer"])

const selectableErrors = (version: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const fields = arrayAt(version, "selectableFields").map((one) => textAt(one, "jsonPath"))
  const errors = fields.flatMap((text, index) => {
    const field = `${path}[${index}].jsonPath`
    if (text === "") return [required(field)]
    const keys = text.replace(/^\./, "").split(".")
    const found = keys.reduce<KindSchema.KindSchema>(KindSchema.fieldOf, Definition.schemaOf(version))
    if (found === undefined && keys[0] !== "metadata")
      return [invalidValue(field, text, "is an invalid path: does not refer to a valid field")]
    return [
      ...(keys[0] === "metadata" ? [invalidValue(field, text, "must not point to fields in metadata")] : []),
      ...(SELECTABLE.has(textAt(found, "type"))
        ? []
        : [
            invalidValue(
              field,
              text,
              "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
            )
          ]),
      ...(fields.indexOf(text) < index ? [duplicate(field, text)] : [])
    ]
  })
  const count = new Set(fields).size
  return count > MOST_FIELDS ? [...errors, tooMany(path, count, MOST_FIELDS)] : errors
}

const conversionErrors = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const conversion = at(definition, "spec", "conversion")
  const field = (name: string) => `spec.conversion.${name}`
  const strategy = textAt(conversion, "strategy")
  const strategies = ["None", "Webhook"]
  const versions: Json = [...arrayAt(conversion, "webhook", "conversionReviewVersions")]
  if (strategy === "") return [required(field("strategy"))]
  if (!strategies.includes(strategy)) return [unsupportedValue(field("strategy"), strategy, strategies)]
  const client = at(conversion, "webhook", "clientConfig")
  if (strategy === "Webhook") {
    return [
      ...(isObject(client) ? [] : [required(field("webhookClientConfig"), "required when strategy is set to Webhook")]),
      ...(versions.length === 0 ? [required(field("conversionReviewVersions"))] : [])
    ]
  }
  const not = "should not be set when strategy is not set to Webhook"
  return isObject(client) ? [forbiddenValue(field("webhookClientConfig"), not)] : []
}
