/** What of an object is its maker's, and what is the cluster's own. */
import { Equal } from "effect"
import type { KubeObject, ObjectMeta } from "../client/KubeObject.ts"
import type { ApiResource } from "./ApiResources.ts"

/** An object as a cluster lists it. */
export interface Listed {
  readonly resource: ApiResource
  readonly object: KubeObject
}

/**
 * Kinds that a cluster writes by itself, by group and plural: what stands in them follows from other objects, from time,
 * or from who happens to run.
 */
const DERIVED = new Set([
  "/componentstatuses",
  "/endpoints",
  "/events",
  "apps/controllerrevisions",
  "coordination.k8s.io/leases",
  "discovery.k8s.io/endpointslices",
  "events.k8s.io/events",
  "networking.k8s.io/ipaddresses",
  "networking.k8s.io/servicecidrs",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/csistoragecapacities",
  "storage.k8s.io/volumeattachments"
])

/** Kinds whose status only the server makes. */
const SERVER_STATUS = new Set([
  "/namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices"
])

export const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions"
export const NAMESPACES = "/namespaces"

const WORKLOADS = new Set(["/pods", "/replicationcontrollers"])

export const nameOf = ({ group, name }: ApiResource): string => `${group}/${name}`

/** The same for the same object of two lists, whatever its version and uid. */
export const idOf = ({ object, resource }: Listed): string =>
  `${nameOf(resource)} ${object.metadata.namespace ?? ""}/${object.metadata.name}`

export const isDerived = (resource: ApiResource): boolean => DERIVED.has(nameOf(resource))

export const hasOwnStatus = (resource: ApiResource): boolean =>
  resource.hasStatus && resource.canUpdate && !SERVER_STATUS.has(nameOf(resource))

/** Whether a controller makes, changes and removes the object, so that nobody else need where it runs. */
export const isOwned = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) === true

/**
 * Whether an API service says that the server makes and removes it as the kinds of its group come and go: whoever removes
 * it finds it made anew.
 *
 * It leaves out those of built-in groups (`onstart`), which are made once when the server starts. **Source**
 * kube-aggregator, `pkg/controllers/autoregister`.
 */
export const isAutoregistered = ({
  metadata
}: {
  readonly metadata: Pick<KubeObject["metadata"], "labels">
}): boolean => metadata.labels?.["kube-aggregator.kubernetes.io/automanaged"] === "true"

/** Whether the server or a leader among controllers keeps the object for itself. */
export const isServers = ({ metadata }: KubeObject): boolean =>
  isAutoregistered({ metadata }) || metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined

export const isEnding = ({ metadata }: KubeObject): boolean => metadata["deletionTimestamp"] !== undefined

export const finalizersOf = ({ metadata }: KubeObject): ReadonlyArray<unknown> => {
  const finalizers = metadata["finalizers"]
  return Array.isArray(finalizers) ? finalizers : []
}

/** Kinds, then namespaces, then what runs nothing, then what runs: the order in which they can be made. */
export const rankOf = (resource: ApiResource): number => {
  const name = nameOf(resource)
  if (name === DEFINITIONS) return 0
  if (name === NAMESPACES) return 1
  return resource.group === "apps" || resource.group === "batch" || WORKLOADS.has(name) ? 3 : 2
}

/** Fields of the metadata that the server gives. */
const GIVEN = new Set([
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid"
])

/** The object as its maker would write it, without a status. */
export const asked = (object: KubeObject): KubeObject => {
  const { apiVersion, kind, metadata, ...rest } = object
  const entries = Object.entries(rest).filter(([key]) => key !== "status")
  return { ...Object.fromEntries(entries), apiVersion, kind, metadata: metadataOf(metadata) }
}

const metadataOf = (metadata: typeof ObjectMeta.Type): typeof ObjectMeta.Type =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !GIVEN.has(key)))

/** Whether two objects ask for the same. */
export const asksSame = (left: KubeObject, right: KubeObject): boolean => Equal.equals(asked(left), asked(right))

export const statusSame = (left: KubeObject, right: KubeObject): boolean =>
  Equal.equals(left["status"], right["status"])

/** The object with every uid that has been replaced, wherever it is named; itself where it names none. */
export const renamed = (object: KubeObject, uids: ReadonlyMap<string, string>): KubeObject => {
  const text = uids.size === 0 ? "" : JSON.stringify(object)
  if (![...uids.keys()].some((uid) => text.includes(uid))) return object
  const { apiVersion, kind, metadata, ...rest } = object
  return { ...entriesMapped(rest, uids), apiVersion, kind, metadata: entriesMapped(metadata, uids) }
}

const entriesMapped = (value: object, uids: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, uids)] as const))

const mapped = (value: unknown, uids: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string") return uids.get(value) ?? value
  if (Array.isArray(value)) return value.map((inner: unknown) => mapped(inner, uids))
  return typeof value === "object" && value !== null ? entriesMapped(value, uids) : value
}
