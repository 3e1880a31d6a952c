import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { textAt } from "../../src/core/Json.ts"
import { type Answer, patching, pod, started } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const said = ({ json, status, text }: Answer) => [status, json["message"] ?? text]

describe("logs of pods", () => {
  it.effect("return the annotation's text, or its last lines", () =>
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

  it.effect("repeat the text as often as an annotation says", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const annotations = {
        "log.harness.quarterdeck.dev/main": "one\ntwo",
        "repeat.log.harness.quarterdeck.dev/main": "3"
      }
      yield* call("POST", PODS, {
        body: { ...pod("again", { nodeName: "n1" }), metadata: { name: "again", annotations } }
      })
      for (const [query, lines] of [
        ["", "one\ntwo\none\ntwo\none\ntwo\n"],
        ["?tailLines=3", "two\none\ntwo\n"],
        ["?tailLines=4", "one\ntwo\none\ntwo\n"],
        ["?tailLines=100", "one\ntwo\none\ntwo\none\ntwo\n"],
        ["?tailLines=0", ""]
      ] as const) {
        assert.deepStrictEqual(said(yield* call("GET", `${PODS}/again/log${query}`)), [200, lines], query)
      }
    })
  )

  it.effect("stream appended text when followed, and end with the pod", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const line = (count: number) => `{"line":${count}}\n`
      const logOf = (log: string) => ({ metadata: { annotations: { "log.harness.quarterdeck.dev/main": log } } })
      const body = pod("goes-on", { nodeName: "n1" })
      yield* call("POST", PODS, { body: { ...body, metadata: { name: "goes-on", ...logOf(line(1)).metadata } } })
      const followed = yield* watch(`${PODS}/goes-on/log?follow=true`)
      assert.deepStrictEqual(yield* followed.next, { line: 1 })
      for (const log of [line(1) + line(2), line(1) + line(2) + line(3), line(4)]) {
        yield* call("PATCH", `${PODS}/goes-on`, patching(logOf(log)))
      }
      yield* call("DELETE", `${PODS}/goes-on?gracePeriodSeconds=0`)
      assert.deepStrictEqual(yield* followed.rest, [{ line: 2 }, { line: 3 }, { line: 4 }])
      assert.strictEqual((yield* call("GET", `${PODS}/goes-on/log?follow=true`)).status, 404)
    })
  )

  it.effect("without the annotation, answer like a server whose kubelet is unreachable", () =>
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
        assert.include(textAt(json, "message"), "container must be one of the containers of pod waits: a, b")
      }
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/waits/log?container=a`)), [204, ""])
      assert.strictEqual((yield* call("GET", `${PODS}/bound/log`)).status, 500)
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/lost/log`)), [404, 'pods "gone" not found'])
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/nobody/log`)), [404, 'pods "nobody" not found'])
      assert.strictEqual((yield* call("GET", `${PODS}/bound/log?tailLines=-1`)).status, 422)
    })
  )

  it.live("without the annotation, are what the option returns, with times and ages as asked", () =>
    Effect.gen(function* () {
      const nowMs = Date.UTC(2026, 0, 1, 12)
      const timed = ["11:58:00", "11:59:58"].map((time) => `2026-01-01T${time}.000Z {"at":"${time}"}\n`)
      let written = timed.join("")
      const { call, watch } = yield* started({
        nowMs: () => nowMs,
        podLog: (of) => (textAt(of, "metadata", "name") === "talks" ? written : undefined)
      })
      for (const name of ["talks", "waits"]) yield* call("POST", PODS, { body: pod(name, { nodeName: "n1" }) })
      const { json } = yield* call("GET", `${PODS}/talks`)
      assert.strictEqual(textAt(json, "metadata", "creationTimestamp"), "2026-01-01T12:00:00Z")
      for (const [query, log] of [
        ["", '{"at":"11:58:00"}\n{"at":"11:59:58"}\n'],
        ["?timestamps=true&tailLines=1", timed[1]],
        ["?sinceSeconds=60", '{"at":"11:59:58"}\n'],
        ["?sinceTime=2026-01-01T12:00:00Z", ""]
      ] as const) {
        const { status, text } = yield* call("GET", `${PODS}/talks/log${query}`)
        assert.deepStrictEqual([status, text], [200, log], query)
      }
      assert.deepStrictEqual(said(yield* call("GET", `${PODS}/waits/log`)), [
        400,
        'container "main" in pod "waits" is waiting to start: ContainerCreating'
      ])

      const followed = yield* watch(`${PODS}/talks/log?follow=true&tailLines=1`)
      assert.deepStrictEqual(yield* followed.next, { at: "11:59:58" })
      // The first line is dropped, as when a log is rotated.
      written = `${timed[1]}2026-01-01T12:00:00.000Z {"at":"12:00:00"}\n`
      assert.deepStrictEqual(yield* followed.next, { at: "12:00:00" })
      yield* call("DELETE", `${PODS}/talks?gracePeriodSeconds=0`)
      assert.deepStrictEqual(yield* followed.rest, [])
    })
  )
})
