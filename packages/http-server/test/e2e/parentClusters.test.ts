/** Clusters that Secrets of Argo CD and ClusterProfiles of the parent describe. */
import { afterAll, assert } from "@effect/vitest"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Redacted, Schema } from "effect"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { drop, partsOf, refused } from "./registered.ts"

const decodeReadiness = Schema.decodeUnknownEffect(Schema.fromJsonString(Readiness))

/** Two credential plugins, of which one is allowed; each leaves a file where it ran. */
const directory = mkdtempSync(join(tmpdir(), "quarterdeck-plugins-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const pluginAt = (name: string) => {
  const path = join(directory, name)
  writeFileSync(path, `#!/bin/sh\ntouch "$0.ran"\ncat "${directory}/credential.json"\n`)
  chmodSync(path, 0o700)
  return path
}
const ALLOWED = pluginAt("fleet-login")
const OTHER = pluginAt("other-login")

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** A Secret of Argo CD. **Shape** `config` is written as JSON. */
const secretOf = (name: string, server: string, config: object, namespace = "argocd") => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: `cluster-${name}`,
    namespace,
    labels: { "argocd.argoproj.io/secret-type": "cluster", region: "eu" }
  },
  data: { name: base64(name), server: base64(server), config: base64(JSON.stringify(config)) }
})

const profileOf = (name: string, accessProviders: ReadonlyArray<object>) => ({
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  kind: "ClusterProfile",
  metadata: { name, namespace: "fleet", labels: { tier: "gold" } },
  spec: { clusterManager: { name: "tests" } },
  status: { accessProviders }
})

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusterprofiles.multicluster.x-k8s.io" },
  spec: {
    group: "multicluster.x-k8s.io",
    scope: "Namespaced",
    names: {
      kind: "ClusterProfile",
      plural: "clusterprofiles",
      singular: "clusterprofile",
      listKind: "ClusterProfileList"
    },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
      }
    ]
  }
}

const secretRef = (name: string) => ({ apiVersion: "v1", kind: "Secret", namespace: "argocd", name })

const parentApi = Effect.map(Deployment, ({ fleet }) => fleet.parent.api)
const create = (object: Parameters<Effect.Success<typeof parentApi>["create"]>[0]) =>
  Effect.flatMap(parentApi, (api) => api.create(object))

const rows = Effect.flatMap(Deployment, ({ clusters }) => clusters("", { key: "admin" })).pipe(
  Effect.map(({ clusters }) => clusters.map((row) => ({ ...row, name: String(row.name) })))
)
/** Waits until these are the clusters, by name. */
const namesAre = (...names: ReadonlyArray<string>) =>
  eventually(`the clusters are ${names.join()}`, rows, (found) => found.map(({ name }) => name).join() === names.join())
const problems = Effect.flatMap(Deployment, ({ call }) => call("/readyz", { key: "admin" })).pipe(
  Effect.flatMap(({ text }) => decodeReadiness(text)),
  Effect.map(({ details }) => details?.sources ?? [])
)
/** Waits for the problem of an object, and gives it. */
const problemOf = Effect.fnUntraced(function* (object: string) {
  const found = yield* eventually(`${object} is a problem`, problems, (some) =>
    some.some(({ source }) => source.includes(object))
  )
  return found.find(({ source }) => source.includes(object))
})

/** What Argo CD writes of a cluster of the fleet. */
const configOf = Effect.fnUntraced(function* (cluster: string) {
  const { caData, server, token } = yield* partsOf(cluster)
  return { server, config: { bearerToken: token, tlsClientConfig: { insecure: false, caData } }, caData, token }
})

onOneDriver(
  "clusters of the parent's objects",
  {
    children: ["prod", "stage"],
    kubeconfig: (fleet) => Effect.succeed(fleet.parent.kubeconfig),
    prepare: (fleet) =>
      Effect.gen(function* () {
        const { api } = fleet.parent
        for (const name of ["argocd", "fleet", "elsewhere"]) {
          yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
        }
        yield* api.create(DEFINITION)
        const { token } = yield* (yield* fleet.cluster("stage")).context("admin")
        writeFileSync(
          join(directory, "credential.json"),
          JSON.stringify({
            apiVersion: "client.authentication.k8s.io/v1",
            kind: "ExecCredential",
            status: { token: Redacted.value(token) }
          })
        )
      }),
    options: {
      clusters: {
        allowLoopback: true,
        argoSecrets: ["argocd"],
        profiles: ["fleet"],
        allowedCommands: [ALLOWED, `${ALLOWED} *`]
      }
    }
  },
  (it) => {
    it.effect("a Secret of Argo CD is a cluster from its making to its end, and changes with it", () =>
      Effect.gen(function* () {
        const api = yield* parentApi
        const { config, server } = yield* configOf("prod")
        yield* create(secretOf("prod", server, config))
        const [, prod] = yield* namesAre("hub", "prod")
        assert.deepInclude(prod, { role: "child", labels: { region: "eu" } })
        yield* eventually("it is reachable", rows, (found) => found[1]?.reachable === true)

        const dropped = yield* drop("prod")
        assert.include(dropped.text, "cluster_configured")
        assert.deepInclude(yield* refused({ ...(yield* partsOf("prod")), name: "prod" }), { code: "cluster_exists" })

        yield* api.delete(secretRef("cluster-prod"))
        yield* namesAre("hub")
      })
    )

    it.effect("what is no Secret of Argo CD in a namespace of the settings is not read", () =>
      Effect.gen(function* () {
        const { config, server } = yield* configOf("prod")
        const elsewhere = secretOf("elsewhere", server, config, "elsewhere")
        yield* create(elsewhere)
        const plain = secretOf("plain", server, config)
        yield* create({ ...plain, metadata: { ...plain.metadata, labels: {} } })
        yield* create(secretOf("in-cluster", "https://kubernetes.default.svc", {}))
        yield* create(secretOf("told", server, config))
        yield* namesAre("hub", "told")
        assert.lengthOf(
          (yield* problems).filter(({ source }) => /elsewhere|plain|in-cluster/.test(source)),
          0
        )
        yield* (yield* parentApi).delete(secretRef("cluster-told"))
        yield* namesAre("hub")
      })
    )

    it.effect("a Secret that cannot be used is told, with nothing of its data, and the others count", () =>
      Effect.gen(function* () {
        const { caData, config, server, token } = yield* configOf("prod")
        const tls = config.tlsClientConfig
        const exec = (command: string, more: object = {}) => ({
          execProviderConfig: { command, apiVersion: "client.authentication.k8s.io/v1", ...more },
          tlsClientConfig: tls
        })
        const bad: ReadonlyArray<readonly [string, string, object, string, string]> = [
          [
            "insecure",
            server,
            { ...config, tlsClientConfig: { insecure: true } },
            "credentialUnsupported",
            "certificate"
          ],
          ["metadata", "https://2852039166", config, "addressRefused", "link-local"],
          ["user-in-it", "https://a:b@10.0.0.1", config, "contextIncomplete", "user"],
          ["proxied", server, { ...config, proxyUrl: "http://[::ffff:a9fe:a9fe]" }, "addressRefused", "link-local"],
          ["plugin", server, exec(OTHER), "execUnsupported", "clusters.allowedCommands"],
          ["loader", server, exec(ALLOWED, { env: { LD_PRELOAD: "/tmp/x.so" } }), "execUnsupported", "LD_PRELOAD"],
          [
            "aws",
            server,
            { awsAuthConfig: { clusterName: "c" }, tlsClientConfig: tls },
            "execUnsupported",
            "argocd-k8s-auth"
          ],
          ["hub", server, config, "nameTaken", "already taken"]
        ]
        for (const [name, address, content] of bad) yield* create(secretOf(name, address, content))
        const broken = secretOf("broken", server, {})
        yield* create({ ...broken, data: { ...broken.data, config: base64("{ secret-text") } })
        yield* create(secretOf("good", server, config))
        yield* namesAre("good", "hub")
        for (const [name, , , code, words] of bad) {
          const problem = yield* problemOf(name === "hub" ? '"hub"' : `cluster-${name}`)
          assert.strictEqual(problem?.code, code, name)
          assert.include(problem?.message, words)
        }
        assert.strictEqual((yield* problemOf("cluster-broken"))?.code, "contextIncomplete")
        const told = JSON.stringify(yield* problems)
        for (const secret of [token, caData, "secret-text", "a:b"]) assert.notInclude(told, secret)
        assert.isFalse(existsSync(`${OTHER}.ran`))
        assert.isFalse(existsSync(`${ALLOWED}.ran`))

        const api = yield* parentApi
        for (const name of [...bad.map(([name]) => name), "broken", "good"]) {
          yield* api.delete(secretRef(`cluster-${name}`))
        }
        yield* namesAre("hub")
        yield* eventually("nothing is wrong", problems, ({ length }) => length === 0)
      })
    )

    it.effect("what was read stays while the parent is away, and follows it again once it is back", () =>
      Effect.gen(function* () {
        const { fleet } = yield* Deployment
        const { config, server } = yield* configOf("prod")
        yield* create(secretOf("kept", server, config))
        yield* namesAre("hub", "kept")
        yield* fleet.parent.kill
        const away = yield* problemOf("Secret argocd/*")
        assert.deepInclude(away, { code: "sourceUnreadable" })
        yield* namesAre("hub", "kept")
        yield* fleet.parent.restart
        yield* eventually("the parent's objects are read again", problems, ({ length }) => length === 0, {
          within: "30 seconds"
        })
        yield* (yield* parentApi).delete(secretRef("cluster-kept"))
        yield* namesAre("hub")
      })
    )

    it.effect("a Secret's credential plugin is run where the settings allow it", () =>
      Effect.gen(function* () {
        const { config, server } = yield* configOf("stage")
        const execProviderConfig = { command: ALLOWED, apiVersion: "client.authentication.k8s.io/v1", args: ["x"] }
        yield* create(secretOf("by-plugin", server, { execProviderConfig, tlsClientConfig: config.tlsClientConfig }))
        yield* namesAre("by-plugin", "hub")
        yield* eventually("it is reachable", rows, (found) => found.every(({ reachable }) => reachable))
        yield* (yield* parentApi).delete(secretRef("cluster-by-plugin"))
        yield* namesAre("hub")
      })
    )

    it.effect("a ClusterProfile is a cluster by the first access provider that is allowed", () =>
      Effect.gen(function* () {
        const { caData, server } = yield* configOf("stage")
        const cluster = { server, "certificate-authority-data": caData }
        yield* create(
          profileOf("inventory", [
            { name: "other", cluster },
            { name: "fleet-login", cluster }
          ])
        )
        yield* create(profileOf("nobody", [{ name: "other", cluster }]))
        yield* create(
          profileOf("meta", [{ name: "fleet-login", cluster: { ...cluster, server: "https://169.254.169.254" } }])
        )
        const [, found] = yield* namesAre("hub", "inventory")
        assert.deepInclude(found, { role: "child", labels: { tier: "gold" } })
        yield* eventually("it is reachable", rows, (all) => all.every(({ reachable }) => reachable))
        assert.deepInclude(yield* problemOf("fleet/nobody"), { code: "execUnsupported" })
        assert.deepInclude(yield* problemOf("fleet/meta"), { code: "addressRefused" })
      })
    )
  }
)
