import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { at, type Json, type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"
import { type CallOptions, deployment, patching, pod } from "../Client.ts"
import { namespace, Pair, same, type Suite } from "./Pair.ts"

const blank: JsonObject = {
  nodeSelector: {},
  tolerations: [],
  imagePullSecrets: [],
  hostAliases: [],
  affinity: { nodeAffinity: {}, podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } },
  securityContext: { sysctls: [], supplementalGroups: [] },
  dnsConfig: { options: [] },
  volumes: [
    { name: "e", emptyDir: {} },
    { name: "c", configMap: { name: "x", items: [] } }
  ],
  containers: [
    {
      name: "main",
      image: "registry.example/app:1",
      env: [],
      envFrom: [],
      args: [],
      command: [],
      ports: [],
      volumeMounts: [],
      securityContext: { capabilities: { drop: [] } },
      resources: { limits: {} },
      lifecycle: {}
    }
  ]
}

/** Lists and maps with nothing in them. */
export const blanks = (it: Suite): void => {
  it.effect(
    "on lists and maps with nothing in them",
    () =>
      Effect.gen(function* () {
        const { apps, core, name } = yield* namespace
        const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}`
        const selector = { matchLabels: {}, matchExpressions: [] }
        const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" }
        const bodies: ReadonlyArray<readonly [string, JsonObject]> = [
          [`${core}/configmaps`, { data: {}, binaryData: {} }],
          [`${core}/secrets`, { data: { a: "" }, stringData: {} }],
          [`${core}/serviceaccounts`, { secrets: [], imagePullSecrets: [] }],
          [`${core}/endpoints`, { subsets: [] }],
          [`${core}/resourcequotas`, { spec: { hard: {}, scopes: [] } }],
          [`${core}/limitranges`, { spec: { limits: [] } }],
          [`${core}/pods`, { spec: blank }],
          [`${rbac}/roles`, { rules: [] }],
          [`${rbac}/rolebindings`, { subjects: [], roleRef }],
          [`/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`, { spec: { selector, minAvailable: 0 } }]
        ]
        for (const [path, body] of bodies) {
          yield* same("POST", path, { body: { metadata: { name: "b", labels: {}, annotations: {} }, ...body } })
          yield* same("GET", `${path}/b`)
        }
        yield* same("POST", `${rbac}/roles`, { body: { metadata: { name: "none" } } })
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        yield* same("PATCH", `${core}/pods/p/status`, patching({ status: { conditions: [], podIPs: [] } }))

        const pair = yield* Pair
        const web = `${apps}/deployments/web`
        const empty = deployment("web")
        const spec = at(empty, "spec")
        yield* same("POST", `${apps}/deployments`, { body: empty })
        const changes: ReadonlyArray<readonly [string, CallOptions]> = [
          ["PATCH", patching({ spec: { template: { metadata: { annotations: {} }, spec: { tolerations: [] } } } })],
          ["PATCH", patching({ spec: { template: { spec: { nodeSelector: { a: null }, volumes: [] } } } })],
          ["PUT", { body: { ...empty, spec: withBlanks(spec) } }]
        ]
        for (const [method, change] of changes) {
          for (const client of [pair.embedded, pair.real]) {
            const before = yield* client.call("GET", web)
            const after = yield* client.call(method, web, change)
            const version = (answer: JsonObject) => textAt(answer, "metadata", "resourceVersion")
            assert.strictEqual(version(after.json), version(before.json), JSON.stringify(change.body))
          }
        }
        yield* same("GET", web)
      }),
    120_000
  )
}

const withBlanks = (spec: Json | undefined): JsonObject => ({
  replicas: at(spec, "replicas") ?? 2,
  selector: at(spec, "selector") ?? {},
  template: {
    metadata: { labels: at(spec, "template", "metadata", "labels") ?? {}, annotations: {} },
    spec: {
      containers: at(spec, "template", "spec", "containers") ?? [],
      nodeSelector: {},
      tolerations: [],
      volumes: []
    }
  }
})
