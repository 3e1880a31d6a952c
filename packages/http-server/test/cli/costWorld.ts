/** A real service with two days of costs, as a user of the command line reaches it. */
import { NodeServices } from "@effect/platform-node"
import { HOUR_MS, hourOf } from "@quarterdeck/cost/Units"
import { Embedded, eventually, Fleet } from "@quarterdeck/harness"
import { Clock, Context, Effect, FileSystem, Layer, Path } from "effect"
import { keep } from "../e2e/costHistory.ts"
import { type Finished, quarterdeck, serve } from "./program.ts"

const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-cost-" })
  const at = (name: string) => join(directory, name)
  yield* files.writeFileString(at("kubeconfig.yaml"), fleet.kubeconfig)
  const from = hourOf(yield* Clock.currentTimeMillis) - 40 * HOUR_MS
  yield* keep(["hub", "prod"])(at("data"))
  const { url } = yield* serve([
    ...["--port", "0", "--kubeconfig", at("kubeconfig.yaml"), "--data", at("data")],
    ...["--bootstrap-key-file", at("first.key")]
  ])
  const key = (yield* files.readFileString(at("first.key"))).trim()
  const env = { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: key }
  const run = (...args: ReadonlyArray<string>): Effect.Effect<Finished> => quarterdeck(args, { env })

  const day = ["--from", String(from), "--to", String(from + 24 * HOUR_MS)]
  yield* eventually(
    "both clusters have synced",
    run("workloads", "--cluster", "*"),
    ({ stderr }) => !stderr.includes("warning"),
    { within: "40 seconds" }
  )
  const minute = (hours: number) => new Date(from + hours * 3_600_000).toISOString().slice(0, 16).replace("T", " ")
  return { at, data: at("data"), url, env, run, day, from, minute }
})

export class CostWorld extends Context.Service<CostWorld, Effect.Success<typeof make>>()(
  "@quarterdeck/http-server/test/CostWorld"
) {
  static readonly layer = Layer.effect(CostWorld, make).pipe(Layer.provideMerge(NodeServices.layer), Layer.orDie)
}
