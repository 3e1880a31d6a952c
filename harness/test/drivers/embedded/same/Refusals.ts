import { Effect } from "effect"
import type { JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { deployment, patching, pod } from "../Client.ts"
import { namespace, same, type Suite } from "./Pair.ts"

const OWNER = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" }
const MEBIBYTE = 1_048_576

const meta = (more: JsonObject): JsonObject => ({ metadata: { name: "r", ...more } })

const service = (name: string, spec: JsonObject, port: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { ports: [{ port: 80, ...port }], ...spec }
})

const mounting = (...volumeMounts: ReadonlyArray<JsonObject>): JsonObject =>
  pod("r", { volumes: [{ name: "v" }], containers: [{ name: "c", image: "i", volumeMounts }] })

/** What an object of the right types may not say. */
export const refusals = (it: Suite): void => {
  it.effect(
    "on metadata that it refuses",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const bodies: ReadonlyArray<JsonObject> = [
          meta({ finalizers: ["foo"] }),
          meta({ finalizers: ["a b/c"] }),
          meta({ finalizers: ["orphan", "foregroundDeletion"] }),
          meta({ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x" }] }),
          meta({ ownerReferences: [{}] }),
          meta({ ownerReferences: [{ ...OWNER, apiVersion: "a/b/c" }] }),
          meta({ ownerReferences: [{ ...OWNER, kind: "Event" }] }),
          meta({
            ownerReferences: [
              { controller: true, ...OWNER },
              { ...OWNER, name: "y", uid: "v", controller: true }
            ]
          }),
          meta({ resourceVersion: "5" }),
          meta({ resourceVersion: "abc" })
        ]
        for (const body of bodies) yield* same("POST", `${core}/configmaps`, { body })
        for (const name of ["other", "absent"])
          yield* same("PUT", `${core}/pods/absent`, { body: { ...pod("r"), metadata: { name } } })
        yield* same("PUT", `${core}/configmaps/absent`, { body: { metadata: {} } })
      }),
    120_000
  )

  it.effect(
    "on config maps and secrets that it refuses, and on what may not change in them",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const [maps, secrets] = [`${core}/configmaps`, `${core}/secrets`]
        for (const path of [maps, secrets]) {
          yield* same("POST", path, { body: { metadata: { name: "im" }, immutable: true, data: { a: "Yg==" } } })
          const patches: ReadonlyArray<JsonObject> = [
            { data: { a: "Yw==" } },
            { immutable: false },
            { immutable: null, data: { z: "Yw==" } },
            { metadata: { labels: { a: "b" } } }
          ]
          for (const patch of patches) yield* same("PATCH", `${path}/im`, patching(patch))
          yield* same("POST", path, { body: { metadata: { name: "r" }, data: { "a b": "YQ==" } } })
          yield* same("POST", path, { body: { metadata: { name: "empty" }, data: {}, binaryData: {}, stringData: {} } })
          const large = Buffer.alloc(MEBIBYTE + 1, "x")
          const data = { a: large.toString(path === maps ? "utf8" : "base64") }
          yield* same("POST", path, { body: { metadata: { name: "large" }, data } })
        }
        yield* same("PATCH", `${secrets}/im`, patching({ type: "foo" }))
        yield* same("POST", maps, { body: { metadata: { name: "r" }, data: { a: "YQ==" }, binaryData: { a: "YQ==" } } })
        const kinds = ["dockerconfigjson", "dockercfg", "basic-auth", "ssh-auth", "tls", "service-account-token"]
        for (const kind of kinds) {
          yield* same("POST", secrets, { body: { metadata: { name: "r" }, type: `kubernetes.io/${kind}` } })
        }
        yield* same("POST", secrets, {
          body: {
            metadata: { name: "r" },
            type: "kubernetes.io/dockerconfigjson",
            data: { ".dockerconfigjson": "YQ==" }
          }
        })
      }),
    120_000
  )

  it.effect(
    "on services that ask for what is taken, out of range or settled",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const services = `${core}/services`
        // Of the lower parts of the ranges, of which no service is given that does not ask.
        const bodies: ReadonlyArray<JsonObject> = [
          service("n1", { type: "NodePort" }, { nodePort: 30_034 }),
          service("n2", { type: "NodePort" }, { nodePort: 30_034 }),
          service("n2", { type: "NodePort" }, { nodePort: 99 }),
          service("n2", { type: "NodePort" }, { nodePort: 70_000 }),
          service("n2", {}, { nodePort: 30_035 }),
          service("i1", { clusterIP: "10.0.0.7" }),
          service("i2", { clusterIP: "10.0.0.7" }),
          service("i2", { clusterIP: "1.2.3.4" }),
          service("i2", { clusterIP: "abc" }),
          service("i2", { type: "bad" }),
          service("i2", { ports: [{ port: 1 }, { port: 2 }] }),
          service("i2", {
            ports: [
              { name: "a", port: 1 },
              { name: "b", port: 1 }
            ]
          })
        ]
        for (const body of bodies) yield* same("POST", services, { body })
        yield* same("PATCH", `${services}/n1`, patching({ spec: { ports: [{ port: 80, nodePort: 99 }] } }))
        yield* same("PATCH", `${services}/n1`, patching({ spec: { ports: [{ port: 80 }] } }))
        yield* same("PATCH", `${services}/i1`, patching({ spec: { clusterIP: "10.0.0.8" } }))
        yield* same("PATCH", `${services}/i1`, patching({ spec: { clusterIP: "None", clusterIPs: null } }))
        yield* same("PUT", `${services}/i1`, { body: service("i1", { selector: { a: "b" } }) })
      }),
    120_000
  )

  it.effect(
    "on volumes, schedules, budgets and leases that it refuses",
    () =>
      Effect.gen(function* () {
        const { batch, core, name } = yield* namespace
        const mounts = [
          mounting({ name: "no", mountPath: "/x" }),
          mounting({ name: "", mountPath: "" }),
          mounting({ name: "v", mountPath: "/a" }, { name: "v", mountPath: "/a" }),
          pod("r", { volumes: [{ name: "v" }, { name: "v" }, { name: "V_" }] })
        ]
        for (const body of mounts) yield* same("POST", `${core}/pods`, { body })
        const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } }
        const texts = ["bad", "60 * * * *", "a * * * *", "* * * *", "5-1 * * * *", "*/0 * * * *", "@foo", "* * * * 7"]
        const more = ["1-2-3 * * * *", "1/2/3 * * * *", "* * 0 * *", "* * * foo *", "-5 * * * *", "@every x"]
        for (const schedule of [...texts, ...more, "0 12 * jan-MAR/2 mon,?"]) {
          const spec = { schedule, jobTemplate: { spec: { template } } }
          yield* same("POST", `${batch}/cronjobs?dryRun=All`, { body: { metadata: { name: "r" }, spec } })
        }
        const odd = { schedule: "* * * * *", timeZone: "Nowhere/X", concurrencyPolicy: "x" }
        const job = { metadata: { name: "r" }, spec: { ...odd, jobTemplate: { spec: { template } } } }
        yield* same("POST", `${batch}/cronjobs`, { body: job })
        const budgets: ReadonlyArray<JsonObject> = [
          { minAvailable: 1, maxUnavailable: 1 },
          { minAvailable: -1 },
          { minAvailable: "abc" },
          { maxUnavailable: "101%" }
        ]
        for (const spec of budgets) {
          const path = `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`
          yield* same("POST", path, { body: { metadata: { name: "r" }, spec } })
        }
        yield* same("POST", `/apis/coordination.k8s.io/v1/namespaces/${name}/leases`, {
          body: { metadata: { name: "r" }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }
        })
      }),
    120_000
  )

  it.effect(
    "on a status that contradicts itself, and on what a status leaves out",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        const statuses: ReadonlyArray<JsonObject> = [
          { replicas: 1, availableReplicas: 2 },
          { replicas: 1, readyReplicas: 2, updatedReplicas: 3 },
          { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
          { replicas: -1 }
        ]
        for (const plural of ["deployments", "replicasets", "statefulsets"]) {
          yield* same("POST", `${apps}/${plural}`, { body: deployment("r") })
          for (const status of statuses) yield* same("PATCH", `${apps}/${plural}/r/status`, patching({ status }))
        }
        yield* same("POST", `${core}/pods`, { body: pod("r") })
        yield* same("PUT", `${core}/pods/r/status`, { body: { ...pod("r"), status: { phase: "Running" } } })
        yield* same("PATCH", `${core}/pods/r/status`, patching({ status: { qosClass: "Guaranteed" } }))
      }),
    120_000
  )
}
