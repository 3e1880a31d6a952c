import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { textAt } from "../../src/core/Json.ts"
import { type Answer, pod, started } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const said = ({ json, status, text }: Answer) => [status, json["message"] ?? text]

describe("logs of pods", () => {
  it.effect("are what the annotation says, from the end as far as asked", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const annotations = { "log.harness.quarterdeck.dev/main": "one\ntwo\nthree" }
      yield* call("POST", PODS, {
        body: { ...pod("talks", { nodeName: "n1" }), metadata: { name: "talks", annotations } }
      })
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/talks/log`)), [200, "one\ntwo\nthree\n"])
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/talks/log?tailLines=2`)), [200, "two\nthree\n"])
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/talks/log?tailLines=0`)), [200, ""])
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/talks/log?limitBytes=5`)), [200, "one\nt"])
    })
  )

  it.effect("without it are what a server says whose kubelet does not answer", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const addresses = [{ type: "InternalIP", address: "10.1.2.3" }]
      yield* call("POST", "/api/v1/nodes", { body: { metadata: { name: "n1" }, status: { addresses } } })
      const two = [
        { name: "a", image: "i" },
        { name: "b", image: "i" }
      ]
      yield* call("POST", PODS, { body: pod("waits", { containers: two }) })
      yield* call("POST", PODS, { body: pod("bound", { nodeName: "n1" }) })
      yield* call("POST", PODS, { body: pod("lost", { nodeName: "gone" }) })
      for (const query of ["", "?container=z"]) {
        const { json, status } = yield* call("GET", `${PODS}/waits/log${query}`)
        assert.strictEqual(status, 400)
        assert.include(textAt(json, "message"), "one of pod waits: a, b")
      }
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/waits/log?container=a`)), [204, ""])
      assert.strictEqual((yield* call("GET", `${PODS}/bound/log`)).status, 500)
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/lost/log`)), [404, 'pods "gone" not found'])
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/nobody/log`)), [404, 'pods "nobody" not found'])
      assert.strictEqual((yield* call("GET", `${PODS}/bound/log?tailLines=-1`)).status, 422)
    })
  )
})
