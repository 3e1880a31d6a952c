/** A fleet controlled from outside; the same process stands for the other one. */
import { assert, describe, it } from "@effect/vitest"
import { get } from "node:https"
import { Effect, Redacted } from "effect"
import { encodeCall } from "../../src/fleet/ControlProtocol.ts"
import * as ControlClient from "../../src/fleet/ControlClient.ts"
import * as ControlServer from "../../src/fleet/ControlServer.ts"
import * as FleetConnection from "../../src/fleet/FleetConnection.ts"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import type { FleetCluster } from "../../src/fleet/FleetCluster.ts"

const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "later", namespace: "default" } }
const CONFIG_MAPS = { apiVersion: "v1", kind: "ConfigMap", namespace: "default" }

const controlled = Effect.gen(function* () {
  const { addresses, driver } = FleetConnection.recordAddresses(Embedded.driver)
  const users = [{ name: "viewer" }]
  const fleet = yield* Fleet.make({ driver, parent: "hub", children: ["eu"], users, faults: true })
  const control = yield* ControlServer.start(fleet)
  const handle = yield* FleetConnection.of(fleet, { control, addresses, users: ["viewer"] })
  return { control, fleet, handle, remote: yield* ControlClient.connect(handle) }
})

/** The status that a client gets who comes as the kubeconfig says. */
const statusFor = ({ caPem, server }: FleetCluster): Effect.Effect<number | undefined> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        get(`${server}/readyz`, { ca: caPem, agent: false }, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).once("error", reject)
      })
  )

const post = (url: string, headers: Record<string, string>, body: string, method = "POST") =>
  Effect.promise(async () => (await fetch(url, { method, headers, ...(method === "GET" ? {} : { body }) })).status)

describe("a controlled fleet", () => {
  it.effect("is entered by the same kubeconfigs and tokens", () =>
    Effect.gen(function* () {
      const { fleet, remote } = yield* controlled
      assert.strictEqual(remote.kubeconfig, fleet.kubeconfig)
      assert.strictEqual(yield* remote.kubeconfigFor("viewer"), yield* fleet.kubeconfigFor("viewer"))
      assert.include((yield* Effect.flip(remote.kubeconfigFor("nobody"))).message, "no user is named nobody")
      assert.include((yield* Effect.flip(remote.cluster("uk"))).message, "no cluster is named uk")
    })
  )

  it.effect("is killed, restarted, emptied and reset from outside", () =>
    Effect.gen(function* () {
      const { fleet, remote } = yield* controlled
      const eu = yield* remote.cluster("eu")
      const names = Effect.map(eu.api.list(CONFIG_MAPS), ({ items }) => items.map(({ metadata }) => metadata.name))
      yield* eu.kill
      assert.isTrue((yield* Effect.result((yield* fleet.cluster("eu")).api.list(CONFIG_MAPS)))._tag === "Failure")
      yield* eu.restart
      yield* eu.checkpoint
      yield* eu.api.create(CONFIG_MAP)
      yield* remote.reset
      assert.notInclude(yield* names, "later")
      yield* eu.api.create(CONFIG_MAP)
      yield* eu.restartEmpty
      assert.notInclude(yield* names, "later")
      assert.include(yield* eu.logs, "/api/v1/namespaces/default/configmaps")
    })
  )

  it.effect("fails with the error that it would fail with in its own process", () =>
    Effect.gen(function* () {
      const { fleet, remote } = yield* controlled
      const local = yield* Effect.flip(fleet.save("/proc/nowhere"))
      const far = yield* Effect.flip(remote.save("/proc/nowhere"))
      assert.deepStrictEqual([far._tag, far.reason._tag, far.message], [local._tag, local.reason._tag, local.message])
      const eu = yield* remote.cluster("eu")
      const wrong = { _tag: "Latency", ms: -1 } as const
      const refused = yield* Effect.flip(Effect.scoped(eu.inject(wrong)))
      assert.strictEqual(refused.reason._tag, "InvalidFault")
    })
  )

  it.effect("has faults that are gone when their scope is, and which its own client does not meet", () =>
    Effect.gen(function* () {
      const { remote } = yield* controlled
      const eu = yield* remote.cluster("eu")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* eu.inject(Fault.unauthorized())
          assert.strictEqual(yield* statusFor(eu), 401)
          yield* eu.api.list(CONFIG_MAPS)
        })
      )
      assert.strictEqual(yield* statusFor(eu), 200)
    })
  )

  it.effect("heals a fault whose holder has died", () =>
    Effect.gen(function* () {
      const { handle, remote } = yield* controlled
      const eu = yield* remote.cluster("eu")
      const body = yield* encodeCall({ _tag: "Hold", id: "lost", cluster: "eu", fault: Fault.unauthorized() })
      const life = new AbortController()
      const headers = { authorization: `Bearer ${handle.token}` }
      const response = yield* Effect.promise(() =>
        fetch(handle.url, { method: "POST", signal: life.signal, headers, body })
      )
      yield* Effect.promise(async () => response.body?.getReader().read())
      assert.strictEqual(yield* statusFor(eu), 401)
      life.abort()
      yield* eventually("the fault has healed", statusFor(eu), (status) => status === 200)
    })
  )

  it.effect("obeys nobody without its token, and says nothing to them", () =>
    Effect.gen(function* () {
      const { control, handle, remote } = yield* controlled
      const body = yield* encodeCall({ _tag: "Act", cluster: "hub", action: "kill" })
      const token = Redacted.value(control.token)
      for (const authorization of ["", "Bearer ", `Bearer ${token}x`, token, `bearer ${token}`]) {
        assert.strictEqual(yield* post(handle.url, { authorization }, body), 401, authorization)
      }
      yield* remote.parent.api.list(CONFIG_MAPS)
    })
  )

  it.effect("refuses what is no call", () =>
    Effect.gen(function* () {
      const { handle } = yield* controlled
      const headers = { authorization: `Bearer ${handle.token}` }
      assert.strictEqual(yield* post(handle.url, headers, "", "GET"), 405)
      for (const body of ["", "{", "{}", '{"_tag":"Act","cluster":"hub","action":"explode"}']) {
        assert.strictEqual(yield* post(handle.url, headers, body), 400, body)
      }
      assert.strictEqual(yield* post(handle.url, headers, "x".repeat(2 * 1024 * 1024)), 413)
    })
  )
})
