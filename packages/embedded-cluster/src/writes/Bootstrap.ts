/**
 * Initial objects of every cluster: namespaces, the API server's Service, default roles and bindings.
 *
 * **Source** Kubernetes 1.36, `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`, as its server shows them.
 */
import { Result } from "effect"
import * as ApiServices from "../core/ApiServices.ts"
import type { JsonObject } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import type { Failure } from "../core/Status.ts"
import * as Writes from "./Writes.ts"

/** Writes the initial objects. **Errors** none occurs on an empty store, but a failure is still returned. */
export const write = (kernel: Kernel, port: number): Result.Result<void, Failure> => {
  for (const [resource, namespace, object] of objects(port)) {
    const made = Writes.create(kernel, resource, namespace, object, { manager: "kube-apiserver", dryRun: false })
    if (Result.isFailure(made)) return Result.fail(made.failure)
  }
  return Result.succeed(undefined)
}

const objects = (port: number): ReadonlyArray<readonly [Resource, string, JsonObject]> => [
  ...["kube-system", "kube-public", "kube-node-lease", "default"].map(
    (name) => [Resources.namespaces, "", { metadata: { name } }] as const
  ),
  [
    Resources.services,
    "default",
    {
      metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
      spec: {
        clusterIP: "10.0.0.1",
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }]
      }
    }
  ],
  ...ApiServices.builtIn().map((object) => [Resources.apiServices, "", object] as const),
  ...ROLES.map((role) => [Resources.clusterRoles, "", clusterRole(role)] as const),
  ...BINDINGS.map(([name, ...groups]) => [Resources.clusterRoleBindings, "", clusterRoleBinding(name, groups)] as const)
]

const RBAC = "rbac.authorization.k8s.io"
const LABELS = { "kubernetes.io/bootstrapping": "rbac-defaults" }
const ANNOTATIONS = { "rbac.authorization.kubernetes.io/autoupdate": "true" }

interface Role {
  readonly name: string
  /** Short name of the aggregated role that includes this role's rules. */
  readonly into?: string
  /** Set for an aggregated role: it includes the rules of every role whose `into` is this name. */
  readonly from?: string
  readonly rules?: ReadonlyArray<JsonObject>
}

const clusterRole = ({ from, into, name, rules }: Role): JsonObject => ({
  metadata: {
    name,
    labels: into === undefined ? LABELS : { ...LABELS, [`${RBAC}/aggregate-to-${into}`]: "true" },
    annotations: ANNOTATIONS
  },
  ...(from === undefined
    ? {}
    : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${RBAC}/aggregate-to-${from}`]: "true" } }] } }),
  rules: rules ?? null
})

const clusterRoleBinding = (name: string, groups: ReadonlyArray<string>): JsonObject => ({
  metadata: { name, labels: LABELS, annotations: ANNOTATIONS },
  roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
  subjects: groups.map((group) => ({ kind: "Group", apiGroup: RBAC, name: group }))
})

const BINDINGS: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  ["cluster-admin", "system:masters"],
  ["system:basic-user", "system:authenticated"],
  ["system:discovery", "system:authenticated"],
  ["system:monitoring", "system:monitoring"],
  ["system:service-account-issuer-discovery", "system:serviceaccounts"],
  ["system:public-info-viewer", "system:authenticated", "system:unauthenticated"]
]

const rule = (
  verbs: ReadonlyArray<string>,
  group: string | ReadonlyArray<string>,
  ...resources: ReadonlyArray<string>
): JsonObject => ({
  verbs,
  apiGroups: typeof group === "string" ? [group] : group,
  resources
})
const paths = (...nonResourceURLs: ReadonlyArray<string>): JsonObject => ({ verbs: ["get"], nonResourceURLs })

const READ = ["get", "list", "watch"]
const WRITE = ["create", "delete", "deletecollection", "patch", "update"]
const INFO = ["/healthz", "/livez", "/readyz", "/version", "/version/"]

const ROLES: ReadonlyArray<Role> = [
  { name: "cluster-admin", rules: [rule(["*"], "*", "*"), { verbs: ["*"], nonResourceURLs: ["*"] }] },
  { name: "admin", from: "admin" },
  { name: "edit", from: "edit", into: "admin" },
  { name: "view", from: "view", into: "edit" },
  {
    name: "system:aggregate-to-admin",
    into: "admin",
    rules: [
      rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
      rule([...WRITE, ...READ], RBAC, "rolebindings", "roles")
    ]
  },
  {
    name: "system:aggregate-to-edit",
    into: "edit",
    rules: [
      rule(READ, "", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"),
      rule(["impersonate"], "", "serviceaccounts"),
      rule(WRITE, "", "pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"),
      rule(["create"], "", "pods/eviction", "serviceaccounts/token"),
      rule(
        WRITE,
        "",
        "configmaps",
        "persistentvolumeclaims",
        "secrets",
        "serviceaccounts",
        "services",
        "services/proxy"
      ),
      rule(WRITE, ["", "events.k8s.io"], "events"),
      rule(
        WRITE,
        "apps",
        "daemonsets",
        "deployments",
        "deployments/rollback",
        "deployments/scale",
        "replicasets",
        "replicasets/scale",
        "statefulsets",
        "statefulsets/scale"
      ),
      rule(WRITE, "batch", "cronjobs", "jobs"),
      rule(WRITE, "policy", "poddisruptionbudgets"),
      rule([...WRITE, ...READ], "coordination.k8s.io", "leases")
    ]
  },
  {
    name: "system:aggregate-to-view",
    into: "view",
    rules: [
      rule(
        READ,
        "",
        "configmaps",
        "endpoints",
        "persistentvolumeclaims",
        "persistentvolumeclaims/status",
        "pods",
        "serviceaccounts",
        "services",
        "services/status"
      ),
      rule(
        READ,
        "",
        "bindings",
        "limitranges",
        "namespaces/status",
        "pods/log",
        "pods/status",
        "resourcequotas",
        "resourcequotas/status"
      ),
      rule(READ, "", "namespaces"),
      rule(READ, ["", "events.k8s.io"], "events"),
      rule(READ, "discovery.k8s.io", "endpointslices"),
      rule(
        READ,
        "apps",
        "controllerrevisions",
        "daemonsets",
        "daemonsets/status",
        "deployments",
        "deployments/scale",
        "deployments/status",
        "replicasets",
        "replicasets/scale",
        "replicasets/status",
        "statefulsets",
        "statefulsets/scale",
        "statefulsets/status"
      ),
      rule(READ, "batch", "cronjobs", "cronjobs/status", "jobs", "jobs/status"),
      rule(READ, "policy", "poddisruptionbudgets", "poddisruptionbudgets/status")
    ]
  },
  {
    name: "system:basic-user",
    rules: [
      rule(["create"], "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
      rule(["create"], "authentication.k8s.io", "selfsubjectreviews")
    ]
  },
  {
    name: "system:discovery",
    rules: [
      paths(
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/"
      )
    ]
  },
  {
    name: "system:monitoring",
    rules: [
      paths(
        "/flagz",
        "/healthz",
        "/healthz/*",
        "/livez",
        "/livez/*",
        "/metrics",
        "/metrics/slis",
        "/readyz",
        "/readyz/*",
        "/statusz"
      ),
      rule(["get"], "", "nodes/metrics")
    ]
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      paths(
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/",
        "/openid/v1/jwks",
        "/openid/v1/jwks/"
      )
    ]
  },
  { name: "system:public-info-viewer", rules: [paths(...INFO)] }
]
