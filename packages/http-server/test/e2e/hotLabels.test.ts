import { assert, describe } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect, Metric } from "effect"
import * as HitRecorder from "../../src/http/hot/HitRecorder.ts"
import { type Call, Deployment, to } from "./Deployment.ts"
import { bytesOf, hits, ordinary, suite, WITHIN, withId } from "./HotSuite.ts"
import { deploymentNamed } from "./manifests.ts"

/** Pages that were made in one step in this process. */
const made = Effect.map(Metric.value(HitRecorder.pages), ({ count }) => count)

const asked: Call = withId({ key: "teamViewer", headers: to("*") })

const PATHS = [
  ...["name", "createdAt", "cpuRequestMillis"].flatMap((sort) =>
    ["asc", "desc"].map((order) => `/api/v1/workloads?limit=2&sort=${sort}&order=${order}`)
  ),
  "/api/v1/workloads?name=a&limit=3",
  "/api/v1/workloads?kind=Deployment",
  "/api/v1/workloads?namespace=shop",
  "/api/v1/pods?limit=2",
  "/api/v1/pods?limit=3&order=desc&name=a"
]

describe("pages of keys that select namespaces by label", () => {
  const { clock, it: registered } = suite({ children: ["prod"] })
  registered((it) => {
    it.effect(
      "are made in one step, and have the bytes of the normal path",
      () =>
        Effect.gen(function* () {
          const { call: askHot } = yield* Deployment
          const askOrdinary = yield* ordinary
          for (const list of ["/api/v1/workloads", "/api/v1/pods"])
            assert.strictEqual((yield* askHot(list, asked)).status, 200)
          for (const path of PATHS) {
            yield* eventually(
              `${path} is made, and answered alike`,
              Effect.gen(function* () {
                const before = yield* made
                const hot = yield* askHot(path, asked)
                const wasMade = (yield* made) > before
                return { wasMade, isSame: bytesOf(hot) === bytesOf(yield* askOrdinary(path, asked)) }
              }).pipe(Effect.tap(() => Effect.sync(() => clock.advance(21)))),
              ({ isSame, wasMade }) => isSame && wasMade,
              WITHIN
            )
          }
        }).pipe(clock.whileStopped),
      60_000
    )

    it.effect("a namespace that loses its label is out of sight at once, also for replies that are sent again", () =>
      Effect.gen(function* () {
        const { call, fleet } = yield* Deployment
        const prod = yield* fleet.cluster("prod")
        const labelled = (labels: Readonly<Record<string, string>>) => ({
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "moving", labels }
        })
        yield* prod.api.create(labelled({ team: "storefront" }))
        const { metadata, ...rest } = deploymentNamed("moves")
        yield* prod.api.create({ ...rest, metadata: { ...metadata, namespace: "moving" } })
        const path = "/api/v1/workloads?name=moves"
        const isSeen = Effect.map(call(path, asked), ({ text }) => text.includes('"moves"'))
        yield* eventually("the row is in sight", isSeen, (seen) => seen, WITHIN)
        yield* eventually(
          "the reply is made in one step, and sent again",
          Effect.gen(function* () {
            clock.advance(21)
            const before = { made: yield* made, hits: yield* hits }
            yield* Effect.all([isSeen, isSeen, isSeen])
            return (yield* made) > before.made && (yield* hits) > before.hits
          }),
          (isHot) => isHot,
          WITHIN
        )
        yield* prod.api.patch(
          { apiVersion: "v1", kind: "Namespace", name: "moving" },
          { metadata: { labels: { team: null } } }
        )
        yield* eventually("the row is out of sight", isSeen, (seen) => !seen, WITHIN)
        const before = yield* made
        assert.isFalse(yield* isSeen)
        assert.isFalse(yield* Effect.andThen(call("/api/v1/workloads?limit=9", asked), isSeen))
        assert.isAtLeast(yield* made, before)
      }).pipe(clock.whileStopped)
    )
  })
})
