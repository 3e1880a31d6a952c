/**
 * Validates CustomResourceDefinitions as the real server does.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apis/apiextensions/validation`.
 */
import { arrayAt, at, equals, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { startingLabelProblem, subdomainProblem } from "../core/Names.ts"
import {
  duplicate,
  type FieldError,
  forbiddenValue,
  immutable,
  invalidValue,
  required,
  tooMany,
  unsupportedValue
} from "../core/Status.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import * as SchemaRules from "../schemas/SchemaRules.ts"
import * as CustomResourceDefinition from "./CustomResourceDefinition.ts"

/** Checks a new definition. */
export const created = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const wanted = `${textAt(definition, "spec", "names", "plural")}.${textAt(definition, "spec", "group")}`
  const name = textAt(definition, "metadata", "name")
  return [
    ...(name === wanted || name === ""
      ? []
      : [invalidValue("metadata.name", name, `must be spec.names.plural and spec.group, joined by a dot: ${wanted}`)]),
    ...specErrors(definition),
    ...storedErrors(definition),
    ...approvalErrors(definition, undefined),
    ...preserveErrors(definition)
  ]
}

/** Checks a change of a definition. */
export const updated = (definition: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => [
  ...specErrors(definition),
  ...(CustomResourceDefinition.isTrue(before, "Established") ? [["scope"], ["names", "kind"]] : []).flatMap((path) =>
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
  return equals(now, old) ? [] : [immutable(`spec.${path.join(".")}`, now)]
}

const storedErrors = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const stored = arrayAt(definition, "status", "storedVersions")
  if (stored.length === 0) return [invalidValue("status.storedVersions", undefined, "must not be empty")]
  const names = new Set(CustomResourceDefinition.versions(definition).map((version) => textAt(version, "name")))
  return stored
    .map(shownText)
    .flatMap((name, index) =>
      names.has(name)
        ? []
        : [
            invalidValue(
              `status.storedVersions[${index}]`,
              name,
              "must be in spec.versions: objects may still be stored in it"
            )
          ]
    )
}

const shownText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const approvalErrors = (definition: JsonObject, before: JsonObject | undefined): ReadonlyArray<FieldError> => {
  const approval = (object: JsonObject) => textAt(object, "metadata", "annotations", CustomResourceDefinition.APPROVAL)
  const annotation = approval(definition)
  if (!CustomResourceDefinition.isProtected(textAt(definition, "spec", "group"))) return []
  if (before !== undefined && approval(before) === annotation) return []
  const field = `metadata.annotations[${CustomResourceDefinition.APPROVAL}]`
  const rule =
    'a group under k8s.io or kubernetes.io needs the URL of its approval, or a reason that starts with "unapproved"'
  if (annotation === "") return [required(field, rule)]
  return annotation.startsWith("unapproved") || URL.canParse(annotation) ? [] : [invalidValue(field, annotation, rule)]
}

const preserveErrors = (definition: JsonObject): ReadonlyArray<FieldError> =>
  at(definition, "spec", "preserveUnknownFields") === true
    ? [
        invalidValue(
          "spec.preserveUnknownFields",
          true,
          "must not be true: use x-kubernetes-preserve-unknown-fields in the schema"
        )
      ]
    : []

const groupErrors = (group: string): ReadonlyArray<FieldError> => {
  if (group === "") return [required("spec.group")]
  const problem = subdomainProblem(group)
  if (problem !== undefined) return [invalidValue("spec.group", group, problem)]
  return group.includes(".") ? [] : [invalidValue("spec.group", group, "must contain a dot")]
}

/**
 * Checks a field of each version. If all versions have the same value, the real server reports its errors at the top
 * of `spec`.
 */
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
  const versions = CustomResourceDefinition.versions(definition)
  const scope = textAt(definition, "spec", "scope")
  const names = versions.map((version) => version["name"])
  const schemas = placed(versions, "schema", "validation", (version, path) => {
    if (!isObject(at(version, "schema", "openAPIV3Schema"))) return []
    const status = isObject(at(version, "subresources", "status"))
    return SchemaRules.check(CustomResourceDefinition.schemaOf(version), `${path}.openAPIV3Schema`, status)
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
    && versions.some((version) => SchemaRules.hasDefaults(CustomResourceDefinition.schemaOf(version)))
      ? [invalidValue("spec.preserveUnknownFields", true, "must not be true with defaults in the schema")]
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
      : [invalidValue("spec.versions", undefined, "must not contain a name twice")]),
    ...(versions.filter((version) => version["storage"] === true).length === 1
      ? []
      : [invalidValue("spec.versions", undefined, "must contain exactly one version with storage: true")]),
    // `spec.version` is a field of the oldest API version. It names the first of `spec.versions`.
    ...versions.slice(0, 1).flatMap((version) => labelErrors("spec.version", textAt(version, "name"))),
    ...nameErrors(definition),
    ...schemas.all,
    ...subresources.all,
    ...columns.all,
    ...fields.all,
    ...conversionErrors(definition)
  ]
}

const labelErrors = (field: string, value: string, mixedCase = false): ReadonlyArray<FieldError> => {
  const problem = startingLabelProblem(mixedCase ? value.toLowerCase() : value)
  return problem === undefined ? [] : [invalidValue(field, value, problem)]
}

const nameErrors = (definition: JsonObject): ReadonlyArray<FieldError> => {
  const text = (name: string) => textAt(definition, "spec", "names", name)
  const list = (name: string) => arrayAt(definition, "spec", "names", name)
  const each = (name: string) =>
    list(name).flatMap((one, index) => labelErrors(`spec.names.${name}[${index}]`, typeof one === "string" ? one : ""))
  const one = (name: string, mixedCase = false) =>
    text(name) === "" ? [] : labelErrors(`spec.names.${name}`, text(name), mixedCase)
  return [
    ...["plural", "singular", "kind", "listKind"].flatMap((name) =>
      text(name) === "" ? [required(`spec.names.${name}`)] : []
    ),
    ...one("plural"),
    ...one("singular"),
    ...one("kind", true),
    ...one("listKind", true),
    ...each("shortNames"),
    ...(text("kind") !== "" && text("kind") === text("listKind")
      ? [invalidValue("spec.names.listKind", text("listKind"), "must differ from spec.names.kind")]
      : []),
    ...each("categories")
  ]
}

const deprecationErrors = (version: JsonObject, index: number): ReadonlyArray<FieldError> => {
  const field = `spec.versions[${index}].deprecationWarning`
  const warning = version["deprecationWarning"]
  if (typeof warning !== "string") return []
  if (version["deprecated"] !== true) return [invalidValue(field, warning, "is allowed only with deprecated: true")]
  return warning === "" || warning.length > 256 ? [invalidValue(field, warning, "must have 1 to 256 characters")] : []
}

const scaleErrors = (version: JsonObject, path: string): ReadonlyArray<FieldError> => {
  const scale = at(version, "subresources", "scale")
  if (!isObject(scale)) return []
  const check = (name: string, needed: boolean, ...below: ReadonlyArray<string>) => {
    const field = `${path}.scale.${name}`
    const value = textAt(scale, name)
    if (value === "") return needed ? [required(field)] : []
    if (below.some((root) => value.startsWith(`.${root}.`))) return []
    return [invalidValue(field, value, `must be a path below ${below.map((root) => `.${root}`).join(" or ")}`)]
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
    const types = `must be one of ${TYPES.join(", ")}`
    return [
      ...(name === "" ? [required(`${where}.name`)] : []),
      ...(type === "" ? [required(`${where}.type`, types)] : []),
      ...(type === "" || TYPES.includes(type) ? [] : [invalidValue(`${where}.type`, type, types)]),
      ...(format === "" || FORMATS.includes(format)
        ? []
        : [invalidValue(`${where}.format`, format, `must be one of ${FORMATS.join(", ")}`)]),
      ...(jsonPath === "" ? [required(`${where}.JSONPath`)] : []),
      ...(jsonPath === "" || jsonPath.startsWith(".")
        ? []
        : [invalidValue(`${where}.JSONPath`, jsonPath, "must start with a dot")])
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
    const found = keys.reduce<KindSchema.KindSchema>(KindSchema.fieldOf, CustomResourceDefinition.schemaOf(version))
    if (found === undefined && keys[0] !== "metadata") return [invalidValue(field, text, "must be the path of a field")]
    return [
      ...(keys[0] === "metadata" ? [invalidValue(field, text, "must not be in metadata")] : []),
      ...(SELECTABLE.has(textAt(found, "type"))
        ? []
        : [invalidValue(field, text, `must be a field of type ${[...SELECTABLE].join(", ")}`)]),
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
  const versions = arrayAt(conversion, "webhook", "conversionReviewVersions")
  if (strategy === "") return [required(field("strategy"))]
  if (!strategies.includes(strategy)) return [unsupportedValue(field("strategy"), strategy, strategies)]
  const client = at(conversion, "webhook", "clientConfig")
  if (strategy === "Webhook") {
    return [
      ...(isObject(client) ? [] : [required(field("webhookClientConfig"))]),
      ...(versions.length === 0 ? [required(field("conversionReviewVersions"))] : [])
    ]
  }
  return isObject(client) ? [forbiddenValue(field("webhookClientConfig"), "is allowed only with strategy Webhook")] : []
}
