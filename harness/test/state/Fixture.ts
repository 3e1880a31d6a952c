/** What the tests of a cluster's state share: a cluster to take back, and what it shows of itself. */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { type ClusterApi, make } from "../../src/client/ClusterApi.ts"
import type { ClusterDriver, ClusterOptions, RunningCluster } from "../../src/drivers/ClusterDriver.ts"
import type { KubeObject } from "../../src/client/KubeObject.ts"

/** A running cluster, and a client of its administrator. */
export interface Started {
  readonly running: RunningCluster
  readonly api: ClusterApi
  readonly token: Redacted.Redacted<string>
}

/** The drivers that restore below the API, where objects keep their uid, and that can save what they hold. */
export const belowTheApi = (drivers: ReadonlyArray<ClusterDriver>): ReadonlyArray<ClusterDriver> =>
  drivers.filter(({ name }) => name === "embedded" || name === "control-plane")

/** Starts a cluster whose administrator has a token of his own. */
export const started = Effect.fnUntraced(function* (
  driver: ClusterDriver,
  options: Partial<Omit<ClusterOptions, "users">> = {}
) {
  const token = Redacted.make(randomBytes(16).toString("hex"))
  const name = options.name ?? "state"
  const running = yield* driver.start({
    ...options,
    name,
    users: [{ name: "admin", groups: ["system:masters"], token }]
  })
  const { server, caPem } = running
  const api = yield* make({ cluster: name, server, caPem, token })
  return { running, api, token } satisfies Started
})

/** One cluster for many tests; each takes a checkpoint of its own. */
export class Cluster extends Context.Service<Cluster, Started>()("@quarterdeck/harness/test/state/Cluster") {
  static readonly layer = (driver: ClusterDriver, options: Parameters<typeof started>[1] = {}) =>
    Layer.effect(Cluster, started(driver, options))
}

/** What the tests make, and some of what a cluster has by itself. */
const KINDS = [
  ["v1", "Namespace"],
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "Service"],
  ["v1", "ServiceAccount"],
  ["v1", "Pod"],
  ["v1", "Node"],
  ["apps/v1", "Deployment"],
  ["rbac.authorization.k8s.io/v1", "Role"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding"]
] as const

/** Every object of those kinds, without the version under which it stands. */
export const contents = Effect.fnUntraced(function* (api: ClusterApi) {
  const lists = yield* Effect.forEach(KINDS, ([apiVersion, kind]) => api.list({ apiVersion, kind }))
  return lists.flatMap(({ items }) => items.map(unversioned))
})

/** Every object's version, by kind and name. */
export const versions = Effect.fnUntraced(function* (api: ClusterApi) {
  const lists = yield* Effect.forEach(KINDS, ([apiVersion, kind]) => api.list({ apiVersion, kind }))
  return lists.flatMap(({ items }) =>
    items.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name, metadata.resourceVersion])
  )
})

const unversioned = (object: KubeObject): KubeObject => {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

export const namespace = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })

/** Makes a namespace that no other test knows. */
export const freshNamespace = Effect.fnUntraced(function* (api: ClusterApi) {
  const name = `t-${randomBytes(5).toString("hex")}`
  yield* api.create(namespace(name))
  return name
})

/** The service accounts that controllers have given namespaces, by namespace. */
export const defaultAccounts = (api: ClusterApi) =>
  Effect.map(
    api.list({ apiVersion: "v1", kind: "ServiceAccount", fieldSelector: "metadata.name=default" }),
    ({ items }) => new Map(items.map(({ metadata }) => [metadata.namespace ?? "", metadata.uid]))
  )

export const service = (home: string, name: string, nodePort: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: home },
  spec: { type: "NodePort", selector: { app: name }, ports: [{ port: 80, nodePort }] }
})

export const serviceAccount = (home: string, name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name, namespace: home }
})

export const definition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.state.example.com" },
  spec: {
    group: "state.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
      }
    ]
  }
}

export const definitionRef = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  name: "widgets.state.example.com"
}

export const widget = (home: string, name: string): KubeObject => ({
  apiVersion: "state.example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: home },
  spec: { size: 1 }
})

/** The status of an answer to a plain GET. */
export const statusOf = (api: ClusterApi, path: string) =>
  Effect.map(api.request({ method: "GET", path }), ({ status }) => status)

export const WIDGETS = "/apis/state.example.com/v1/widgets"

export const WAIT = { within: "30 seconds" } as const
