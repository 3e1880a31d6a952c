import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Pool } from "undici"
import { parse } from "yaml"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import * as Proxy from "../../src/fleet/Proxy.ts"

const CONNECTIONS = 3

/** A proxied cluster, and a client with a bounded pool that goes through the proxy. */
const proxied = Effect.gen(function* () {
  const { parent } = yield* Fleet
  const proxy = yield* Proxy.through(parent)
  const token = Redacted.value(yield* parent.token("admin"))
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool(proxy.server, { connections: CONNECTIONS, connect: { ca: parent.caPem } })),
    (opened) => Effect.promise(() => opened.destroy())
  )
  const ask = Effect.tryPromise(async (signal) => {
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: "/version",
      signal,
      headers: { authorization: `Bearer ${token}` }
    })
    await body.dump()
    return statusCode
  })
  return { proxy, ask }
})

layer(Fleet.layer({ driver: Embedded.driver, parent: "hub", users: [{ name: "viewer" }] }))("a proxy", (it) => {
  it.effect("passes calls on, with the cluster's own certificate, and counts connections, not calls", () =>
    Effect.gen(function* () {
      const { proxy, ask } = yield* proxied
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => ask),
        { concurrency: "unbounded" }
      )
      assert.isTrue(answers.every((status) => status === 200))
      assert.strictEqual(yield* proxy.accepted, CONNECTIONS)
      assert.strictEqual(yield* proxy.open, CONNECTIONS)
    })
  )

  it.effect("cuts what is open, and takes new connections after", () =>
    Effect.gen(function* () {
      const { proxy, ask } = yield* proxied
      yield* ask
      yield* proxy.cut
      yield* eventually("nothing is open", proxy.open, (open) => open === 0)
      assert.strictEqual(yield* eventually("it answers again", ask, () => true), 200)
      assert.strictEqual(yield* proxy.accepted, 2)
    })
  )

  it.effect("stalled, it accepts and answers nothing; resumed, what waited goes through", () =>
    Effect.gen(function* () {
      const { proxy, ask } = yield* proxied
      yield* ask
      yield* proxy.stall
      const old = yield* Effect.forkChild(ask, { startImmediately: true })
      const fresh = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* eventually("the second call has a connection", proxy.accepted, (accepted) => accepted >= 2)
      assert.isUndefined(old.pollUnsafe())
      assert.isUndefined(fresh.pollUnsafe())
      yield* proxy.resume
      assert.deepStrictEqual([yield* Fiber.join(old), yield* Fiber.join(fresh)], [200, 200])
    })
  )

  it.effect("resets clients whose cluster is gone", () =>
    Effect.gen(function* () {
      const { proxy, ask } = yield* proxied
      const { parent } = yield* Fleet
      yield* parent.kill
      assert.strictEqual((yield* Effect.exit(ask))._tag, "Failure")
      yield* eventually("nothing is open", proxy.open, (open) => open === 0)
      yield* parent.restart
      assert.strictEqual(yield* ask, 200)
    })
  )

  it.effect("gives kubeconfigs that lead through it", () =>
    Effect.gen(function* () {
      const { parent } = yield* Fleet
      const proxy = yield* Proxy.through(parent)
      assert.include(proxy.kubeconfig, proxy.server)
      assert.notInclude(proxy.kubeconfig, parent.server)
      const viewer: unknown = parse(yield* proxy.kubeconfigFor("viewer"))
      assert.deepInclude(viewer, { contexts: [{ name: "hub", context: { cluster: "hub", user: "viewer@hub" } }] })
    })
  )

  it.effect("is gone with its scope", () =>
    Effect.gen(function* () {
      const { parent } = yield* Fleet
      const server = yield* Effect.scoped(Effect.map(Proxy.through(parent), (proxy) => proxy.server))
      const answer = yield* Effect.promise(() =>
        fetch(server).then(
          () => "answered",
          () => "refused"
        )
      )
      assert.strictEqual(answer, "refused")
    })
  )
})
