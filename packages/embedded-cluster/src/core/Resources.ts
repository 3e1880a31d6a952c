/**
 * The built-in resources. {@link Registry} adds those of CustomResourceDefinitions.
 *
 * **Source** the discovery documents of Kubernetes 1.36.
 */
import { eventSource, field, type Resource, storageOf, type Subresource } from "./Resource.ts"

const ALL = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
const PART = ["get", "patch", "update"]

const statusOf = (kind: string): Subresource => ({ name: "status", kind, verbs: PART })
const scale: Subresource = {
  name: "scale",
  kind: "Scale",
  groupVersion: { group: "autoscaling", version: "v1" },
  verbs: PART
}

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
    generation: false,
    returnsDeleted: false,
    storage: storageOf(group, resource),
    ...particulars
  })

const core = inGroup("", "v1")
const apps = inGroup("apps", "v1")
const batch = inGroup("batch", "v1")
const rbac = inGroup("rbac.authorization.k8s.io", "v1")
const coordination = inGroup("coordination.k8s.io", "v1")
const discovery = inGroup("discovery.k8s.io", "v1")
const policy = inGroup("policy", "v1")
const extensions = inGroup("apiextensions.k8s.io", "v1")
const authentication = inGroup("authentication.k8s.io", "v1")
const authorization = inGroup("authorization.k8s.io", "v1")
const registration = inGroup("apiregistration.k8s.io", "v1")

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

export const customResourceDefinitions = extensions("customresourcedefinitions", "CustomResourceDefinition", {
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  subresources: [statusOf("CustomResourceDefinition")],
  generation: true,
  storedIn: "v1beta1"
})

export const podDisruptionBudgets = policy("poddisruptionbudgets", "PodDisruptionBudget", {
  shortNames: ["pdb"],
  subresources: [statusOf("PodDisruptionBudget")],
  generation: true
})

export const configMaps: Resource = core("configmaps", "ConfigMap", { shortNames: ["cm"] })

export const persistentVolumeClaims: Resource = core("persistentvolumeclaims", "PersistentVolumeClaim", {
  shortNames: ["pvc"],
  subresources: [statusOf("PersistentVolumeClaim")],
  returnsDeleted: true
})

export const persistentVolumes: Resource = core("persistentvolumes", "PersistentVolume", {
  namespaced: false,
  shortNames: ["pv"],
  subresources: [statusOf("PersistentVolume")],
  returnsDeleted: true
})

export const secrets: Resource = core("secrets", "Secret", { fields: [field("type")] })

export const serviceAccounts: Resource = core("serviceaccounts", "ServiceAccount", {
  shortNames: ["sa"],
  subresources: [
    {
      name: "token",
      kind: "TokenRequest",
      groupVersion: { group: "authentication.k8s.io", version: "v1" },
      verbs: ["create"]
    }
  ],
  returnsDeleted: true
})

export const controllerRevisions: Resource = apps("controllerrevisions", "ControllerRevision")

export const daemonSets: Resource = workload("daemonsets", "DaemonSet", "ds", false)

export const deployments: Resource = workload("deployments", "Deployment", "deploy", true)

export const replicaSets: Resource = workload("replicasets", "ReplicaSet", "rs", true)

export const statefulSets: Resource = workload("statefulsets", "StatefulSet", "sts", true)

export const cronJobs: Resource = batch("cronjobs", "CronJob", {
  shortNames: ["cj"],
  categories: ["all"],
  subresources: [statusOf("CronJob")],
  generation: true
})

export const jobs: Resource = batch("jobs", "Job", {
  categories: ["all"],
  subresources: [statusOf("Job")],
  fields: [field("status.successful", "0")],
  generation: true
})

export const endpointSlices: Resource = discovery("endpointslices", "EndpointSlice")

export const apiServices: Resource = registration("apiservices", "APIService", {
  namespaced: false,
  categories: ["api-extensions"],
  subresources: [statusOf("APIService")]
})

export const tokenReviews: Resource = authentication("tokenreviews", "TokenReview", {
  namespaced: false,
  verbs: ["create"]
})
export const selfSubjectReviews: Resource = authentication("selfsubjectreviews", "SelfSubjectReview", {
  namespaced: false,
  verbs: ["create"]
})

/** Every built-in resource, in discovery order. */
export const all: ReadonlyArray<Resource> = [
  configMaps,
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
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  core("resourcequotas", "ResourceQuota", {
    shortNames: ["quota"],
    subresources: [statusOf("ResourceQuota")],
    returnsDeleted: true
  }),
  secrets,
  serviceAccounts,
  services,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  selfSubjectReviews,
  tokenReviews,
  review("selfsubjectaccessreviews", "SelfSubjectAccessReview"),
  review("selfsubjectrulesreviews", "SelfSubjectRulesReview"),
  review("subjectaccessreviews", "SubjectAccessReview"),
  cronJobs,
  jobs,
  coordination("leases", "Lease"),
  endpointSlices,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  customResourceDefinitions,
  apiServices
]
