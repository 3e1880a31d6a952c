import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const LISTS = [
  "/api/v1/clusters",
  "/api/v1/workloads?limit=3",
  "/api/v1/namespaces",
  "/api/v1/workloads?name=none",
  "/api/v1/pods?limit=3"
]
const everywhere: Call = { headers: to("*") }

const holding = (etag: string, call: Call = everywhere): Call => ({
  ...call,
  headers: [...(call.headers ?? []), ["If-None-Match", etag]]
})

const tagOf = Effect.fnUntraced(function* (path: string, call: Call = everywhere) {
  const { headers, status, text } = yield* (yield* Deployment).call(path, call)
  assert.strictEqual(status, 200, text)
  const { etag } = headers
  assert.isDefined(etag)
  return { etag, text }
})

onOneDriver("tags of lists", { children: ["prod"] }, (it) => {
  it.effect.each(LISTS)("304 without a body for who has %s already, whatever its ages", (path) =>
    Effect.gen(function* () {
      const { call } = yield* Deployment
      // A tag is of one moment, and so is what is asked with it: a cluster may tell something in between.
      const { etag, reply } = yield* eventually(
        "nothing happens between two requests",
        Effect.gen(function* () {
          const { etag } = yield* tagOf(path)
          return { etag, reply: yield* call(path, holding(etag)) }
        }),
        ({ reply }) => reply.status === 304,
        { within: "20 seconds" }
      )
      assert.match(etag, /^W\/"[A-Za-z0-9_-]{22}"$/)
      assert.strictEqual(reply.text, "")
      assert.strictEqual(reply.headers.etag, etag)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.isUndefined(reply.headers["content-type"])

      for (const known of ["*", `"other", ${etag}`, etag.slice(2)]) {
        assert.strictEqual((yield* call(path, holding(known))).status, 304, known)
      }
      for (const unknown of ['W/"other"', "", etag.slice(3)]) {
        assert.strictEqual((yield* call(path, holding(unknown))).status, 200, unknown)
      }
    })
  )

  it.effect.each<[string, Call]>([
    ["another key", { headers: to("*"), key: "operator" }],
    ["another target of the same clusters", { headers: to("hub|prod") }]
  ])("a page's tag names its cursor: %s gets the page whole", ([, other]) =>
    Effect.gen(function* () {
      const { call } = yield* Deployment
      const path = "/api/v1/namespaces?limit=1"
      const { again, foreign } = yield* eventually(
        "nothing happens between three requests",
        Effect.gen(function* () {
          const { etag } = yield* tagOf(path)
          const foreign = yield* call(path, holding(etag, other))
          return { foreign, again: yield* call(path, holding(etag)) }
        }),
        ({ again }) => again.status === 304,
        { within: "20 seconds" }
      )
      assert.strictEqual(again.text, "")
      assert.strictEqual(foreign.status, 200)
      assert.include(foreign.text, '"nextCursor"')
    })
  )

  it.effect("ages go on and the tag stays; a change of one row is another tag", () =>
    Effect.gen(function* () {
      const { call, fleet } = yield* Deployment
      const path = "/api/v1/workloads?name=tagged"
      const prod = yield* fleet.cluster("prod")
      yield* prod.api.create(deploymentNamed("tagged-one"))
      const listed = (rows: number) =>
        eventually(
          `${rows} rows are listed`,
          tagOf(path, { headers: to("prod") }),
          ({ text }) => text.split('"kind":"Deployment"').length - 1 === rows,
          { within: "20 seconds" }
        )
      const one = yield* listed(1)
      yield* eventually(
        "the same rows are older",
        tagOf(path, { headers: to("prod") }),
        ({ etag, text }) => etag === one.etag && text !== one.text,
        { within: "20 seconds" }
      )
      yield* prod.api.create(deploymentNamed("tagged-two"))
      const two = yield* listed(2)
      assert.notStrictEqual(two.etag, one.etag)
      const changed = yield* call(path, holding(one.etag, { headers: to("prod") }))
      assert.strictEqual(changed.status, 200)
    })
  )

  it.effect("a tag lets nobody in: a wrong key, a foreign namespace and a bad parameter are refused as ever", () =>
    Effect.gen(function* () {
      const { call } = yield* Deployment
      const any = holding("*")
      assert.strictEqual((yield* call("/api/v1/workloads", { ...any, bearer: "nobody" })).status, 401)
      assert.strictEqual(
        (yield* call("/api/v1/workloads?namespace=kube-system", { ...any, key: "shopViewer" })).status,
        403
      )
      assert.strictEqual((yield* call("/api/v1/workloads?limit=0", any)).status, 400)
      assert.strictEqual((yield* call("/api/v1/whoami", any)).status, 200)
    })
  )
})
