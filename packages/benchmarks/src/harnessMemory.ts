/**
 * Fills three embedded clusters with pods, then prints the memory of this process as JSON: `{"rssBytes": …, "pods": …}`.
 *
 * `pnpm bench harness` runs `harnessMemory.ts PODS` in a separate process, so that the memory contains nothing else. PODS is
 * the number of pods of each cluster.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { type ClusterApi, Embedded, Fleet, Seed } from "@quarterdeck/harness"
import { Console, Effect, Schema, Stdio } from "effect"

/** Objects per page, as kubectl's default. */
const PAGE = 500

const Pods = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 100_000 }))

/** Counts objects page by page, so that the measured memory contains no full copy of a list. */
const podsOf = Effect.fnUntraced(function* (api: ClusterApi.ClusterApi) {
  let count = 0
  let next = ""
  do {
    const page = yield* api.list({ apiVersion: "v1", kind: "Pod", limit: PAGE, continue: next })
    count += page.items.length
    next = page.continue ?? ""
  } while (next !== "")
  return count
})

const probe = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const [given = "5000"] = yield* args
  const pods = yield* Schema.decodeEffect(Pods)(given)
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod", "stage"] })
  yield* Seed.fill(fleet, { size: { pods } })
  const kept = yield* Effect.forEach(fleet.clusters, ({ api }) => podsOf(api))
  yield* Effect.sync(() => globalThis.gc?.())
  yield* Console.log(
    JSON.stringify({ rssBytes: process.memoryUsage.rss(), pods: kept.reduce((sum, count) => sum + count, 0) })
  )
})

NodeRuntime.runMain(Effect.scoped(probe).pipe(Effect.provide(NodeServices.layer)))
