import { NodeServices } from "@effect/platform-node"
import { assert, describe } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect, FileSystem, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Listener from "../../src/Listener.ts"
import { Quarterdeck } from "../../src/Quarterdeck.ts"
import { Deployment, send } from "./Deployment.ts"
import { hits, ordinary, suite, WITHIN, withId } from "./HotSuite.ts"

const decodeEvents = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      events: Schema.Array(
        Schema.Struct({
          actor: Schema.Record(Schema.String, Schema.Unknown),
          count: Schema.optionalKey(Schema.Number),
          route: Schema.String,
          resource: Schema.String,
          verb: Schema.String,
          via: Schema.String,
          decision: Schema.String,
          status: Schema.Number,
          address: Schema.String,
          target: Schema.Unknown
        })
      )
    })
  )
)

describe("the limit of a key on the hot way", () => {
  const { clock, it: registered } = suite({
    children: ["prod"],
    options: { limits: { keyPerSecond: 1, keyBurst: 6, failedPerSecond: 0 } }
  })
  registered((it) => {
    it.effect("counts in limits, and tells what is left, as the ordinary way does", () =>
      Effect.gen(function* () {
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const asked = (ask: typeof askOrdinary, key: "viewer" | "operator") =>
          Effect.forEach(Array.from({ length: 8 }), () =>
            Effect.map(ask("/api/v1/clusters", withId({ key })), ({ headers, status }) => [
              status,
              headers["ratelimit-policy"],
              headers["ratelimit"],
              headers["retry-after"]
            ])
          )
        const before = yield* hits
        const hot = yield* asked(askHot, "viewer")
        assert.isAbove((yield* hits) - before, 0)
        assert.deepStrictEqual(hot, yield* asked(askOrdinary, "operator"))
        assert.deepStrictEqual(
          hot.map(([status]) => status),
          [200, 200, 200, 200, 200, 200, 429, 429]
        )
      }).pipe(clock.whileStopped)
    )
  })
})

describe("what is told of the hot way", () => {
  const { clock, it: registered } = suite({ children: ["prod"], options: { audit: { reads: "all" } } })
  registered((it) => {
    it.effect("leaves the same in audit and metrics as the ordinary way does", () =>
      Effect.gen(function* () {
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const served = Effect.map(askHot("/metrics", { key: "admin" }), ({ text }) =>
          text
            .split("\n")
            .filter((line) => line.includes('route="/api/v1/namespaces"') && line.includes("_total"))
            .map((line) => Number(line.split(" ").at(-1)))
            .reduce((sum, count) => sum + count, 0)
        )
        const start = yield* served
        const before = yield* hits
        for (let time = 0; time < 4; time++) {
          assert.strictEqual((yield* askHot("/api/v1/namespaces", withId({ key: "shopViewer" }))).status, 200)
          assert.strictEqual((yield* askOrdinary("/api/v1/namespaces", withId({ key: "shopAdmin" }))).status, 200)
        }
        assert.isAbove((yield* hits) - before, 0)
        assert.strictEqual((yield* served) - start, 8)

        // Reads of a minute are one event, written when it is over.
        clock.advance(61_000)
        const events = yield* eventually(
          "the reads are in the audit",
          Effect.flatMap(askHot("/api/v1/audit?resource=namespaces", { key: "admin" }), ({ text }) =>
            decodeEvents(text)
          ),
          ({ events: found }) => found.length === 2,
          WITHIN
        )
        const [one, other] = events.events.map(({ actor, ...event }) => {
          assert.include(["shopViewer", "shopAdmin"], actor["name"])
          return event
        })
        assert.deepStrictEqual(one, other)
        assert.deepInclude(one, { count: 4, route: "/api/v1/namespaces", verb: "read", status: 200, decision: "allow" })
      }).pipe(clock.whileStopped)
    )

    it.effect("a hit is the last use of its key", () =>
      Effect.gen(function* () {
        const { kubeconfigFile } = yield* Deployment
        const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
        const dataDirectory = join(directory, "data")
        const bootstrapFile = join(directory, "first-key")
        let usedAt = 0
        const running = Effect.gen(function* () {
          const { nodeHandler } = yield* Quarterdeck
          const { url } = yield* Listener.listen(nodeHandler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
          const bearer = readFileSync(bootstrapFile, "utf8").trim()
          yield* eventually(
            "its list is answered by the hot way",
            Effect.gen(function* () {
              const before = yield* hits
              yield* send(`${url}/api/v1/clusters`, withId({ bearer }))
              clock.advance(10)
              const { status } = yield* send(`${url}/api/v1/clusters`, withId({ bearer }))
              assert.strictEqual(status, 200)
              usedAt = clock.now()
              return (yield* hits) > before
            }),
            (isHit) => isHit,
            WITHIN
          )
        }).pipe(Effect.scoped, clock.whileStopped)
        const service = Quarterdeck.layer({
          clusters: { kubeconfig: [kubeconfigFile] },
          keys: { bootstrapFile },
          dataDirectory
        })
        yield* running.pipe(Effect.provide(service), Effect.provide(clock.services))
        const file = new DatabaseSync(join(dataDirectory, "keys.sqlite"), { readOnly: true })
        const rows = file.prepare("SELECT last_used_at_ms AS at FROM keys").all()
        file.close()
        assert.deepStrictEqual(
          rows.map((row) => row["at"]),
          [usedAt]
        )
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  })
})
