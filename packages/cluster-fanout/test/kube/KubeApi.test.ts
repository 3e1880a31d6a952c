import { assert, describe, layer } from "@effect/vitest"
import { Fault } from "@quarterdeck/harness"
import { Effect, Option, Stream } from "effect"
import type { Cluster } from "../../src/registry/Cluster.ts"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import type { Resource } from "../../src/kube/KubeObject.ts"
import { EmbeddedCluster, pod } from "../fixture/EmbeddedCluster.ts"
import { onCluster, release, scope } from "../fixture/Following.ts"
import { eventually } from "../fixture/Waiting.ts"

layer(EmbeddedCluster.layer({ pods: 501 }), { excludeTestServices: true })((it) => {
  describe("version", () => {
    for (const [gitVersion, major, minor] of [
      ["v1.36.3", 1, 36],
      ["v1.31.4-eks-7f9249a", 1, 31],
      ["v1.33.1+k3s1", 1, 33]
    ] as const) {
      it.effect(`${gitVersion} is ${major}.${minor}`, () =>
        onCluster((server) =>
          Effect.gen(function* () {
            yield* server.inject(release(gitVersion))
            const version = yield* KubeApi.use((api) => api.version(server.entered()))
            assert.deepStrictEqual(version, { major, minor, gitVersion })
          })
        )
      )
    }

    it.effect("is answered at once while slow lists occupy every connection for calls", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.slowReply({ match: { verbs: ["list"] }, bodyAfterMs: 3_600_000 }))
          const cluster = server.entered()
          const api = yield* KubeApi
          for (let list = 0; list < 8; list++) yield* Effect.forkChild(Stream.runDrain(api.list(cluster, scope)))
          yield* eventually(
            Effect.sync(() => server.requests.length),
            (requests) => requests === 3
          )
          assert.strictEqual((yield* api.version(cluster).pipe(Effect.timeout("5 seconds"))).gitVersion, "v1.36.3")
          assert.strictEqual((yield* server.connections).made, 4)
        })
      )
    )

    it.effect("something else than a version is an invalid answer", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(release("not a version"))
          const error = yield* Effect.flip(KubeApi.use((api) => api.version(server.entered())))
          assert.strictEqual(error.reason._tag, "ClusterAnswerInvalid")
        })
      )
    )
  })

  describe("list", () => {
    const listed = (cluster: Cluster, options = {}, namespace = "default") =>
      Stream.unwrap(KubeApi.use((api) => Effect.succeed(api.list(cluster, { ...scope, namespace }, options)))).pipe(
        Stream.map((objects) => objects.map((object) => object.metadata.name)),
        Stream.runCollect
      )

    it.effect("pages of 500 follow the continue token", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const selector = { labelSelector: "app=web,tier in (a,b)" }
          const pages = yield* listed(server.entered(), selector)
          const names = (yield* server.objects.list({ apiVersion: "v1", kind: "Pod" })).items.map(
            ({ metadata }) => metadata.name
          )
          assert.deepStrictEqual(pages, [names.slice(0, 500), names.slice(500)])
          assert.deepStrictEqual(
            server.requests.map(({ query }) => [query.get("limit"), query.has("continue")]),
            [
              ["500", false],
              ["500", true]
            ]
          )
          assert.strictEqual(server.requests[1]?.query.get("labelSelector"), selector.labelSelector)
          assert.deepStrictEqual(yield* listed(server.entered(), {}, "a b"), [[]])
          assert.strictEqual(server.requests.at(-1)?.path, "/api/v1/namespaces/a%20b/pods")
        })
      )
    )

    it.effect("a continue token that expires between pages has the whole list read at once", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.expiredWatch())
          const names = (yield* listed(server.entered())).flat()
          assert.strictEqual(new Set(names).size, 501)
          assert.lengthOf(names, 501)
          assert.deepStrictEqual(
            server.requests.map(({ query }) => query.get("limit")),
            ["500", "500", null]
          )
        })
      )
    )

    it.effect("metadata only is asked for as such", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* listed(server.entered(), { metadataOnly: true }, "kube-public"), [[]])
          assert.include(server.requests[0]?.headers["accept"]?.[0], "as=PartialObjectMetadataList")
        })
      )
    )

    it.effect("computed objects without uid and absent labels are objects too", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const usage = { metadata: { name: "usage", labels: null, creationTimestamp: null } }
          yield* server.inject(Fault.fixedReply({ body: JSON.stringify({ metadata: {}, items: [usage] }) }))
          assert.deepStrictEqual(yield* listed(server.entered()), [["usage"]])
        })
      )
    )

    for (const body of [{ metadata: {}, items: [{}] }, { metadata: {}, items: "none" }, [], "text"]) {
      it.effect(`${JSON.stringify(body)} is an invalid answer`, () =>
        onCluster((server) =>
          Effect.gen(function* () {
            yield* server.inject(Fault.fixedReply({ body: JSON.stringify(body) }))
            const error = yield* Effect.flip(listed(server.entered()))
            assert.strictEqual(error.reason._tag, "ClusterAnswerInvalid")
          })
        )
      )
    }
  })

  describe("find", () => {
    const deployments: Resource = {
      group: "apps",
      version: "v1",
      plural: "deployments",
      kind: "Deployment",
      namespaced: true
    }
    const found = (cluster: Cluster, name: string) =>
      KubeApi.use((api) => api.find(cluster, { resource: deployments, namespace: "default" }, name))

    it.effect("gives the object, and nothing when there is none", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const labels = { app: "web" }
          const { metadata } = yield* server.objects.create({
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "web", namespace: "default" },
            spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod("web")["spec"] } }
          })
          const web = Option.getOrThrow(yield* found(server.entered(), "web"))
          assert.strictEqual(web.metadata.resourceVersion, metadata.resourceVersion)
          assert.isTrue(Option.isNone(yield* found(server.entered(), "../web")))
          assert.strictEqual(server.requests.at(-1)?.path, "/apis/apps/v1/namespaces/default/deployments/..%2Fweb")
        })
      )
    )
  })
})
