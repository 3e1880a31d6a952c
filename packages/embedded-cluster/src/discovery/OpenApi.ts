/**
 * OpenAPI v3 documents: one for each group version, and their index.
 *
 * Schemas equal those of the real server. Paths are generated from the resources and include only methods, kinds and
 * parameter names. OpenAPI v2 is not served: clients request it only in protobuf, and only if v3 is missing.
 *
 * **Source** Kubernetes 1.36, `/openapi/v3`.
 */
import { createHash } from "node:crypto"
import { isArray, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import type { GroupVersion, Registry } from "../core/Registry.ts"
import type { Resource } from "../core/Resource.ts"
import * as BuiltinSchemas from "../schemas/BuiltinSchemas.ts"
import { gitVersion } from "./Discovery.ts"
import { customSchemas } from "./OpenApiKinds.ts"
import { pathsOf } from "./OpenApiPaths.ts"

const ROOT = "/openapi/v3"

/**
 * Returns the text of a document, or `undefined` for a path without a document.
 *
 * **Limits** documents of built-in kinds are made once per process, up to 1 MB each. Documents with custom kinds are
 * made for each request.
 */
export const answer = (registry: Registry, path: string): string | undefined => {
  if (path === ROOT || path === `${ROOT}/`) return JSON.stringify(index(registry))
  const found = registry.groupVersions.find((one) => path === `${ROOT}/${placeOf(one)}`)
  return found === undefined ? undefined : textOf(registry, found)
}

const placeOf = ({ group, version }: GroupVersion): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`

/**
 * Index of the documents, each with a hash in its address.
 *
 * **Shape** the hash changes whenever the document may change. Clients cache a document by its address.
 */
const index = (registry: Registry): JsonObject => ({
  paths: Object.fromEntries(
    registry.groupVersions.map((one) => {
      const resources = registry.served(one.group, one.version)
      const state = JSON.stringify([gitVersion, placeOf(one), resources.map(({ custom }) => custom?.schema ?? null)])
      const hash = createHash("sha512").update(state).digest("hex").toUpperCase()
      return [placeOf(one), { serverRelativeURL: `${ROOT}/${placeOf(one)}?hash=${hash}` }] as const
    })
  )
})

/** Texts of the documents of built-in kinds, shared by all clusters of the process. */
const builtIn = new Map<string, string>()

const textOf = (registry: Registry, of: GroupVersion): string => {
  const resources = registry.served(of.group, of.version)
  if (resources.some(({ custom }) => custom !== undefined)) return JSON.stringify(document(of, resources))
  const known = builtIn.get(placeOf(of))
  if (known !== undefined) return known
  const made = JSON.stringify(document(of, resources))
  builtIn.set(placeOf(of), made)
  return made
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1"
/** Kinds that belong to every group. Each document lists them under its own group. */
const OF_EVERY_GROUP = new Set([`${META}.DeleteOptions`, `${META}.WatchEvent`])

const document = (of: GroupVersion, resources: ReadonlyArray<Resource>): JsonObject => {
  const custom = resources.filter((resource) => resource.custom !== undefined)
  const known: JsonObject = Object.fromEntries(custom.flatMap((resource) => Object.entries(customSchemas(resource))))
  const paths = pathsOf(of, resources)
  const isWatched = resources.some(({ verbs }) => verbs.includes("watch"))
  const roots = [...referencedIn(paths), ...referencedIn(known), ...(isWatched ? [`${META}.WatchEvent`] : [])]
  return {
    openapi: "3.0.0",
    info: custom.length > 0 ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" } : TITLE,
    paths,
    components: { schemas: { ...schemasFrom(of, roots), ...known }, ...(custom.length > 0 ? {} : SECURITY) }
  }
}

const TITLE = { title: "Kubernetes", version: "1.36" }
const SECURITY = {
  securitySchemes: {
    BearerToken: {
      type: "apiKey",
      description: "Bearer Token authentication",
      name: "authorization",
      in: "header"
    }
  }
}

/** Collects schemas by name, with all schemas that they reference. */
const schemasFrom = (of: GroupVersion, names: ReadonlyArray<string>): JsonObject => {
  const found = new Map<string, JsonObject>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = BuiltinSchemas.get(name)
    if (found.has(name) || Object.keys(schema).length === 0) continue
    found.set(name, OF_EVERY_GROUP.has(name) ? { ...schema, ...kindsOf(of, name) } : schema)
    waiting.push(...referencedIn(schema))
  }
  return Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

const kindsOf = (of: GroupVersion, name: string): JsonObject => {
  const kind = name.slice(META.length + 1)
  const core = { group: "", kind, version: "v1" }
  const groupKind = of.group === "" ? [] : [{ group: of.group, kind, version: of.version }]
  return { "x-kubernetes-group-version-kind": [core, ...groupKind] }
}

const referencedIn = (value: Json): ReadonlyArray<string> => {
  if (isArray(value)) return value.flatMap(referencedIn)
  if (!isObject(value)) return []
  const name = textAt(value, "$ref")
  return [
    ...(name.startsWith(BuiltinSchemas.REFERENCE) ? [name.slice(BuiltinSchemas.REFERENCE.length)] : []),
    ...Object.values(value).flatMap(referencedIn)
  ]
}
