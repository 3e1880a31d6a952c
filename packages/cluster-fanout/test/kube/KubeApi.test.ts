import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import type { Cluster } from "../../src/registry/Cluster.ts"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import type { Resource } from "../../src/kube/KubeObject.ts"
import * as ApiServer from "../fixture/ApiServer.ts"
import { eventually } from "../fixture/Waiting.ts"
import { kube, page, pod, scope, serve } from "../fixture/WatchServer.ts"

describe("version", () => {
  for (const [gitVersion, major, minor] of [
    ["v1.36.3", 1, 36],
    ["v1.31.4-eks-7f9249a", 1, 31],
    ["v1.33.1+k3s1", 1, 33]
  ] as const) {
    it.live(`${gitVersion} is ${major}.${minor}`, () =>
      Effect.gen(function* () {
        const server = yield* serve(gitVersion, {})
        const version = yield* KubeApi.use((api) => api.version(ApiServer.clusterAt(server)))
        assert.deepStrictEqual(version, { major, minor, gitVersion })
      }).pipe(Effect.scoped, Effect.provide(kube))
    )
  }

  it.live("is told at once while slow lists hold every connection for calls", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", { list: () => {} })
      const cluster = ApiServer.clusterAt(server)
      const api = yield* KubeApi
      for (let list = 0; list < 8; list++) yield* Effect.forkChild(Stream.runDrain(api.list(cluster, scope)))
      yield* eventually(
        Effect.sync(() => server.requests.length),
        (requests) => requests === 3
      )
      assert.strictEqual((yield* api.version(cluster).pipe(Effect.timeout("5 seconds"))).gitVersion, "v1.36.3")
      assert.strictEqual(server.connections().made, 4)
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("something else than a version is an invalid answer", () =>
    Effect.gen(function* () {
      const server = yield* serve("not a version", {})
      const error = yield* Effect.flip(KubeApi.use((api) => api.version(ApiServer.clusterAt(server))))
      assert.strictEqual(error.reason._tag, "ClusterAnswerInvalid")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )
})

describe("list", () => {
  const listed = (cluster: Cluster, options = {}) =>
    Stream.unwrap(
      KubeApi.use((api) => Effect.succeed(api.list(cluster, { ...scope, namespace: "a b" }, options)))
    ).pipe(
      Stream.map((objects) => objects.map((object) => object.metadata.name)),
      Stream.runCollect
    )

  it.live("pages of 500 follow the continue token", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", {
        list: ({ query }, response) =>
          ApiServer.json(
            response,
            200,
            query.get("continue") === "next" ? page([pod("c", 3)], 9) : page([pod("a", 1), pod("b", 2)], 9, "next")
          )
      })
      const pages = yield* listed(ApiServer.clusterAt(server), { labelSelector: "app=web,tier in (a,b)" })
      assert.deepStrictEqual(pages, [["a", "b"], ["c"]])
      assert.strictEqual(server.requests[0]?.path, "/api/v1/namespaces/a%20b/pods")
      assert.deepStrictEqual(
        server.requests.map(({ query }) => [query.get("limit"), query.get("continue")]),
        [
          ["500", null],
          ["500", "next"]
        ]
      )
      assert.strictEqual(server.requests[1]?.query.get("labelSelector"), "app=web,tier in (a,b)")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("a continue token that expires between pages fails as expired", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", {
        list: ({ query }, response) =>
          query.has("continue")
            ? ApiServer.json(
                response,
                410,
                ApiServer.status(410, "Expired", "The provided continue parameter is too old")
              )
            : ApiServer.json(response, 200, page([pod("a", 1)], 9, "next"))
      })
      const error = yield* Effect.flip(listed(ApiServer.clusterAt(server)))
      assert.strictEqual(error.reason._tag, "ClusterExpired")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("metadata only is asked for as such", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", { list: (_seen, response) => ApiServer.json(response, 200, page([], 9)) })
      assert.deepStrictEqual(yield* listed(ApiServer.clusterAt(server), { metadataOnly: true }), [[]])
      assert.include(server.requests[0]?.headers["accept"]?.[0], "as=PartialObjectMetadataList")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("computed objects without uid and absent labels are objects too", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", {
        list: (_seen, response) =>
          ApiServer.json(response, 200, {
            metadata: {},
            items: [{ metadata: { name: "usage", labels: null, creationTimestamp: null } }]
          })
      })
      assert.deepStrictEqual(yield* listed(ApiServer.clusterAt(server)), [["usage"]])
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  for (const body of [{ metadata: {}, items: [{}] }, { metadata: {}, items: "none" }, [], "text"]) {
    it.live(`${JSON.stringify(body)} is an invalid answer`, () =>
      Effect.gen(function* () {
        const server = yield* serve("v1.36.3", { list: (_seen, response) => ApiServer.json(response, 200, body) })
        const error = yield* Effect.flip(listed(ApiServer.clusterAt(server)))
        assert.strictEqual(error.reason._tag, "ClusterAnswerInvalid")
      }).pipe(Effect.scoped, Effect.provide(kube))
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
    KubeApi.use((api) => api.find(cluster, { resource: deployments, namespace: "shop" }, name))

  it.live("gives the object, and nothing when there is none", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", {
        list: (seen, response) =>
          seen.path === "/apis/apps/v1/namespaces/shop/deployments/web"
            ? ApiServer.json(response, 200, pod("web", 7))
            : ApiServer.json(response, 404, ApiServer.status(404, "NotFound", "no"))
      })
      const cluster = ApiServer.clusterAt(server)
      assert.strictEqual(Option.getOrThrow(yield* found(cluster, "web")).metadata.resourceVersion, "7")
      assert.isTrue(Option.isNone(yield* found(cluster, "../web")))
      assert.strictEqual(server.requests.at(-1)?.path, "/apis/apps/v1/namespaces/shop/deployments/..%2Fweb")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )
})
