/**
 * Paths of an OpenAPI document: operations, kinds and parameters.
 *
 * **Source** Kubernetes 1.36, `k8s.io/apiserver/pkg/endpoints/installer.go`.
 */
import type { JsonObject } from "../core/Json.ts"
import type { GroupVersion } from "../core/Registry.ts"
import { listKindOf, type Resource, type Subresource } from "../core/Resource.ts"
import * as BuiltinSchemas from "../schemas/BuiltinSchemas.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import { nameOf } from "./OpenApiKinds.ts"

const META = "io.k8s.apimachinery.pkg.apis.meta.v1"

/** The kind of a path. **Shape** `name` is the name of its schema. */
interface Kind extends GroupVersion {
  readonly kind: string
  readonly name: string
}

const text = (name: string): JsonObject => ({ name, in: "query", schema: { type: "string", uniqueItems: true } })
const flag = (name: string): JsonObject => ({ name, in: "query", schema: { type: "boolean", uniqueItems: true } })
const number = (name: string): JsonObject => ({ name, in: "query", schema: { type: "integer", uniqueItems: true } })
const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  description,
  required: true,
  schema: { type: "string", uniqueItems: true }
})

const PRETTY = text("pretty")
const SELECT = [text("fieldSelector"), text("labelSelector"), number("limit")]
const VERSION = [text("resourceVersion"), text("resourceVersionMatch"), flag("sendInitialEvents")]
const LIST = [
  flag("allowWatchBookmarks"),
  text("continue"),
  ...SELECT,
  ...VERSION,
  text("shardSelector"),
  number("timeoutSeconds"),
  flag("watch")
]
const WRITE = [text("dryRun"), text("fieldManager"), text("fieldValidation")]
const DELETE = [
  text("dryRun"),
  number("gracePeriodSeconds"),
  flag("ignoreStoreReadErrorWithClusterBreakingPotential"),
  flag("orphanDependents"),
  text("propagationPolicy")
]
const DELETE_ALL = [
  text("continue"),
  text("dryRun"),
  text("fieldSelector"),
  ...DELETE.slice(1, 3),
  text("labelSelector"),
  number("limit"),
  ...DELETE.slice(3),
  ...VERSION,
  text("shardSelector"),
  number("timeoutSeconds")
]

/** The OpenAPI operation of a verb. */
interface Operation {
  readonly method: string
  readonly action: string
  readonly word: string
  readonly parameters: ReadonlyArray<JsonObject>
}

const ON_COLLECTION: Readonly<Record<string, Operation>> = {
  list: { method: "get", action: "list", word: "list", parameters: LIST },
  create: { method: "post", action: "post", word: "create", parameters: WRITE },
  deletecollection: { method: "delete", action: "deletecollection", word: "deleteCollection", parameters: DELETE_ALL }
}
const ON_ITEM: Readonly<Record<string, Operation>> = {
  get: { method: "get", action: "get", word: "read", parameters: [] },
  update: { method: "put", action: "put", word: "replace", parameters: WRITE },
  delete: { method: "delete", action: "delete", word: "delete", parameters: DELETE },
  patch: { method: "patch", action: "patch", word: "patch", parameters: [...WRITE, flag("force")] }
}
const LOG: Readonly<Record<string, Operation>> = {
  get: {
    method: "get",
    action: "get",
    word: "read log of",
    parameters: [
      text("container"),
      flag("follow"),
      flag("insecureSkipTLSVerifyBackend"),
      number("limitBytes"),
      flag("previous"),
      number("sinceSeconds"),
      text("stream"),
      number("tailLines"),
      flag("timestamps")
    ]
  }
}
const ON_PART: Readonly<Record<string, Operation>> = {
  ...ON_ITEM,
  create: { method: "post", action: "post", word: "create", parameters: WRITE }
}

/** Paths of all resources of a group version. */
export const pathsOf = (of: GroupVersion, resources: ReadonlyArray<Resource>): JsonObject => {
  const root = of.group === "" ? `/api/${of.version}` : `/apis/${of.group}/${of.version}`
  return Object.fromEntries([
    [`${root}/`, { get: { description: "get available resources", responses: answer(`${META}.APIResourceList`) } }],
    ...resources.flatMap((resource) => resourcePaths(root, resource))
  ])
}

const resourcePaths = (root: string, resource: Resource): ReadonlyArray<readonly [string, JsonObject]> => {
  const { namespaced, resource: plural, verbs } = resource
  const resourceKind = kindOf(resource, undefined)
  const collection = `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`
  const item = `${collection}/{name}`
  const place = namespaced ? [inPath("namespace", "object name and auth scope, such as for teams and projects")] : []
  const make = (operations: Readonly<Record<string, Operation>>, kind: Kind, on: ReadonlyArray<string>) =>
    Object.fromEntries(
      Object.entries(operations).flatMap(([verb, operation]) =>
        on.includes(verb) ? [[operation.method, described(resource, kind, operation)] as const] : []
      )
    )
  const named = (kind: Kind) => [inPath("name", `name of the ${kind.kind}`), ...place, PRETTY]
  const paths: ReadonlyArray<readonly [string, JsonObject]> = [
    [collection, { ...make(ON_COLLECTION, resourceKind, verbs), parameters: [...place, PRETTY] }],
    [item, { ...make(ON_ITEM, resourceKind, verbs), parameters: named(resourceKind) }],
    ...resource.subresources.map((sub) => {
      const kind = kindOf(resource, sub)
      return [
        `${item}/${sub.name}`,
        { ...make(sub.name === "log" ? LOG : ON_PART, kind, sub.verbs), parameters: named(kind) }
      ] as const
    })
  ]
  const everywhere: ReadonlyArray<readonly [string, JsonObject]> =
    namespaced && verbs.includes("list")
      ? [[`${root}/${plural}`, { ...make(ON_COLLECTION, resourceKind, ["list"]), parameters: [PRETTY] }]]
      : []
  return [...everywhere, ...paths.filter(([, { parameters: _parameters, ...rest }]) => Object.keys(rest).length > 0)]
}

const kindOf = (resource: Resource, sub: Subresource | undefined): Kind => {
  const { group, version } = sub?.groupVersion ?? resource
  const kind = sub?.kind ?? resource.kind
  const isOwn = resource.custom !== undefined && sub?.groupVersion === undefined
  return {
    group,
    version,
    kind,
    name: isOwn ? nameOf(group, version, kind) : BuiltinSchemas.nameOf(group, version, kind)
  }
}

const PATCHES = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"]

const described = (resource: Resource, kind: Kind, operation: Operation): JsonObject => {
  const { action, parameters, word } = operation
  const patches = resource.custom === undefined ? [...PATCHES, "application/strategic-merge-patch+json"] : PATCHES
  const reply =
    action === "list"
      ? nameOfList(resource, kind)
      : action === "deletecollection" || (action === "delete" && !resource.returnsDeleted)
        ? `${META}.Status`
        : kind.name
  const body =
    action === "patch"
      ? Object.fromEntries(patches.map((type) => [type, { schema: KindSchema.reference(`${META}.Patch`) }]))
      : action === "delete" || action === "deletecollection"
        ? { "*/*": { schema: KindSchema.reference(`${META}.DeleteOptions`) } }
        : action === "put" || action === "post"
          ? { "*/*": { schema: KindSchema.reference(kind.name) } }
          : undefined
  return {
    description: `${word} ${kind.kind}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: body, required: !action.startsWith("delete") } }),
    responses: operation === LOG["get"] ? TEXT : answer(reply),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind }
  }
}

const nameOfList = (resource: Resource, kind: Kind): string => {
  const list = listKindOf(resource)
  return resource.custom === undefined
    ? BuiltinSchemas.nameOf(kind.group, kind.version, list)
    : nameOf(kind.group, kind.version, list)
}

const TEXT: JsonObject = {
  200: { description: "OK", content: { "application/json": { schema: { type: "string" } } } },
  401: { description: "Unauthorized" }
}

const answer = (name: string): JsonObject => ({
  200: { description: "OK", content: { "application/json": { schema: KindSchema.reference(name) } } },
  401: { description: "Unauthorized" }
})
