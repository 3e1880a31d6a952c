import { Effect } from "effect"
import { type Json, type JsonObject, objectAt } from "@quarterdeck/embedded-cluster/Json"
import { deployment, patching } from "../Client.ts"
import { namespace, same, type Suite } from "./Pair.ts"

const map = (more: JsonObject): JsonObject => ({ metadata: { name: "t" }, ...more })

const meta = (more: JsonObject): JsonObject => ({ metadata: { name: "t", ...more } })

const withSpec = (more: JsonObject): JsonObject => {
  const made = deployment("t")
  return { ...made, spec: { ...objectAt(made, "spec"), ...more } }
}

const container = (more: JsonObject): JsonObject => ({
  metadata: { name: "t" },
  spec: { containers: [{ name: "c", image: "i", ...more }] }
})

const cpu = (value: Json): JsonObject => container({ resources: { limits: { cpu: value } } })

/** Values of another type than their field has. */
export const types = (it: Suite): void => {
  it.effect(
    "on values of the wrong type",
    () =>
      Effect.gen(function* () {
        const { apps, core, name } = yield* namespace
        const bodies: ReadonlyArray<readonly [path: string, body: JsonObject]> = [
          ...[1, true, { b: "c" }, ["b"]].map((a) => [`${core}/configmaps`, map({ data: { a } })] as const),
          ...["x", []].map((data) => [`${core}/configmaps`, map({ data })] as const),
          [`${core}/configmaps`, map({ immutable: "x" })],
          [`${core}/configmaps`, map({ binaryData: { a: "!" } })],
          [`${core}/configmaps?fieldValidation=Strict`, map({ data: { a: 1 }, foo: 1 })],
          [`${core}/configmaps`, { metadata: "x" }],
          [`${core}/configmaps`, meta({ name: 5 })],
          [`${core}/configmaps`, meta({ creationTimestamp: "x" })],
          [`${core}/configmaps`, meta({ creationTimestamp: "2026-13-01T00:00:00Z" })],
          [`${core}/configmaps`, meta({ creationTimestamp: 5 })],
          [`${core}/configmaps`, meta({ labels: { a: 1 } })],
          [`${core}/configmaps`, meta({ finalizers: "a" })],
          [`${core}/configmaps`, meta({ finalizers: [1] })],
          [`${core}/configmaps`, meta({ ownerReferences: {} })],
          [`${core}/configmaps`, meta({ ownerReferences: [{ controller: "x" }] })],
          [`${core}/configmaps`, meta({ generation: 1.5 })],
          ...["3", 1.5, 3_000_000_000, true, {}, [1]].map(
            (replicas) => [`${apps}/deployments`, withSpec({ replicas })] as const
          ),
          ...[true, 1.5, {}].map(
            (maxSurge) => [`${apps}/deployments`, withSpec({ strategy: { rollingUpdate: { maxSurge } } })] as const
          ),
          [`${apps}/deployments`, map({ spec: [] })],
          [`${apps}/deployments`, map({ status: "x" })],
          [`${apps}/deployments`, withSpec({ template: { spec: { containers: {} } } })],
          [`${apps}/deployments`, withSpec({ template: { spec: { containers: [1] } } })],
          ...["abc", "", true, {}, [1], "1x"].map((value) => [`${core}/pods`, cpu(value)] as const),
          [`${core}/pods`, container({ resources: { limits: "x" } })],
          [`${core}/pods`, container({ command: "x" })],
          [`${core}/pods`, container({ ports: [{ containerPort: "80" }] })],
          [`${core}/pods`, container({ env: [{ name: "a", value: 1 }] })],
          ...["***", "YQ", "YWI=YWI=", 1, {}].map((a) => [`${core}/secrets`, map({ data: { a } })] as const),
          [`${core}/secrets`, map({ stringData: { a: 1 } })],
          [
            `/apis/coordination.k8s.io/v1/namespaces/${name}/leases`,
            map({ spec: { renewTime: "2026-01-01T00:00:00Z" } })
          ]
        ]
        for (const [path, body] of bodies) yield* same("POST", path, { body })
      }),
    120_000
  )

  it.effect(
    "on changes to a value of the wrong type",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const path = `${core}/configmaps/t`
        yield* same("POST", `${core}/configmaps`, { body: map({ data: { k: "v" } }) })
        yield* same("PUT", path, { body: map({ data: { a: 1 } }) })
        for (const patch of [{ metadata: { labels: { a: true } } }, { data: { a: 1 } }]) {
          yield* same("PATCH", path, patching(patch, "application/strategic-merge-patch+json"))
          yield* same("PATCH", `${path}?fieldManager=t`, {
            body: { apiVersion: "v1", kind: "ConfigMap", ...map(patch), metadata: { name: "t", ...patch.metadata } },
            type: "application/apply-patch+yaml"
          })
        }
        yield* same("GET", path)
      }),
    120_000
  )
}
