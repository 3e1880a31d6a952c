import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { Cluster } from "../../src/registry/Cluster.ts"
import { Transport, TransportLimits, type Waiting } from "../../src/kube/Transport.ts"
import * as ApiServer from "../fixture/ApiServer.ts"
import { ask, facts, limits, ok, pods, reasonOf, transport } from "../fixture/TransportCalls.ts"
import { eventually } from "../fixture/Waiting.ts"

describe("connections", () => {
  it.live("200 calls at once open at most 4 connections", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      const cluster = ApiServer.clusterAt(server)
      yield* Effect.all(
        Array.from({ length: 200 }, () => ask(cluster)),
        { concurrency: 200 }
      )
      assert.strictEqual(server.requests.length, 200)
      assert.isAtMost(server.connections().made, 4)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("200 calls one after another use one connection", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      const cluster = ApiServer.clusterAt(server)
      yield* Effect.repeat(ask(cluster), { times: 199 })
      assert.strictEqual(server.connections().made, 1)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("open watches take nothing from the connections of calls", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start((seen, response) => {
        if (seen.query.has("watch")) response.writeHead(200).flushHeaders()
        else ok(seen, response, response.req)
      })
      const cluster = ApiServer.clusterAt(server)
      const watch = Transport.use((service) => service.open(cluster, { ...pods, path: "/api/v1/pods?watch=1" }))
      yield* Effect.all(
        Array.from({ length: 10 }, () => watch),
        { concurrency: 10 }
      )
      yield* Effect.all(
        Array.from({ length: 8 }, () => ask(cluster)),
        { concurrency: 8 }
      )
      const { made } = server.connections()
      assert.isAtLeast(made, 11)
      assert.isAtMost(made, 14)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("more watches than the pool holds are refused as throttled, not left waiting", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start((_seen, response) => response.writeHead(200).flushHeaders())
      const cluster = ApiServer.clusterAt(server)
      const watch = Transport.use((service) => service.open(cluster, pods))
      yield* Effect.all([watch, watch])
      const error = yield* Effect.flip(watch)
      assert.strictEqual(error.reason._tag, "ClusterThrottled")
    }).pipe(
      Effect.scoped,
      Effect.provide(transport),
      Effect.provideService(TransportLimits, { ...limits, watchConnections: 2 })
    )
  )

  it.live("a changed connection opens new sockets, and the old pool is let go after its last call", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      const context = yield* Effect.context()
      const server = yield* ApiServer.start((seen, response) => {
        if (seen.path !== "/slow") return ok(seen, response, response.req)
        Effect.runForkWith(context)(
          Effect.andThen(
            Deferred.await(release),
            Effect.sync(() => ApiServer.json(response, 200, "slow but whole"))
          )
        )
      })
      const before = ApiServer.clusterAt(server, { credential: ApiServer.token("one") })
      const after = ApiServer.clusterAt(server, { credential: ApiServer.token("two") })
      assert.notStrictEqual(before.generation, after.generation)
      const slow = yield* Effect.forkChild(ask(before, { ...pods, path: "/slow" }))
      yield* eventually(
        Effect.sync(() => server.requests.length),
        (seen) => seen === 1
      )
      yield* ask(after)
      assert.strictEqual(server.connections().made, 2)
      yield* eventually(
        Effect.sync(() => server.connections().open),
        (open) => open === 1
      )
      yield* Deferred.succeed(release, undefined)
      const { body } = yield* Fiber.join(slow)
      assert.strictEqual(body.toString(), '"slow but whole"')
      yield* eventually(
        Effect.sync(() => server.connections().open),
        (open) => open === 0
      )
    }).pipe(Effect.scoped, Effect.provide(transport), Effect.provideService(TransportLimits, { ...limits, idleMs: 50 }))
  )

  it.live("closing the transport closes its sockets", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      yield* ask(ApiServer.clusterAt(server)).pipe(Effect.provide(Layer.fresh(transport)))
      yield* eventually(
        Effect.sync(() => server.connections().open),
        (open) => open === 0
      )
    }).pipe(Effect.scoped)
  )

  it.live("an interrupted call is ended at the server too", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(() => {})
      const call = yield* Effect.forkChild(ask(ApiServer.clusterAt(server)))
      yield* eventually(
        Effect.sync(() => server.requests.length),
        (seen) => seen === 1
      )
      yield* Fiber.interrupt(call)
      yield* eventually(
        Effect.sync(() => server.connections().open),
        (open) => open === 0
      )
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("a read whose kept connection was closed meanwhile succeeds on a new one; a write is not sent twice", () =>
    Effect.gen(function* () {
      let breaks = 0
      const server = yield* ApiServer.start((seen, response) => {
        if (seen.path !== "/break" || breaks++ > 0) return ok(seen, response, response.req)
        response.socket?.destroy()
      })
      const cluster = ApiServer.clusterAt(server)
      assert.strictEqual((yield* ask(cluster, { ...pods, path: "/break" })).status, 200)
      breaks = 0
      const write = yield* reasonOf(cluster, { ...pods, method: "POST", path: "/break" })
      assert.strictEqual(write._tag, "ClusterUnreachable")
      assert.strictEqual(server.requests.filter((seen) => seen.method === "POST").length, 1)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )
})

describe("answers", () => {
  const answering = (handler: ApiServer.Handler, more: Partial<Cluster["connection"]> = {}) =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(handler)
      return facts(yield* reasonOf(ApiServer.clusterAt(server, more)))
    }).pipe(Effect.scoped, Effect.provide(transport))

  const cases: ReadonlyArray<readonly [number, Record<string, string>, object]> = [
    [401, {}, { _tag: "ClusterUnauthorized" }],
    [403, {}, { _tag: "ClusterForbids", verb: "list", resource: "pods" }],
    [404, {}, { _tag: "ClusterUnsupported", resource: "pods" }],
    [410, {}, { _tag: "ClusterExpired" }],
    [429, {}, { _tag: "ClusterThrottled" }],
    [429, { "retry-after": "7" }, { _tag: "ClusterThrottled", retryAfterMs: 7000 }],
    [503, { "retry-after": "1" }, { _tag: "ClusterThrottled", retryAfterMs: 1000 }],
    [503, {}, { _tag: "ClusterAnswerInvalid", status: 503, problem: "Broken: it broke" }],
    [500, {}, { _tag: "ClusterAnswerInvalid", status: 500, problem: "Broken: it broke" }]
  ]
  for (const [status, headers, reason] of cases) {
    it.live(`${status} ${JSON.stringify(headers)} is ${JSON.stringify(reason)}`, () =>
      Effect.gen(function* () {
        const got = yield* answering((_seen, response) =>
          ApiServer.json(response, status, ApiServer.status(status, "Broken", "it broke"), headers)
        )
        assert.deepStrictEqual(got, reason)
      })
    )
  }

  it.live("a redirect is never followed, wherever it leads", () =>
    Effect.gen(function* () {
      const elsewhere = yield* ApiServer.start(ok)
      for (const status of [301, 302, 303, 307, 308]) {
        const server = yield* ApiServer.start((_seen, response) => {
          response.writeHead(status, { location: `${elsewhere.url}/api/v1/pods` }).end()
        })
        const reason = yield* reasonOf(ApiServer.clusterAt(server, { credential: ApiServer.token("secret") }))
        assert.deepInclude(facts(reason), { _tag: "ClusterAnswerInvalid", status })
      }
      assert.strictEqual(elsewhere.connections().made, 0)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("a server that echoes the credential does not get it into the error", () =>
    Effect.gen(function* () {
      const got = yield* answering(
        (seen, response) => {
          ApiServer.json(
            response,
            500,
            ApiServer.status(500, "Echo", `you sent ${String(seen.headers["authorization"])}\u001b[31m`)
          )
        },
        { credential: ApiServer.token("s3cr3t-token") }
      )
      assert.deepStrictEqual(got, {
        _tag: "ClusterAnswerInvalid",
        status: 500,
        problem: "Echo: you sent Bearer *** [31m"
      })
    })
  )

  it.live("an answer over the size limit is refused", () =>
    answering((_seen, response) => ApiServer.json(response, 200, "x".repeat(2_000))).pipe(
      Effect.provideService(TransportLimits, { ...limits, answerBytes: 1_000 }),
      Effect.map((got) =>
        assert.deepStrictEqual(got, { _tag: "ClusterAnswerInvalid", problem: "the answer is longer than 1000 bytes" })
      )
    )
  )

  it.live("a connection cut in the middle of a body is unreachable", () =>
    Effect.gen(function* () {
      const got = yield* answering((_seen, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("half", () => response.socket?.destroy())
      })
      assert.strictEqual(got["_tag"], "ClusterUnreachable")
    })
  )

  it.live("each wait for the cluster is wrapped: for the head, for what follows a pause, and for the end", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context()
      const paused = yield* Deferred.make<void>()
      const server = yield* ApiServer.start((_seen, response) => {
        response.writeHead(200)
        response.write('"first')
        const rest = Effect.sync(() => response.end(' second"'))
        Effect.runForkWith(context)(Effect.andThen(Deferred.await(paused), rest))
      })
      const seen = { begun: 0, ended: 0 }
      const waiting: Waiting = (wait) =>
        Effect.suspend(() => {
          seen.begun++
          return Effect.tap(wait, () => Effect.sync(() => seen.ended++))
        })
      const call = yield* Effect.forkChild(ask(ApiServer.clusterAt(server), { ...pods, waiting }))
      // The head and the first piece are here, what follows is not.
      yield* eventually(
        Effect.sync(() => ({ ...seen })),
        ({ begun, ended }) => begun === 3 && ended === 2
      )
      yield* Deferred.succeed(paused, undefined)
      assert.strictEqual((yield* Fiber.join(call)).body.toString(), '"first second"')
      assert.isAtLeast(seen.ended, 4)
      assert.strictEqual(seen.ended, seen.begun)
    }).pipe(Effect.scoped, Effect.provide(transport))
  )

  it.live("a server that is not there is unreachable, with the system's code", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(ApiServer.start(ok))
      const reason = yield* reasonOf(ApiServer.clusterAt(gone))
      assert.deepStrictEqual(facts(reason), { _tag: "ClusterUnreachable", code: "ECONNREFUSED" })
    }).pipe(Effect.provide(transport))
  )

  it.live("a server that says nothing is a timeout", () =>
    answering(() => {}).pipe(
      Effect.provideService(TransportLimits, { ...limits, callMs: 100 }),
      Effect.map((got) => assert.deepStrictEqual(got, { _tag: "ClusterTimeout", timeoutMs: 100 }))
    )
  )

  it.live("a path prefix of the server stands before every path", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(ok)
      yield* ask(ApiServer.clusterAt(server, { server: `${server.url}/k8s/clusters/c-1` }))
      assert.strictEqual(server.requests[0]?.path, "/k8s/clusters/c-1/api/v1/pods")
    }).pipe(Effect.scoped, Effect.provide(transport))
  )
})
