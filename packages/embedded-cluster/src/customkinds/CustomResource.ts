/**
 * Derives resources from a CustomResourceDefinition: one for each version that it serves.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apiserver`: the discovery of custom resources, and
 * `tableconvertor` for their columns.
 */
import type { Column } from "../core/Column.ts"
import { arrayAt, at, equals, isObject, type Json, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import { type ScalePaths, type Resource, type SelectableField, storageOf, type Subresource } from "../core/Resource.ts"
import { named, since } from "../forms/TableCells.ts"
import * as BuiltinSchemas from "../schemas/BuiltinSchemas.ts"
import * as JsonPath from "../schemas/JsonPath.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import * as CustomResourceDefinition from "./CustomResourceDefinition.ts"

/** Resources of a definition. `stored` is the resource of the storage version, which need not be served. */
export interface CustomResources {
  readonly served: ReadonlyArray<Resource>
  readonly stored: Resource | undefined
}

/** Derives the resources of a definition whose names are accepted. */
export const fromDefinition = (definition: JsonObject): CustomResources => {
  const versions = CustomResourceDefinition.versions(definition)
  const storage = versions.find((version) => version["storage"] === true)
  const indexed = new Map(versions.flatMap(selectable).map((field) => [field.name, field] as const))
  if (storage === undefined) return { served: [], stored: undefined }
  const make = (version: JsonObject, other: Resource | undefined) =>
    resource(definition, version, textAt(storage, "name"), other, [...indexed.values()])
  const stored = make(storage, undefined)
  const isAlike = (version: JsonObject) =>
    equals(CustomResourceDefinition.schemaOf(version), CustomResourceDefinition.schemaOf(storage))
  const served = versions
    .filter((version) => version["served"] === true)
    .map((version) => (version === storage ? stored : make(version, isAlike(version) ? undefined : stored)))
  return { served, stored }
}

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
const PART = ["get", "patch", "update"]

const resource = (
  definition: JsonObject,
  version: JsonObject,
  storage: string,
  stored: Resource | undefined,
  indexed: ReadonlyArray<SelectableField>
): Resource => {
  const group = textAt(definition, "spec", "group")
  const names = objectAt(definition, "status", "acceptedNames")
  const kind = textAt(names, "kind")
  const schema = CustomResourceDefinition.schemaOf(version)
  const scale = scaleOf(version)
  return {
    group,
    version: textAt(version, "name"),
    resource: textAt(names, "plural"),
    singular: textAt(names, "singular"),
    kind,
    namespaced: textAt(definition, "spec", "scope") === "Namespaced",
    shortNames: texts(names, "shortNames"),
    categories: texts(names, "categories"),
    verbs: VERBS,
    subresources: subresources(kind, version),
    fields: selectable(version),
    generation: true,
    returnsDeleted: false,
    storage: storageOf(group, textAt(names, "plural")),
    storedIn: storage,
    custom: {
      definition: textAt(definition, "metadata", "name"),
      listKind: textAt(names, "listKind"),
      schema,
      root: rootOf(schema),
      columns: columns(version),
      scale,
      indexed,
      stored,
      terminating: CustomResourceDefinition.isTrue(definition, "Terminating"),
      deprecation:
        version["deprecated"] === true ? CustomResourceDefinition.deprecation(definition, version) : undefined
    }
  }
}

const texts = (object: JsonObject, name: string): ReadonlyArray<string> =>
  arrayAt(object, name).filter((one) => typeof one === "string")

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
const TEXT = { type: "string" }

const rootOf = (schema: JsonObject): JsonObject => ({
  ...schema,
  properties: {
    ...objectAt(schema, "properties"),
    apiVersion: TEXT,
    kind: TEXT,
    metadata: KindSchema.reference(META)
  }
})

const subresources = (kind: string, version: JsonObject): ReadonlyArray<Subresource> => {
  const has = (name: string) => isObject(at(version, "subresources", name))
  const scale = {
    name: "scale",
    kind: "Scale",
    groupVersion: { group: "autoscaling", version: "v1" },
    verbs: PART
  } as const
  return [...(has("status") ? [{ name: "status", kind, verbs: PART } as const] : []), ...(has("scale") ? [scale] : [])]
}

const keysOf = (path: string): ReadonlyArray<string> => path.replace(/^\./, "").split(".")

const scaleOf = (version: JsonObject): ScalePaths | undefined => {
  const scale = at(version, "subresources", "scale")
  if (!isObject(scale)) return undefined
  const selector = textAt(scale, "labelSelectorPath")
  return {
    spec: keysOf(textAt(scale, "specReplicasPath")),
    status: keysOf(textAt(scale, "statusReplicasPath")),
    selector: selector === "" ? undefined : keysOf(selector)
  }
}

const selectable = (version: JsonObject): ReadonlyArray<SelectableField> =>
  arrayAt(version, "selectableFields").flatMap((field) => {
    const text = textAt(field, "jsonPath")
    const path = JsonPath.parse(text)
    if (path === undefined) return []
    const read = (object: JsonObject) => {
      const [value] = JsonPath.find(path, object)
      return value === undefined || value === null ? "" : shown(value)
    }
    return [{ name: text.replace(/^\./, ""), read }]
  })

const shown = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const TYPES = ["string", "integer", "boolean", "date", "number"] as const

const described = (field: string): string => textAt(BuiltinSchemas.get(META), "properties", field, "description")

const columns = (version: JsonObject): ReadonlyArray<Column> => {
  const declared = arrayAt(version, "additionalPrinterColumns").filter(isObject)
  const all = declared.length > 0 ? declared : [AGE]
  return [{ ...named, description: () => described("name") }, ...all.map(column)]
}

const AGE: JsonObject = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }

const column = (declared: JsonObject): Column => {
  const text = textAt(declared, "jsonPath")
  const path = JsonPath.parse(text)
  const type = TYPES.find((one) => one === declared["type"]) ?? "string"
  const description =
    textAt(declared, "description") || `Custom resource definition column (in JSONPath format): ${text}`
  return {
    name: textAt(declared, "name"),
    type,
    format: textAt(declared, "format"),
    priority: numberAt(declared, "priority") ?? 0,
    description: () => (declared === AGE ? described("creationTimestamp") : description),
    cell: (object, nowMs) => {
      const [value] = path === undefined ? [] : JsonPath.find(path, object)
      return value === undefined || value === null ? null : cellOf(type, value, nowMs)
    }
  }
}

const cellOf = (type: Column["type"], value: Json, nowMs: number): Json => {
  switch (type) {
    case "string":
      return shown(value)
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null
    case "number":
      return typeof value === "number" ? value : null
    case "boolean":
      return typeof value === "boolean" ? value : null
    case "date":
      if (typeof value !== "string") return null
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : since(value, nowMs)
  }
}
