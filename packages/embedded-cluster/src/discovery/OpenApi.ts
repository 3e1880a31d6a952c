/**
 * The OpenAPI documents, version 3: one for each version of a group, and the index of them.
 *
 * Schemas are the real server's word for word; paths are made from the table of resources, and say what a program
 * needs to know of them: methods, kinds, and the names of parameters. There is no document of version 2: clients ask for
 * it in protobuf alone, and only where version 3 is missing.
 *
 * **Source** Kubernetes 1.36, `/openapi/v3`.
 */
import { createHash } from "node:crypto"
import { isArray, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import type { GroupVersion, Registry } from "../core/Registry.ts"
import type { Resource } from "../core/Resource.ts"
import * as Definitions from "../schemas/Definitions.ts"
import { gitVersion } from "./Discovery.ts"
import { customSchemas } from "./OpenApiKinds.ts"
import { pathsOf } from "./OpenApiPaths.ts"

const ROOT = "/openapi/v3"

/**
 * The text of a document, `undefined` for a path that has none.
 *
 * **Limits** documents of what is built in are made once in this process, up to 1 MB each; those of custom kinds anew
 * for each request.
 */
export const answer = (registry: Registry, path: string): string | undefined => {
  if (path === ROOT || path === `${ROOT}/`) return JSON.stringify(index(registry))
  const found = registry.groupVersions.find((one) => path === `${ROOT}/${placeOf(one)}`)
  return found === undefined ? undefined : textOf(registry, found)
}

const placeOf = ({ group, version }: GroupVersion): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`

/**
 * Lists the addresses of the documents, each with a hash.
 *
 * **Shape** the hash changes whenever the document may: clients keep a document as long as its address stays.
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

/** Documents of what is built in, which all clusters of this process share. */
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
/** Kinds that are of every group, and say so in each document. */
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

/** The schemas of these names, and of all that they refer to. */
const schemasFrom = (of: GroupVersion, names: ReadonlyArray<string>): JsonObject => {
  const found = new Map<string, JsonObject>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = Definitions.get(name)
    if (found.has(name) || Object.keys(schema).length === 0) continue
    found.set(name, OF_EVERY_GROUP.has(name) ? { ...schema, ...kindsOf(of, name) } : schema)
    waiting.push(...referencedIn(schema))
  }
  return Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

const kindsOf = (of: GroupVersion, name: string): JsonObject => {
  const kind = name.slice(META.length + 1)
  const core = { group: "", kind, version: "v1" }
  const own = of.group === "" ? [] : [{ group: of.group, kind, version: of.version }]
  return { "x-kubernetes-group-version-kind": [core, ...own] }
}

const referencedIn = (value: Json): ReadonlyArray<string> => {
  if (isArray(value)) return value.flatMap(referencedIn)
  if (!isObject(value)) return []
  const name = textAt(value, "$ref")
  return [
    ...(name.startsWith(Definitions.REFERENCE) ? [name.slice(Definitions.REFERENCE.length)] : []),
    ...Object.values(value).flatMap(referencedIn)
  ]
}
