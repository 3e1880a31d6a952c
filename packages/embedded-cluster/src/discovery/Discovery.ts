/**
 * Discovery documents, in the aggregated format and in the older format with one document per group.
 *
 * **Source** Kubernetes, "API concepts: API discovery".
 */
import type { AggregatedApis } from "../core/AggregatedApis.ts"
import type { Json, JsonObject } from "../core/Json.ts"
import { mediaRanges } from "../core/MediaRanges.ts"
import type { Registry } from "../core/Registry.ts"
import { apiVersionOf, isStored, type Resource, storageHash, type Subresource } from "../core/Resource.ts"

export const gitVersion = "v1.36.3"

export const version: JsonObject = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion,
  gitCommit: "$Format:%H$",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "go1.26.8",
  compiler: "gc",
  platform: "linux/amd64"
}

/** A discovery document and its media type. */
export interface Document {
  readonly contentType: string
  readonly body: JsonObject
}

const JSON_TYPE = "application/json"
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

const plain = (body: JsonObject): Document => ({ contentType: JSON_TYPE, body })

/**
 * Answers a discovery path. Returns `undefined` for any other path. **Shape** `address` is the server's own address.
 */
export const answer = (
  registry: Registry,
  path: string,
  accept: string | undefined,
  address: string,
  elsewhere: AggregatedApis
): Document | undefined => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const [root, first, second] = segments
  if (root === undefined) return plain({ paths: paths(registry) })
  if (root === "version" && segments.length === 1) return plain(version)
  if (root === "api" && segments.length === 1) {
    if (wantsAggregated(accept)) return aggregated(registry, [""])
    return plain({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }]
    })
  }
  if (root === "api" && first !== undefined && segments.length === 2) return resourceList(registry, "", first)
  if (root !== "apis") return undefined
  const names = groupNames(registry)
  const others = [...new Set(elsewhere.all.map((api) => api.group))].filter((name) => !names.includes(name))
  if (first === undefined) {
    const groups = [
      ...names.map((name) => group(registry, name)),
      ...others.map((name) => groupElsewhere(elsewhere, name))
    ]
    return wantsAggregated(accept)
      ? aggregated(
          registry,
          names,
          others.map((name) => discoveredElsewhere(elsewhere, name))
        )
      : plain({ kind: "APIGroupList", apiVersion: "v1", groups })
  }
  if (second === undefined) {
    if (others.includes(first))
      return plain({ kind: "APIGroup", apiVersion: "v1", ...groupElsewhere(elsewhere, first) })
    return names.includes(first) ? plain({ kind: "APIGroup", apiVersion: "v1", ...group(registry, first) }) : undefined
  }
  return segments.length === 3 ? resourceList(registry, first, second) : undefined
}

const wantsAggregated = (accept: string | undefined): boolean =>
  mediaRanges(accept).some(
    ({ parameters, type }) =>
      type === JSON_TYPE
      && parameters.get("g") === "apidiscovery.k8s.io"
      && parameters.get("v") === "v2"
      && parameters.get("as") === "APIGroupDiscoveryList"
  )

const groupNames = (registry: Registry): ReadonlyArray<string> => [
  ...new Set(registry.groupVersions.map((one) => one.group).filter((name) => name !== ""))
]

const group = (registry: Registry, name: string): JsonObject => {
  const versions = registry.groupVersions
    .filter((one) => one.group === name)
    .map((one) => ({ groupVersion: apiVersionOf(one), version: one.version }))
  return { name, versions, ...(versions[0] === undefined ? {} : { preferredVersion: versions[0] }) }
}

const paths = (registry: Registry): Json => [
  "/api",
  "/api/v1",
  "/apis",
  ...groupNames(registry).flatMap((name) => [
    `/apis/${name}`,
    ...registry.groupVersions.filter((one) => one.group === name).map((one) => `/apis/${apiVersionOf(one)}`)
  ]),
  "/healthz",
  "/livez",
  "/readyz",
  "/version"
]

const resourceList = (registry: Registry, groupName: string, versionName: string): Document | undefined => {
  const resources = registry.served(groupName, versionName)
  if (resources.length === 0) return undefined
  return plain({
    kind: "APIResourceList",
    ...(groupName === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group: groupName, version: versionName }),
    resources: resources.flatMap((resource) => [
      listed(resource),
      ...resource.subresources.map((sub) => listedPart(resource, sub))
    ])
  })
}

const listed = (resource: Resource): JsonObject => ({
  name: resource.resource,
  singularName: resource.singular,
  namespaced: resource.namespaced,
  kind: resource.kind,
  verbs: verbsOf(resource),
  ...names(resource),
  ...(isStored(resource) ? { storageVersionHash: storageHash(resource) } : {})
})

/** Verbs of a resource. While its definition is being deleted, it refuses writes other than deletions. */
const verbsOf = ({ custom, verbs }: Resource): ReadonlyArray<string> =>
  custom?.terminating === true ? verbs.filter((verb) => !["create", "patch", "update"].includes(verb)) : verbs

const listedPart = (resource: Resource, sub: Subresource): JsonObject => ({
  name: `${resource.resource}/${sub.name}`,
  singularName: "",
  namespaced: resource.namespaced,
  ...(sub.groupVersion === undefined ? {} : { group: sub.groupVersion.group, version: sub.groupVersion.version }),
  kind: sub.kind,
  verbs: sub.verbs
})

const names = ({ categories, shortNames }: Resource): JsonObject => ({
  ...(shortNames.length === 0 ? {} : { shortNames }),
  ...(categories.length === 0 ? {} : { categories })
})

const groupElsewhere = ({ all }: AggregatedApis, name: string): JsonObject => {
  const versions = all
    .filter((api) => api.group === name)
    .map(({ group, version }) => ({ groupVersion: `${group}/${version}`, version }))
  return { name, versions, ...(versions[0] === undefined ? {} : { preferredVersion: versions[0] }) }
}

/**
 * Discovery of a group of another server. While that server is unavailable, its entry is stale and has no resources.
 */
const discoveredElsewhere = (elsewhere: AggregatedApis, name: string): JsonObject => ({
  metadata: { name },
  versions: elsewhere.all
    .filter((api) => api.group === name)
    .map((api) =>
      api.available
        ? { version: api.version, resources: elsewhere.resourcesOf(api.name), freshness: "Current" }
        : { version: api.version, freshness: "Stale" }
    )
})

const aggregated = (
  registry: Registry,
  groups: ReadonlyArray<string>,
  others: ReadonlyArray<JsonObject> = []
): Document => ({
  contentType: AGGREGATED,
  body: {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [
      ...groups.map((name) => ({
        metadata: name === "" ? {} : { name },
        versions: registry.groupVersions
          .filter((one) => one.group === name)
          .map((one) => ({
            version: one.version,
            resources: registry.served(one.group, one.version).map(discovered),
            freshness: "Current"
          }))
      })),
      ...others
    ]
  }
})

const discovered = (resource: Resource): JsonObject => ({
  resource: resource.resource,
  responseKind: { group: resource.group, version: resource.version, kind: resource.kind },
  scope: resource.namespaced ? "Namespaced" : "Cluster",
  singularResource: resource.singular,
  verbs: verbsOf(resource),
  ...names(resource),
  ...(resource.subresources.length === 0
    ? {}
    : {
        subresources: resource.subresources.map((sub) => ({
          subresource: sub.name,
          responseKind: {
            group: sub.groupVersion?.group ?? resource.group,
            version: sub.groupVersion?.version ?? resource.version,
            kind: sub.kind
          },
          verbs: sub.verbs
        }))
      })
})
