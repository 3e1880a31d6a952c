/**
 * OpenAPI schemas of custom kinds.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/controller/openapi/builder`.
 */
import { arrayAt, isObject, type JsonObject, objectAt, put, textAt } from "../core/Json.ts"
import { listKindOf, type Resource } from "../core/Resource.ts"
import * as BuiltinSchemas from "../schemas/BuiltinSchemas.ts"
import * as KindSchema from "../schemas/KindSchema.ts"

const META = "io.k8s.apimachinery.pkg.apis.meta.v1"
const KINDS = "x-kubernetes-group-version-kind"

/** Name of a custom kind's schema: its reversed group, its version and its kind. */
export const nameOf = (group: string, version: string, kind: string): string =>
  [...group.split(".").toReversed(), version, kind].join(".")

/** Schemas of a custom kind and of its list, by name. */
export const customSchemas = (resource: Resource): JsonObject => {
  const { custom, group, kind, resource: plural, version } = resource
  if (custom === undefined) return {}
  const name = nameOf(group, version, kind)
  const listKind = listKindOf(resource)
  const described = (of: string, extra: JsonObject): JsonObject => {
    const description = textAt(BuiltinSchemas.get(`${META}.${of}`), "properties", "metadata", "description")
    return { ...extra, ...(description === "" ? {} : { description }) }
  }
  const object = {
    ...embedded(custom.schema),
    properties: {
      ...objectAt(embedded(custom.schema), "properties"),
      ...types(),
      metadata: { ...described("PartialObjectMetadata", {}), allOf: [KindSchema.reference(`${META}.ObjectMeta`)] }
    },
    [KINDS]: [{ group, kind, version }]
  }
  const items = `List of ${plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`
  const list = {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      ...types(),
      items: { description: items, type: "array", items: KindSchema.reference(name) },
      metadata: { allOf: [KindSchema.reference(`${META}.ListMeta`)] }
    },
    [KINDS]: [{ group, kind: listKind, version }]
  }
  return { [name]: object, [nameOf(group, version, listKind)]: list }
}

/** Schemas of `apiVersion` and `kind`, with the usual descriptions. */
const types = (): JsonObject => {
  const status = BuiltinSchemas.get(`${META}.Status`)
  return {
    apiVersion: objectAt(status, "properties", "apiVersion"),
    kind: objectAt(status, "properties", "kind")
  }
}

/** Adds type and metadata to the schemas of embedded resources. */
const embedded = (schema: JsonObject): JsonObject => {
  const { additionalProperties, items } = schema
  const properties = Object.fromEntries(
    Object.entries(objectAt(schema, "properties")).map(([name, one]) => [name, isObject(one) ? embedded(one) : one])
  )
  const below: JsonObject = {
    ...schema,
    ...(schema["properties"] === undefined ? {} : { properties }),
    ...(isObject(items) ? { items: embedded(items) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: embedded(additionalProperties) } : {})
  }
  if (schema["x-kubernetes-embedded-resource"] !== true) return below
  const required = new Set([...arrayAt(schema, "required"), "kind", "apiVersion"])
  const typed = { ...properties, ...types(), metadata: KindSchema.reference(`${META}.ObjectMeta`) }
  return put({ ...below, required: [...required] }, ["properties"], typed)
}
