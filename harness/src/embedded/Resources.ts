/**
 * The table of everything that the server serves.
 *
 * **Source** the discovery documents of Kubernetes 1.36.
 *
 * @since 0.1.0
 */
import { eventSource, field, type Resource, type Subresource } from "./Resource.ts"

const ALL = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
const PART = ["get", "patch", "update"]

const statusOf = (kind: string): Subresource => ({ name: "status", kind, verbs: PART })
const scale: Subresource = {
  name: "scale",
  kind: "Scale",
  groupVersion: { group: "autoscaling", version: "v1" },
  verbs: PART
}

const onlyMetadata = (name: string): string =>
  `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
const notSupported = (name: string): string => `field label not supported: ${name}`

type Particulars = Partial<Omit<Resource, "resource" | "kind" | "group" | "version">>

const inGroup =
  (group: string, version: string) =>
  (resource: string, kind: string, particulars: Particulars = {}): Resource => ({
    group,
    version,
    resource,
    kind,
    singular: kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: ALL,
    subresources: [],
    fields: [],
    unknownField: particulars.fields === undefined ? onlyMetadata : notSupported,
    generation: false,
    returnsDeleted: false,
    ...particulars
  })

const core = inGroup("", "v1")
const apps = inGroup("apps", "v1")
const batch = inGroup("batch", "v1")
const rbac = inGroup("rbac.authorization.k8s.io", "v1")
const coordination = inGroup("coordination.k8s.io", "v1")
const discovery = inGroup("discovery.k8s.io", "v1")
const policy = inGroup("policy", "v1")
const authorization = inGroup("authorization.k8s.io", "v1")

const review = (resource: string, kind: string): Resource =>
  authorization(resource, kind, { namespaced: false, verbs: ["create"] })

const workload = (resource: string, kind: string, shortName: string, scalable: boolean): Resource =>
  apps(resource, kind, {
    shortNames: [shortName],
    categories: ["all"],
    subresources: scalable ? [scale, statusOf(kind)] : [statusOf(kind)],
    generation: true
  })

export const namespaces: Resource = core("namespaces", "Namespace", {
  namespaced: false,
  shortNames: ["ns"],
  verbs: ALL.filter((verb) => verb !== "deletecollection"),
  subresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }, statusOf("Namespace")],
  fields: [field("status.phase")]
})

export const pods: Resource = core("pods", "Pod", {
  shortNames: ["po"],
  categories: ["all"],
  subresources: [
    { name: "binding", kind: "Binding", verbs: ["create"] },
    { name: "eviction", kind: "Eviction", groupVersion: { group: "policy", version: "v1" }, verbs: ["create"] },
    { name: "log", kind: "Pod", verbs: ["get"] },
    statusOf("Pod")
  ],
  fields: [
    field("spec.nodeName"),
    field("spec.restartPolicy"),
    field("spec.schedulerName"),
    field("spec.serviceAccountName"),
    field("spec.hostNetwork", "false"),
    field("status.phase"),
    field("status.podIP"),
    field("status.nominatedNodeName")
  ],
  generation: true,
  returnsDeleted: true
})

export const nodes: Resource = core("nodes", "Node", {
  namespaced: false,
  shortNames: ["no"],
  subresources: [statusOf("Node")],
  fields: [field("spec.unschedulable", "false")]
})

export const services: Resource = core("services", "Service", {
  shortNames: ["svc"],
  categories: ["all"],
  subresources: [statusOf("Service")],
  fields: [field("spec.clusterIP"), field("spec.type")],
  returnsDeleted: true
})

export const roles = rbac("roles", "Role")
export const clusterRoles = rbac("clusterroles", "ClusterRole", { namespaced: false })
export const roleBindings = rbac("rolebindings", "RoleBinding")
export const clusterRoleBindings = rbac("clusterrolebindings", "ClusterRoleBinding", { namespaced: false })

/** Everything served, in the order of discovery. */
export const all: ReadonlyArray<Resource> = [
  core("configmaps", "ConfigMap", { shortNames: ["cm"] }),
  core("endpoints", "Endpoints", { singular: "endpoints", shortNames: ["ep"] }),
  core("events", "Event", {
    shortNames: ["ev"],
    fields: [
      field("involvedObject.kind"),
      field("involvedObject.namespace"),
      field("involvedObject.name"),
      field("involvedObject.uid"),
      field("involvedObject.apiVersion"),
      field("involvedObject.resourceVersion"),
      field("involvedObject.fieldPath"),
      field("reason"),
      field("reportingComponent"),
      eventSource,
      field("type")
    ]
  }),
  core("limitranges", "LimitRange", { shortNames: ["limits"] }),
  namespaces,
  nodes,
  core("persistentvolumeclaims", "PersistentVolumeClaim", {
    shortNames: ["pvc"],
    subresources: [statusOf("PersistentVolumeClaim")],
    returnsDeleted: true
  }),
  core("persistentvolumes", "PersistentVolume", {
    namespaced: false,
    shortNames: ["pv"],
    subresources: [statusOf("PersistentVolume")],
    returnsDeleted: true
  }),
  pods,
  core("resourcequotas", "ResourceQuota", {
    shortNames: ["quota"],
    subresources: [statusOf("ResourceQuota")],
    returnsDeleted: true
  }),
  core("secrets", "Secret", { fields: [field("type")] }),
  core("serviceaccounts", "ServiceAccount", { shortNames: ["sa"], returnsDeleted: true }),
  services,
  apps("controllerrevisions", "ControllerRevision"),
  workload("daemonsets", "DaemonSet", "ds", false),
  workload("deployments", "Deployment", "deploy", true),
  workload("replicasets", "ReplicaSet", "rs", true),
  workload("statefulsets", "StatefulSet", "sts", true),
  review("selfsubjectaccessreviews", "SelfSubjectAccessReview"),
  review("subjectaccessreviews", "SubjectAccessReview"),
  batch("cronjobs", "CronJob", {
    shortNames: ["cj"],
    categories: ["all"],
    subresources: [statusOf("CronJob")],
    generation: true
  }),
  batch("jobs", "Job", {
    categories: ["all"],
    subresources: [statusOf("Job")],
    fields: [field("status.successful", "0")],
    unknownField: (name) => `field label "${name}" not supported for Job`,
    generation: true
  }),
  coordination("leases", "Lease"),
  discovery("endpointslices", "EndpointSlice"),
  policy("poddisruptionbudgets", "PodDisruptionBudget", {
    shortNames: ["pdb"],
    subresources: [statusOf("PodDisruptionBudget")],
    generation: true
  }),
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles
]

const byPath = new Map(all.map((resource) => [`${resource.group}/${resource.version}/${resource.resource}`, resource]))

export const find = (group: string, version: string, resource: string): Resource | undefined =>
  byPath.get(`${group}/${version}/${resource}`)
