import { assert, describe, it } from "@effect/vitest"
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node"
import { Effect, Option, Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import { get } from "node:https"
import type { Fault as AnyFault } from "../../src/faults/Fault.ts"
import * as Fault from "../../src/faults/Fault.ts"
import * as Kubeconfig from "../../src/client/Kubeconfig.ts"
import {
  ADMIN,
  type AskOptions,
  client,
  codeOf,
  CONFIG_MAPS,
  createConfigMap,
  faulty,
  isJson,
  outcome,
  PODS
} from "./Fixture.ts"

/** Asks while a fault is active and once it has healed. */
const during = (fault: AnyFault, path: string, options: AskOptions = {}) =>
  Effect.gen(function* () {
    const { faults } = yield* faulty()
    const through = yield* client(faults)
    const ask = Effect.promise(() => through.ask(path, options))
    const answer = yield* Effect.scoped(Effect.andThen(faults.inject(fault), ask))
    assert.strictEqual((yield* ask).status, 200)
    return answer
  }).pipe(Effect.scoped)

describe("refused requests", () => {
  it.live("401 as for a token that nobody knows", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* during(Fault.unauthorized(), PODS)
      assert.strictEqual(status, 401)
      assert.strictEqual(headers["content-type"], "application/json")
      assert.deepStrictEqual(JSON.parse(text), {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401
      })
    })
  )

  it.live("403 in the server's words, with the name of the token's user", () =>
    Effect.gen(function* () {
      const refused = yield* during(Fault.forbidden({ match: { resources: ["pods"] } }), PODS)
      assert.strictEqual(refused.status, 403)
      assert.include(
        refused.text,
        JSON.stringify(
          'pods is forbidden: User "admin" cannot list resource "pods" in API group "" in the namespace "default"'
        )
      )
      const named = yield* during(Fault.forbidden({ user: "alice" }), "/version", { token: "" })
      assert.include(named.text, JSON.stringify('forbidden: User "alice" cannot get path "/version"'))
    })
  )

  it.live("429 with the time to wait", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* during(Fault.tooManyRequests({ retryAfterSeconds: 7 }), PODS)
      assert.deepStrictEqual([status, headers["retry-after"]], [429, "7"])
      assert.strictEqual(text, "Too many requests, please try again later.\n")
    })
  )

  for (const [status, reason] of [
    [500, "InternalError"],
    [503, "ServiceUnavailable"],
    [504, "Timeout"]
  ] as const) {
    it.live(`${status} with the reason ${reason}`, () =>
      Effect.gen(function* () {
        const answer = yield* during(Fault.serverError({ status }), PODS)
        assert.strictEqual(answer.status, status)
        assert.include(answer.text, `"reason":"${reason}"`)
      })
    )
  }

  it.live("502 as a load balancer answers", () =>
    Effect.gen(function* () {
      const answer = yield* during(Fault.serverError({ status: 502 }), PODS)
      assert.deepStrictEqual([answer.status, answer.text], [502, "Bad Gateway\n"])
    })
  )

  it.live("whatever the test says, as of something else in the cluster's place", () =>
    Effect.gen(function* () {
      const page = { status: 302, headers: { location: "/login", "content-type": "text/html" }, body: "<p>Sign in" }
      const { headers, status, text } = yield* during(Fault.fixedReply(page), PODS)
      assert.deepStrictEqual([status, headers["location"], headers["content-type"]], [302, "/login", "text/html"])
      assert.strictEqual(text, "<p>Sign in")
      const plain = yield* during(Fault.fixedReply({ match: { path: "/version" } }), "/version")
      assert.deepStrictEqual([plain.status, plain.headers["content-type"], plain.text], [200, "application/json", "{}"])
    })
  )

  it.live("by a reset, before the cluster has seen them", () =>
    Effect.gen(function* () {
      const { cluster, faults } = yield* faulty()
      const through = yield* client(faults)
      assert.strictEqual((yield* createConfigMap(through, "a")).status, 201)
      yield* faults.inject(Fault.resetReply({ match: { verbs: ["create"], next: 1 } }))
      const create = outcome(() => through.ask(CONFIG_MAPS, { method: "POST", body: `{"metadata":{"name":"b"}}` }))
      assert.strictEqual(yield* create, "ECONNRESET")
      assert.strictEqual((yield* cluster.counters).requests.get("create configmaps"), 1)
      assert.strictEqual((yield* faults.counters).met.get("ResetReply"), 1)
      assert.strictEqual(yield* create, 201)
    }).pipe(Effect.scoped)
  )

  it.live("also while they still send a body, on a connection that goes on", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults, 1)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.serverError())
          assert.strictEqual((yield* createConfigMap(through, "large", 900_000)).status, 500)
        })
      )
      assert.strictEqual((yield* createConfigMap(through, "large", 900_000)).status, 201)
      assert.strictEqual((yield* faults.counters).connectionsAccepted, 1)
    }).pipe(Effect.scoped)
  )

  it.live("only those that the matcher selects, in number too", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* faults.inject(Fault.unauthorized({ match: { verbs: ["list"], resources: ["pods"], next: 2 } }))
      yield* faults.inject(Fault.serverError({ match: { userAgent: "probe/" } }))
      const statuses = [
        yield* outcome(() => through.ask(CONFIG_MAPS)),
        yield* outcome(() => through.ask(PODS)),
        yield* outcome(() => through.ask(PODS)),
        yield* outcome(() => through.ask(PODS)),
        yield* outcome(() => through.ask(PODS, { headers: { "user-agent": "probe/1" } }))
      ]
      assert.deepStrictEqual(statuses, [200, 401, 401, 200, 500])
    }).pipe(Effect.scoped)
  )
})

describe("altered replies", () => {
  it.live("truncated: the body breaks off, and clients can tell", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* createConfigMap(through, "a", 200_000)
      for (const afterBytes of [0, 10, 150_000, 10_000_000]) {
        const failed = yield* Effect.scoped(
          Effect.andThen(
            faults.inject(Fault.truncatedReply({ afterBytes })),
            outcome(() => through.ask(CONFIG_MAPS))
          )
        )
        assert.include(["other side closed", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "ECONNRESET"], failed)
      }
      assert.strictEqual(yield* outcome(() => through.ask(CONFIG_MAPS)), 200)
    }).pipe(Effect.scoped)
  )

  it.live("truncated: so does the body that answers one, at once", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* faults.inject(Fault.truncatedReply())
      const failed = yield* outcome(() =>
        through.ask(CONFIG_MAPS, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } })
        })
      ).pipe(Effect.timeoutOption("5 seconds"))
      assert.strictEqual(Option.getOrUndefined(failed), "other side closed")
    }).pipe(Effect.scoped)
  )

  it.live("malformed: HTTP is well, JSON is not", () =>
    Effect.gen(function* () {
      const malformed = yield* during(Fault.malformedJson(), PODS, { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(malformed.status, 200)
      assert.isFalse(isJson(malformed.text))
      assert.isTrue(isJson(`${malformed.text.trimEnd()}}`))
      const text = yield* during(Fault.malformedJson(), "/readyz")
      assert.strictEqual(text.text, "ok")
    })
  )

  it.live("slow: the headers come at once and the body later, or when it heals", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const response = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.slowReply({ bodyAfterMs: 3_600_000 }))
          const response = yield* Effect.promise(() => opened(faults))
          assert.deepStrictEqual([response.statusCode, response.complete, response.readableLength], [200, false, 0])
          return response
        })
      )
      const text = yield* Effect.promise(() => textOf(response))
      assert.include(text, "PodList")
    }).pipe(Effect.scoped)
  )

  it.live("slow by a moment: all of the body comes", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* createConfigMap(through, "a", 300_000)
      yield* faults.inject(Fault.slowReply({ bodyAfterMs: 30 }))
      const { text } = yield* Effect.promise(() => through.ask(CONFIG_MAPS))
      assert.isAbove(text.length, 300_000)
      assert.isTrue(isJson(text))
    }).pipe(Effect.scoped)
  )
})

describe("the Kubernetes client of Node", () => {
  it.live("lists through the proxy, meets a fault, and lists again", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const config = new KubeConfig()
      const context = { name: "eu", server: faults.server, caPem: faults.caPem, user: "admin" }
      config.loadFromString(Kubeconfig.print([{ ...context, token: Redacted.make(ADMIN) }]))
      const pods = config.makeApiClient(CoreV1Api)
      const list = Effect.promise(() =>
        pods.listNamespacedPod({ namespace: "default" }).then(({ items }) => items.length, codeOf)
      )
      assert.strictEqual(yield* list, 0)
      const refused = yield* Effect.scoped(Effect.andThen(faults.inject(Fault.forbidden()), list))
      assert.include(String(refused), "HTTP-Code: 403")
      assert.strictEqual(yield* list, 0)
    }).pipe(Effect.scoped)
  )
})

const opened = (place: { readonly server: string; readonly caPem: string }): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const options = { ca: place.caPem, headers: { authorization: `Bearer ${ADMIN}` } }
    get(`${place.server}${PODS}`, options, resolve).once("error", reject)
  })

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk)
  return text
}
