/** A few sequences on an embedded cluster and on a real one, compared where both have come to rest. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ClusterDriver } from "../../../../src/drivers/ClusterDriver.ts"
import { arrayAt, at, type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"
import { type CallOptions, deployment, patching, pod } from "../Client.ts"
import { APPS, BATCH, condition, isAvailable, NAMESPACE, PODS } from "./Machine.ts"
import { layerPair, same, type Side } from "./Pair.ts"

const post = (cluster: Side, path: string, body: JsonObject) => cluster.call("POST", path, { body })
const WEB = `${APPS}/deployments/web`
const SETS = `${APPS}/replicasets`
const image = (name: string): CallOptions =>
  patching(
    { spec: { template: { spec: { containers: [{ name: "main", image: name }] } } } },
    "application/strategic-merge-patch+json"
  )

/** The behaviours on which both must agree. */
export const comesToTheSame = (real: ClusterDriver): void => {
  layer(layerPair(real), { timeout: "2 minutes" })("controllers come to what the real ones come to", (it) => {
    it.effect(
      "when a deployment is made, rolled, scaled, rolled back and deleted with what it owns",
      () =>
        Effect.gen(function* () {
          const paths = [`${APPS}/deployments`, SETS, PODS]
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* post(cluster, `${APPS}/deployments`, deployment("web", 3))
                yield* cluster.until("web is available", WEB, isAvailable(3))
              }),
            ...paths
          )
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* cluster.call("PATCH", WEB, image("registry.example/app:2"))
                yield* cluster.until("web has rolled", WEB, isAvailable(3))
                yield* cluster.untilItems("old pods are gone", PODS, (pods) => pods.length === 3)
              }),
            ...paths
          )
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* cluster.call("PATCH", `${WEB}/scale`, patching({ spec: { replicas: 5 } }))
                yield* cluster.until("web has grown", WEB, isAvailable(5))
              }),
            ...paths
          )
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* cluster.call("PATCH", WEB, image("registry.example/app:1"))
                yield* cluster.until("web is as it was", WEB, isAvailable(5))
                yield* cluster.untilItems("newer pods are gone", PODS, (pods) => pods.length === 5)
              }),
            ...paths
          )
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* cluster.call("DELETE", WEB, { body: { propagationPolicy: "Foreground" } })
                yield* cluster.untilItems("everything is gone", `${APPS}/deployments`, (all) => all.length === 0)
                yield* cluster.untilItems("its sets are gone", SETS, (all) => all.length === 0)
                yield* cluster.untilItems("its pods are gone", PODS, (all) => all.length === 0)
              }),
            ...paths
          )
        }),
      120_000
    )

    it.effect(
      "when an owner goes in the background, and when its dependents stay",
      () =>
        Effect.gen(function* () {
          const set = (name: string): JsonObject => deployment(name, 2)
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                for (const name of ["gone", "left"]) yield* post(cluster, SETS, set(name))
                for (const name of ["gone", "left"]) {
                  yield* cluster.until(
                    `${name} is ready`,
                    `${SETS}/${name}`,
                    (one) => at(one, "status", "readyReplicas") === 2
                  )
                }
                yield* cluster.call("DELETE", `${SETS}/gone`, { body: { propagationPolicy: "Background" } })
                yield* cluster.call("DELETE", `${SETS}/left`, { body: { propagationPolicy: "Orphan" } })
                yield* cluster.untilItems("both are gone", SETS, (all) => all.length === 0)
                yield* cluster.untilItems("two pods stay", PODS, (all) => all.length === 2)
                yield* cluster.untilItems("without an owner", PODS, (all) =>
                  all.every((one) => at(one, "metadata", "ownerReferences") === undefined)
                )
              }),
            SETS,
            PODS
          )
          yield* same((cluster) => Effect.asVoid(cluster.call("DELETE", `${PODS}?gracePeriodSeconds=0`)), PODS)
        }),
      120_000
    )

    it.effect(
      "when a stateful set rolls, a daemon set stands, a job is done and a service has addresses",
      () =>
        Effect.gen(function* () {
          const template = (name: string): JsonObject => ({
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: "main", image: "registry.example/app:1" }] }
          })
          const selecting = (name: string): JsonObject => ({
            selector: { matchLabels: { app: name } },
            template: template(name)
          })
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                const core = NAMESPACE
                yield* post(cluster, `${core}/services`, {
                  metadata: { name: "db", labels: { tier: "data" } },
                  spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ name: "sql", port: 5432 }] }
                })
                yield* post(cluster, `${APPS}/statefulsets`, {
                  metadata: { name: "db" },
                  spec: { replicas: 2, serviceName: "db", ...selecting("db") }
                })
                yield* post(cluster, `${APPS}/daemonsets`, { metadata: { name: "agent" }, spec: selecting("agent") })
                yield* post(cluster, `${BATCH}/jobs`, {
                  metadata: { name: "once" },
                  spec: {
                    completions: 2,
                    parallelism: 2,
                    template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } }
                  }
                })
                yield* cluster.until(
                  "db is ready",
                  `${APPS}/statefulsets/db`,
                  (one) => at(one, "status", "availableReplicas") === 2
                )
                yield* cluster.call("PATCH", `${APPS}/statefulsets/db`, image("registry.example/app:2"))
                // The real controller counts the pod that it is about to replace, so that its status says too early that it is done.
                yield* cluster.untilItems(
                  "its pods are new and ready",
                  `${PODS}?labelSelector=app%3Ddb`,
                  (pods) =>
                    pods.length === 2
                    && pods.every(
                      (one) =>
                        textAt(arrayAt(one, "spec", "containers")[0], "image") === "registry.example/app:2"
                        && condition(one, "Ready")["status"] === "True"
                    )
                )
                yield* cluster.until(
                  "db has rolled",
                  `${APPS}/statefulsets/db`,
                  (one) =>
                    at(one, "status", "availableReplicas") === 2
                    && at(one, "status", "updatedReplicas") === 2
                    && textAt(one, "status", "currentRevision") === textAt(one, "status", "updateRevision")
                    && at(one, "status", "observedGeneration") === 2
                )
                yield* cluster.until(
                  "the agent runs",
                  `${APPS}/daemonsets/agent`,
                  (one) => at(one, "status", "numberAvailable") === 1
                )
                const working = yield* cluster.untilItems(
                  "the job's pods run",
                  `${PODS}?labelSelector=job-name%3Donce`,
                  (pods) => pods.length === 2 && pods.every((one) => textAt(one, "status", "phase") === "Running")
                )
                for (const one of working) {
                  const done = patching({ status: { phase: "Succeeded", conditions: null } })
                  yield* cluster.call("PATCH", `${PODS}/${textAt(one, "metadata", "name")}/status`, done)
                }
                yield* cluster.until(
                  "the job is done",
                  `${BATCH}/jobs/once`,
                  (one) => condition(one, "Complete")["status"] === "True"
                )
                yield* cluster.untilItems(
                  "the slice is complete",
                  "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Ddb",
                  (slices) =>
                    arrayAt(slices[0], "endpoints").filter((one) => at(one, "conditions", "ready") === true).length
                      === 2 && arrayAt(slices[0], "endpoints").length === 2
                )
              }),
            `${APPS}/statefulsets`,
            `${APPS}/daemonsets`,
            `${APPS}/controllerrevisions`,
            `${BATCH}/jobs`,
            PODS,
            "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Ddb"
          )
        }),
      120_000
    )

    it.effect(
      "when a pod fits nowhere, and a namespace begins and ends",
      () =>
        Effect.gen(function* () {
          const big = (name: string, spec: JsonObject): JsonObject => pod(name, spec)
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* post(cluster, "/api/v1/namespaces", { metadata: { name: "shop" } })
                const at = "/api/v1/namespaces/shop"
                yield* cluster.until(
                  "the account is there",
                  `${at}/serviceaccounts/default`,
                  (one) => textAt(one, "kind") === "ServiceAccount"
                )
                yield* cluster.until(
                  "the certificate is there",
                  `${at}/configmaps/kube-root-ca.crt`,
                  (one) => textAt(one, "kind") === "ConfigMap"
                )
                const huge = { resources: { requests: { cpu: "500" } } }
                yield* post(cluster, `${at}/pods`, big("huge", { containers: [{ name: "main", image: "i", ...huge }] }))
                yield* post(cluster, `${at}/pods`, big("picky", { nodeSelector: { disk: "fast" } }))
                for (const name of ["huge", "picky"]) {
                  yield* cluster.until(
                    `${name} waits`,
                    `${at}/pods/${name}`,
                    (one) => condition(one, "PodScheduled")["reason"] === "Unschedulable"
                  )
                }
              }),
            "/api/v1/namespaces/shop/serviceaccounts",
            "/api/v1/namespaces/shop/pods"
          )
          yield* same(
            (cluster) =>
              Effect.gen(function* () {
                yield* cluster.call("DELETE", "/api/v1/namespaces/shop")
                yield* cluster.until("it is gone", "/api/v1/namespaces/shop", (one) => at(one, "code") === 404)
              }),
            "/api/v1/namespaces/shop/pods"
          )
        }),
      120_000
    )
  })
}
