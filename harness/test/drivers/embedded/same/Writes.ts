import { Effect } from "effect"
import type { Json, JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { deployment, patching, pod } from "../Client.ts"
import { namespace, same, type Suite } from "./Pair.ts"

const STRATEGIC = "application/strategic-merge-patch+json"
const JSON_PATCH = "application/json-patch+json"
const APPLY = "application/apply-patch+yaml"

/** What is written, and what is refused. */
export const writes = (it: Suite): void => {
  it.effect(
    "on objects that it refuses",
    () =>
      Effect.gen(function* () {
        const { apps, batch, core } = yield* namespace
        const bodies: ReadonlyArray<JsonObject> = [
          {},
          { metadata: { name: "P_" }, spec: { containers: [{ name: "a", image: "b" }] } },
          { metadata: { name: "x" } },
          { metadata: { name: "x" }, spec: { containers: [{ name: "A", image: "" }] } },
          {
            metadata: { name: "x" },
            spec: {
              containers: [
                { name: "a", image: "a" },
                { name: "a", image: "a" }
              ]
            }
          },
          { metadata: { name: "x", namespace: "other" }, spec: { containers: [{ name: "a", image: "b" }] } },
          // One wrong label at a time: the real server walks a map in whatever order comes.
          { metadata: { name: "x", labels: { "a b": "c" } }, spec: { containers: [{ name: "a", image: "b" }] } },
          { metadata: { name: "x", labels: { d: "e f" } }, spec: { containers: [{ name: "a", image: "b" }] } },
          { metadata: { name: "x", labels: { a: 1 } } },
          { kind: "Foo", metadata: { name: "x" } },
          { apiVersion: "v2", kind: "Pod", metadata: { name: "x" } }
        ]
        for (const body of bodies) yield* same("POST", `${core}/pods`, { body })
        yield* same("POST", `${apps}/deployments`, { body: deployment("x", -1) })
        yield* same("POST", `${apps}/deployments`, { body: { metadata: { name: "x" }, spec: { template: {} } } })
        yield* same("POST", `${apps}/statefulsets`, { body: { metadata: { name: "x" }, spec: { template: {} } } })
        yield* same("POST", `${batch}/jobs`, { body: { metadata: { name: "x" }, spec: { template: pod("x") } } })
        yield* same("POST", `${batch}/cronjobs`, { body: { metadata: { name: "x" }, spec: {} } })
        yield* same("POST", `${core}/services`, { body: { metadata: { name: "x" }, spec: {} } })
        yield* same("POST", `${core}/services`, { body: { metadata: { name: "x" }, spec: { ports: [{ port: 0 }] } } })
        yield* same("POST", "/api/v1/namespaces/nowhere/pods", { body: pod("x") })
        yield* same("POST", "/api/v1/namespaces", { body: { metadata: { name: "A.b" } } })
      }),
    120_000
  )

  it.effect(
    "on what it fills in",
    () =>
      Effect.gen(function* () {
        const { apps, batch, core } = yield* namespace
        yield* same("POST", `${core}/pods`, {
          body: pod("p", {
            containers: [
              {
                name: "main",
                image: "a:latest",
                resources: { limits: { cpu: "1500m", memory: "1024Mi" }, requests: { cpu: "0.5" } },
                ports: [{ containerPort: 80 }],
                env: [{ name: "P", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
                livenessProbe: { httpGet: { port: 80 } }
              }
            ],
            volumes: [
              { name: "v" },
              { name: "s", secret: { secretName: "x" } },
              { name: "h", hostPath: { path: "/x" } }
            ]
          })
        })
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        yield* same("POST", `${apps}/replicasets`, { body: deployment("web") })
        yield* same("POST", `${apps}/statefulsets`, { body: deployment("web") })
        const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } }
        yield* same("POST", `${batch}/jobs`, { body: { metadata: { name: "j" }, spec: { template } } })
        yield* same("POST", `${batch}/cronjobs`, {
          body: { metadata: { name: "c" }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } }
        })
        yield* same("POST", `${core}/services`, {
          body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } }
        })
        yield* same("POST", `${core}/services`, {
          body: { metadata: { name: "n" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } }
        })
        yield* same("POST", `${core}/secrets`, { body: { metadata: { name: "s" }, stringData: { a: "b" } } })
        yield* same("POST", `${core}/configmaps?dryRun=All`, { body: { metadata: { name: "dry", annotations: {} } } })
      }),
    120_000
  )

  it.effect(
    "on the one form in which quantities and times come back",
    () =>
      Effect.gen(function* () {
        const { core, name } = yield* namespace
        const requests = { cpu: "100u", memory: "0.5Gi", "ephemeral-storage": "1e3" }
        yield* same("POST", `${core}/pods`, {
          body: pod("p", {
            containers: [
              {
                name: "main",
                image: "a:1",
                resources: { requests, limits: { cpu: "1500E-3", memory: "1e12", "ephemeral-storage": "2E4" } }
              }
            ]
          })
        })
        const status = {
          startTime: "2026-11-21T19:45:48.987Z",
          conditions: [{ type: "Ready", status: "False", lastProbeTime: "2026-11-21T21:45:48+02:00" }],
          containerStatuses: [
            {
              name: "main",
              image: "a:1",
              imageID: "",
              ready: true,
              restartCount: 0,
              state: { running: { startedAt: "2026-11-21T19:45:48.5-00:30" } }
            }
          ]
        }
        yield* same("PATCH", `${core}/pods/p/status`, patching({ status }, STRATEGIC))
        const conditions = [{ type: "Ready", status: "True" }]
        yield* same("PATCH", `${core}/pods/p/status`, patching({ status: { conditions } }))
        const leases = `/apis/coordination.k8s.io/v1/namespaces/${name}/leases`
        const renewTime = "2026-11-21T19:45:48.120000+01:00"
        yield* same("POST", leases, { body: { metadata: { name: "l" }, spec: { holderIdentity: "a", renewTime } } })
        yield* same("PUT", `${leases}/l`, {
          body: { metadata: { name: "l" }, spec: { renewTime: "2026-11-21T19:45:48.1Z" } }
        })
      }),
    120_000
  )

  it.effect(
    "on changes and patches",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: "c" }, data: { k: "v" } } })
        const map = `${core}/configmaps/c`
        for (const body of [
          { metadata: { name: "other" } },
          { metadata: { name: "c", resourceVersion: "5" } },
          { data: {} },
          { metadata: { name: "c" }, data: { k: "w" } }
        ]) {
          yield* same("PUT", map, { body })
        }
        const operations: ReadonlyArray<Json> = [
          [{ op: "replace", path: "/data/new", value: "x" }],
          [{ op: "test", path: "/data/k", value: "no" }],
          [{ op: "remove", path: "/data/none" }],
          [{ op: "frobnicate", path: "/data/k" }],
          [{ op: "test", path: "/kind", value: "ConfigMap" }]
        ]
        for (const patch of operations) yield* same("PATCH", map, { body: JSON.stringify(patch), type: JSON_PATCH })
        yield* same("PATCH", map, { body: "{}", type: JSON_PATCH })
        yield* same("PATCH", map, { body: "{}", type: "application/foo" })
        yield* same("PATCH", map, patching({ metadata: { resourceVersion: "2" } }))
        yield* same("PATCH", `${map}?dryRun=foo`, patching({}))
        yield* same("PATCH", `${map}?force=true`, patching({}))

        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        const web = `${apps}/deployments/web`
        const containers = (...list: ReadonlyArray<Json>) => ({ spec: { template: { spec: { containers: list } } } })
        yield* same(
          "PATCH",
          web,
          patching(
            containers({ name: "main", env: [{ name: "B", value: "2" }] }, { name: "side", image: "s:1" }),
            STRATEGIC
          )
        )
        yield* same("PATCH", web, patching(containers({ name: "side", $patch: "delete" }), STRATEGIC))
        yield* same("PATCH", web, patching(containers({ image: "nameless" }), STRATEGIC))
        yield* same(
          "PATCH",
          web,
          patching({ spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }, STRATEGIC)
        )
        yield* same("PATCH", web, patching({ spec: { selector: { matchLabels: { c: "d" } } } }))
        yield* same("PATCH", web, patching({ metadata: { annotations: { a: "b" } } }))
        yield* same("PATCH", `${web}/status`, patching({ status: { replicas: 4 }, spec: { replicas: 8 } }))
        yield* same("GET", `${web}/scale`)
        yield* same("PATCH", `${web}/scale`, patching({ spec: { replicas: 4 } }))
        yield* same("PATCH", `${web}/scale`, patching({ spec: { replicas: -4 } }))
        yield* same("GET", web)
      }),
    120_000
  )

  it.effect(
    "on what is applied",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const map = `${core}/configmaps/a`
        const intent = (data: JsonObject) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data })
        const apply = (query: string, body: JsonObject) => same("PATCH", `${map}?${query}`, { body, type: APPLY })
        yield* apply("", intent({ x: "1" }))
        yield* apply("fieldManager=one", { apiVersion: "v1", kind: "ConfigMap", data: {} })
        yield* apply("fieldManager=one", intent({ x: "1", y: "1" }))
        yield* apply("fieldManager=two", intent({ x: "2" }))
        yield* apply("fieldManager=two&force=true", intent({ x: "2", z: "2" }))
        yield* apply("fieldManager=two", intent({ z: "2" }))
        yield* apply("fieldManager=one", intent({}))
        yield* apply("fieldManager=two", { ...intent({}), kind: "Foo" })
        yield* same("GET", map)
      }),
    120_000
  )
}
