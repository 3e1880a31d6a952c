/** Classifies objects and their fields: those that users write, and those that the cluster writes. */
import { Equal } from "effect"
import type { KubeObject, ObjectMeta } from "../client/KubeObject.ts"
import type { ApiResource } from "./ApiResources.ts"

/** An object with the kind under which it was listed. */
export interface Listed {
  readonly resource: ApiResource
  readonly object: KubeObject
}

/**
 * Kinds that a cluster writes by itself, by group and plural. Their content follows from other objects, time, or
 * running programs.
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

/** Kinds whose status only the server writes. */
const SERVER_STATUS = new Set([
  "/namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices"
])

export const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions"
export const NAMESPACES = "/namespaces"

const WORKLOADS = new Set(["/pods", "/replicationcontrollers"])

export const nameOf = ({ group, name }: ApiResource): string => `${group}/${name}`

/** Returns an id that is the same for an object in two lists, regardless of its version and uid. */
export const idOf = ({ object, resource }: Listed): string =>
  `${nameOf(resource)} ${object.metadata.namespace ?? ""}/${object.metadata.name}`

export const isDerived = (resource: ApiResource): boolean => DERIVED.has(nameOf(resource))

export const hasOwnStatus = (resource: ApiResource): boolean =>
  resource.hasStatus && resource.canUpdate && !SERVER_STATUS.has(nameOf(resource))

/**
 * Returns whether a controller owns the object: while that controller runs, it creates, changes and removes the object.
 */
export const isOwned = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) === true

/**
 * Returns whether the server creates and removes an API service along with the kinds of its group. The server recreates
 * such an API service after its removal.
 *
 * Excludes API services of built-in groups (`onstart`), which are created once, at the server's start. **Source**
 * kube-aggregator, `pkg/controllers/autoregister`.
 */
export const isAutoregistered = ({
  metadata
}: {
  readonly metadata: Pick<KubeObject["metadata"], "labels">
}): boolean => metadata.labels?.["kube-aggregator.kubernetes.io/automanaged"] === "true"

/** Returns whether the server or a controller's leader election maintains the object. */
export const isServers = ({ metadata }: KubeObject): boolean =>
  isAutoregistered({ metadata }) || metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined

export const isEnding = ({ metadata }: KubeObject): boolean => metadata["deletionTimestamp"] !== undefined

export const finalizersOf = ({ metadata }: KubeObject): ReadonlyArray<unknown> => {
  const finalizers = metadata["finalizers"]
  return Array.isArray(finalizers) ? finalizers : []
}

/** Returns the position in the creation order: definitions, then namespaces, then other objects, then workloads. */
export const rankOf = (resource: ApiResource): number => {
  const name = nameOf(resource)
  if (name === DEFINITIONS) return 0
  if (name === NAMESPACES) return 1
  return resource.group === "apps" || resource.group === "batch" || WORKLOADS.has(name) ? 3 : 2
}

/** Metadata fields that the server sets. */
const SERVER_FIELDS = new Set([
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid"
])

/** Returns the object as its author wrote it: without status and without the metadata that the server sets. */
export const desired = (object: KubeObject): KubeObject => {
  const { apiVersion, kind, metadata, ...rest } = object
  const entries = Object.entries(rest).filter(([key]) => key !== "status")
  return { ...Object.fromEntries(entries), apiVersion, kind, metadata: metadataOf(metadata) }
}

const metadataOf = (metadata: typeof ObjectMeta.Type): typeof ObjectMeta.Type =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !SERVER_FIELDS.has(key)))

/** Returns whether two objects have the same content, ignoring status and server fields. */
export const desiredSame = (left: KubeObject, right: KubeObject): boolean => Equal.equals(desired(left), desired(right))

export const statusSame = (left: KubeObject, right: KubeObject): boolean =>
  Equal.equals(left["status"], right["status"])

/** Replaces old uids in an object's references by new ones. Returns the same object if it refers to none of them. */
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
