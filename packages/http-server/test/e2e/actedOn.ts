/**
 * Workloads to act on, and what a cluster itself says of them.
 */
import { ActionResult } from "@quarterdeck/contract/WorkloadGroup"
import type { FleetCluster } from "@quarterdeck/harness"
import { Effect, Predicate, Schema } from "effect"
import { type Call, Deployment } from "./Deployment.ts"

const namespaced = (name: string, team: string) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { team } }
})

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "main", image: "acme/main:1" }] }
})

/** Kinds that a test makes. */
export type MadeKind = "Deployment" | "StatefulSet" | "ReplicaSet" | "DaemonSet" | "CronJob"

const VERSIONS: Readonly<Record<MadeKind, string>> = {
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  ReplicaSet: "apps/v1",
  DaemonSet: "apps/v1",
  CronJob: "batch/v1"
}

const specOf = (kind: MadeKind, name: string) => {
  if (kind === "CronJob") {
    const spec = { template: { spec: { ...template(name).spec, restartPolicy: "Never" } } }
    return { schedule: "0 0 1 1 *", jobTemplate: { spec } }
  }
  const common = { selector: { matchLabels: { app: name } }, template: template(name) }
  if (kind === "DaemonSet") return common
  return { ...common, replicas: 1, ...(kind === "StatefulSet" ? { serviceName: name } : {}) }
}

/** A workload of one replica. */
export const workloadOf = (
  kind: MadeKind,
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>> = {}
) => ({
  apiVersion: VERSIONS[kind],
  kind,
  metadata: { name, namespace, labels },
  spec: specOf(kind, name)
})

/** The namespaces of these suites: `shop` is team storefront's, `payments` another's. */
export const prepare = ({ api }: FleetCluster.FleetCluster) =>
  Effect.andThen(api.create(namespaced("shop", "storefront")), api.create(namespaced("payments", "payments")))

/** Makes a workload in the child `prod`, and gives its path in the API. */
export const make = Effect.fnUntraced(function* (kind: MadeKind, name: string, namespace: string = "shop") {
  const { api } = yield* (yield* Deployment).fleet.cluster("prod")
  yield* api.create(workloadOf(kind, name, namespace))
  return `/api/v1/workloads/prod/${namespace}/${kind}/${name}`
})

/** The object as the cluster itself has it. */
export const objectOf = Effect.fnUntraced(function* (kind: MadeKind, name: string, namespace: string = "shop") {
  const { api } = yield* (yield* Deployment).fleet.cluster("prod")
  return yield* api.get({ apiVersion: VERSIONS[kind], kind, name, namespace })
})

/** A member of it, by its path. */
export const at = (object: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((found, key) => (Predicate.hasProperty(found, key) ? found[key] : undefined), object)

export const versionOf = (object: unknown): string => String(at(object, "metadata", "resourceVersion"))

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ActionResult), { onExcessProperty: "error" })

/** Acts, as an Operator unless told otherwise, and gives what became of it. */
export const act = Effect.fnUntraced(function* (path: string, body: unknown, call: Call = {}) {
  const deployment = yield* Deployment
  const reply = yield* deployment.call(path, { method: "POST", key: "operator", body, ...call })
  if (reply.status !== 200) return yield* Effect.die(new Error(`${reply.status} ${reply.text}`))
  return yield* decode(reply.text)
})

/** Acts, and gives the problem that it is refused with. */
export const refusedAct = Effect.fnUntraced(function* (path: string, body: unknown, call: Call = {}) {
  return yield* (yield* Deployment).problem(path, { method: "POST", key: "operator", body, ...call })
})
