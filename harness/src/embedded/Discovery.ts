/**
 * The documents that say what the server serves.
 *
 * **Source** Kubernetes, "API concepts: API discovery", both the aggregated form and the older one document a group.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "./Json.ts"
import { mediaRanges } from "./Representation.ts"
import { apiVersionOf, type Resource, type Subresource } from "./Resource.ts"
import * as Resources from "./Resources.ts"

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

/** What discovery answers: a document, and the media type it is in. */
export interface Document {
  readonly contentType: string
  readonly body: JsonObject
}

const JSON_TYPE = "application/json"
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

const plain = (body: JsonObject): Document => ({ contentType: JSON_TYPE, body })

const groupVersions: ReadonlyArray<{ readonly group: string; readonly version: string }> = [
  ...new Map(
    Resources.all.map((resource) => [apiVersionOf(resource), { group: resource.group, version: resource.version }])
  ).values()
]

/** Answers a discovery path, `undefined` for any other. **Shape** `address` is that of the server itself. */
export const answer = (path: string, accept: string | undefined, address: string): Document | undefined => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const [root, first, second] = segments
  if (root === undefined) return plain({ paths: paths() })
  if (root === "version" && segments.length === 1) return plain(version)
  if (root === "api" && segments.length === 1) {
    if (wantsAggregated(accept)) return aggregated([""])
    return plain({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }]
    })
  }
  if (root === "api" && first !== undefined && segments.length === 2) return resourceList("", first)
  if (root !== "apis") return undefined
  if (first === undefined) {
    return wantsAggregated(accept)
      ? aggregated(groupNames())
      : plain({ kind: "APIGroupList", apiVersion: "v1", groups: groupNames().map(group) })
  }
  if (second === undefined) {
    return groupNames().includes(first) ? plain({ kind: "APIGroup", apiVersion: "v1", ...group(first) }) : undefined
  }
  return segments.length === 3 ? resourceList(first, second) : undefined
}

const wantsAggregated = (accept: string | undefined): boolean =>
  mediaRanges(accept).some(
    ({ parameters, type }) =>
      type === JSON_TYPE
      && parameters.get("g") === "apidiscovery.k8s.io"
      && parameters.get("v") === "v2"
      && parameters.get("as") === "APIGroupDiscoveryList"
  )

const groupNames = (): ReadonlyArray<string> => groupVersions.map((one) => one.group).filter((name) => name !== "")

const group = (name: string): JsonObject => {
  const versions = groupVersions
    .filter((one) => one.group === name)
    .map((one) => ({ groupVersion: apiVersionOf(one), version: one.version }))
  return { name, versions, ...(versions[0] === undefined ? {} : { preferredVersion: versions[0] }) }
}

const paths = (): Json => [
  "/api",
  "/api/v1",
  "/apis",
  ...groupVersions.flatMap((one) => (one.group === "" ? [] : [`/apis/${one.group}`, `/apis/${apiVersionOf(one)}`])),
  "/healthz",
  "/livez",
  "/readyz",
  "/version"
]

const served = (groupName: string, versionName: string): ReadonlyArray<Resource> =>
  Resources.all.filter((resource) => resource.group === groupName && resource.version === versionName)

const resourceList = (groupName: string, versionName: string): Document | undefined => {
  const resources = served(groupName, versionName)
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
  verbs: resource.verbs,
  ...names(resource)
})

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

const aggregated = (groups: ReadonlyArray<string>): Document => ({
  contentType: AGGREGATED,
  body: {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((name) => ({
      metadata: name === "" ? {} : { name },
      versions: groupVersions
        .filter((one) => one.group === name)
        .map((one) => ({
          version: one.version,
          resources: served(one.group, one.version).map(discovered),
          freshness: "Current"
        }))
    }))
  }
})

const discovered = (resource: Resource): JsonObject => ({
  resource: resource.resource,
  responseKind: { group: resource.group, version: resource.version, kind: resource.kind },
  scope: resource.namespaced ? "Namespaced" : "Cluster",
  singularResource: resource.singular,
  verbs: resource.verbs,
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
