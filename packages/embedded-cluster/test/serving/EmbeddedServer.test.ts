import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as EmbeddedServer from "../../src/serving/EmbeddedServer.ts"
import { configMap, connect, namesOf, revisionOf, started, USERS } from "../Client.ts"

const MAPS = "/api/v1/namespaces/default/configmaps"

describe("EmbeddedServer", () => {
  it.live("is ready when it starts, with the namespaces that every cluster has", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      assert.strictEqual((yield* call("GET", "/readyz")).text, "ok")
      assert.include((yield* call("GET", "/readyz?verbose")).text, "readyz check passed")
      assert.strictEqual((yield* call("GET", "/version")).json["gitVersion"], "v1.36.3")
      assert.deepStrictEqual(namesOf((yield* call("GET", "/api/v1/namespaces")).json), [
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system"
      ])
    })
  )

  it.live("the certificate of one cluster does not verify another", () =>
    Effect.gen(function* () {
      const a = yield* EmbeddedServer.start({ name: "a", users: USERS })
      const b = yield* EmbeddedServer.start({ name: "b", users: USERS })
      const mixed = yield* connect({ server: b.server, caPem: a.caPem })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(mixed.call("GET", "/readyz"))))
      const right = yield* connect(b)
      assert.strictEqual((yield* right.call("GET", "/readyz")).status, 200)
    })
  )

  it.live(
    "killed, it cuts its connections and refuses new ones; restarted, it has its port, its data and its versions",
    () =>
      Effect.gen(function* () {
        const { call, server, watch } = yield* started()
        const made = yield* call("POST", MAPS, { body: configMap("kept") })
        const events = yield* watch(`${MAPS}?watch=1&resourceVersion=${revisionOf(made.json)}`)
        yield* server.kill
        assert.isTrue(Exit.isFailure(yield* Effect.exit(events.rest)))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(call("GET", "/readyz"))))
        assert.strictEqual((yield* server.counters).connectionsOpen, 0)
        yield* server.kill

        yield* server.restart
        const later = yield* connect(server)
        assert.deepStrictEqual((yield* later.call("GET", `${MAPS}/kept`)).json, made.json)
        yield* later.call("POST", MAPS, { body: configMap("after") })
        const resumed = yield* later.watch(`${MAPS}?watch=1&resourceVersion=${revisionOf(made.json)}`)
        assert.lengthOf(yield* resumed.take(1), 1)
      })
  )

  it.live("a running server restarts", () =>
    Effect.gen(function* () {
      const { call, server } = yield* started()
      yield* call("POST", MAPS, { body: configMap("kept") })
      yield* server.restart
      const later = yield* connect(server)
      assert.deepStrictEqual(namesOf((yield* later.call("GET", MAPS)).json), ["kept"])
    })
  )

  it.live("counts connections and requests on its own side", () =>
    Effect.gen(function* () {
      const { call, server, watch } = yield* started()
      yield* call("GET", MAPS)
      yield* call("GET", MAPS)
      yield* call("GET", "/version")
      yield* watch(`${MAPS}?watch=1`)
      yield* call("GET", "/apis/apps/v1/namespaces/default/deployments/x/scale")
      const { connectionsAccepted, requests } = yield* server.counters
      assert.strictEqual(connectionsAccepted, 2)
      assert.deepStrictEqual(Object.fromEntries(requests), {
        "list configmaps": 2,
        "get path": 1,
        "watch configmaps": 1,
        "get deployments/scale": 1
      })
    })
  )

  it.live("its log has requests and status codes, and never a token", () =>
    Effect.gen(function* () {
      const { call, server } = yield* started()
      yield* call("GET", `${MAPS}/nothing`)
      const logs = yield* server.logs
      assert.include(logs, `GET ${MAPS}/nothing 404`)
      assert.notInclude(logs, "admin-token")
    })
  )

  it.live("nothing listens once its scope has closed", () =>
    Effect.gen(function* () {
      const server = yield* Effect.scoped(EmbeddedServer.start({ name: "gone", users: USERS }))
      const client = yield* connect(server)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(client.call("GET", "/readyz"))))
    })
  )

  it.live("concurrent writes to one object and to several objects all succeed", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const names = Array.from({ length: 50 }, (_, index) => `c${index}`)
      const made = yield* Effect.forEach(names, (name) => call("POST", MAPS, { body: configMap(name) }), {
        concurrency: 10
      })
      assert.strictEqual(new Set(made.map(({ json }) => revisionOf(json))).size, 50)
      const bump = (value: string) =>
        call("PATCH", `${MAPS}/c0`, { body: { data: { [value]: value } }, type: "application/merge-patch+json" })
      yield* Effect.forEach(["a", "b", "c", "d"], bump, { concurrency: 4 })
      assert.deepStrictEqual((yield* call("GET", `${MAPS}/c0`)).json["data"], {
        key: "value",
        a: "a",
        b: "b",
        c: "c",
        d: "d"
      })
    })
  )
})
