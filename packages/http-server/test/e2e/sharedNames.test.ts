/** Kubeconfig files whose clusters, users and contexts share names, as kubeadm and k3s write them. */
import { afterAll, assert } from "@effect/vitest"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { Faults } from "@quarterdeck/harness"
import { Context, Effect, Metric, Redacted, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const directory = mkdtempSync(join(tmpdir(), "quarterdeck-shared-names-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const fileOf = (name: string) => join(directory, `${name}.yaml`)
const FILES = ["hub", "prod", "stage", "other"]

/** The token of each cluster's file. */
const tokens = new Map<string, string>()
/** The credentials that each API server received. */
const received = new Map<string, Array<string>>()

const decodeReadiness = Schema.decodeUnknownEffect(Schema.fromJsonString(Readiness))
const decodeDeployment = Schema.decodeUnknownEffect(Schema.Struct({ spec: Schema.Struct({ replicas: Schema.Number }) }))
const decodeScaled = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ cluster: Schema.String, status: Schema.String }))
)

/** A file as kubeadm writes it, with the context renamed. */
const kubeadm = (context: string, server: string, caPem: string, token: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": context,
    clusters: [
      {
        name: "kubernetes",
        cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") }
      }
    ],
    users: [{ name: "kubernetes-admin", user: { token } }],
    contexts: [{ name: context, context: { cluster: "kubernetes", user: "kubernetes-admin" } }]
  })

const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image: "registry.test/app:1" }] }
    }
  }
})

const replicasIn = Effect.fnUntraced(function* (cluster: string, name: string) {
  const { api } = yield* (yield* Deployment).fleet.cluster(cluster)
  const object = yield* api.get({ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name })
  return (yield* decodeDeployment(object)).spec.replicas
})

onOneDriver(
  "kubeconfigs that share names",
  {
    children: ["prod", "stage"],
    prepare: (fleet) =>
      Effect.forEach(fleet.clusters, ({ api, caPem, context, name, server }) =>
        Effect.gen(function* () {
          const asked: Array<string> = []
          received.set(name, asked)
          const proxy = yield* Faults.make({
            name,
            server,
            caPem,
            onRequest: ({ headers }) => void asked.push(headers["authorization"]?.join() ?? "none")
          })
          const { token } = yield* context("admin")
          tokens.set(name, Redacted.value(token))
          const text = (context: string) => kubeadm(context, proxy.server, proxy.caPem, Redacted.value(token))
          writeFileSync(fileOf(name), text(name))
          // The context's name is that of an earlier file, its cluster is another one.
          if (name === "stage") writeFileSync(fileOf("other"), text("prod"))
          yield* api.create(deployment("web"))
          yield* api.create(deployment(`only-${name}`))
        })
      ),
    options: { clusters: { kubeconfig: FILES.map(fileOf), parent: "hub" } },
    // The problems that other tests of this process counted are not this server's.
    limits: Context.make(Metric.MetricRegistry, new Map())
  },
  (it) => {
    it.effect("each context shows the rows of its own cluster", () =>
      Effect.gen(function* () {
        const { workloads } = yield* Deployment
        const reply = yield* workloads("?namespace=default&kind=Deployment", { key: "admin", headers: to("*") })
        assert.deepStrictEqual(
          reply.clusters.map(({ name, status }) => [String(name), status]),
          ["hub", "prod", "stage"].map((name) => [name, "ok"])
        )
        assert.deepStrictEqual(
          reply.workloads.map(({ cluster, name }) => `${cluster} ${name}`).toSorted(),
          ["hub", "prod", "stage"].flatMap((cluster) => [`${cluster} only-${cluster}`, `${cluster} web`])
        )
      })
    )

    it.effect("an action changes the cluster that it names, and no other", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const reply = yield* call("/api/v1/workloads/prod/default/Deployment/web/scale", {
          method: "POST",
          key: "admin",
          body: { replicas: 3 }
        })
        assert.strictEqual(reply.status, 200, reply.text)
        assert.deepStrictEqual(yield* decodeScaled(reply.text), { cluster: "prod", status: "applied" })
        const found = yield* Effect.forEach(["hub", "prod", "stage"], (cluster) => replicasIn(cluster, "web"))
        assert.deepStrictEqual(found, [1, 3, 1])
      })
    )

    it.effect("each API server received the token of its own file alone", () =>
      Effect.gen(function* () {
        yield* (yield* Deployment).workloads("?consistency=live", { key: "admin", headers: to("*") })
        assert.strictEqual(new Set(tokens.values()).size, 3)
        for (const [cluster, asked] of received) {
          assert.isAbove(asked.length, 0)
          assert.deepStrictEqual([...new Set(asked)], [`Bearer ${tokens.get(cluster)}`], cluster)
        }
      })
    )

    it.effect("a context whose name an earlier file has is reported, and so are the entries that differ", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const { details } = yield* decodeReadiness((yield* call("/readyz", { key: "admin" })).text)
        assert.deepStrictEqual(
          details?.sources.map(({ code, severity, source }) => [severity, code, source]),
          [
            ["error", "nameTaken", `${fileOf("other")}, context "prod"`],
            ["warning", "entryDiffers", `${fileOf("hub")}, cluster "kubernetes"`],
            ["warning", "entryDiffers", `${fileOf("hub")}, user "kubernetes-admin"`]
          ]
        )
        const { text } = yield* call("/metrics", { key: "admin" })
        assert.match(text, /^quarterdeck_registry_problems\{code="nameTaken"\} 1$/m)
        assert.match(text, /^quarterdeck_registry_problems\{code="entryDiffers"\} 2$/m)
        const printed = JSON.stringify(details)
        for (const token of tokens.values()) assert.notInclude(printed, token)
      })
    )
  }
)
