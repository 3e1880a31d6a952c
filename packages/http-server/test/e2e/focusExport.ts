/**
 * Writes a FOCUS file of a service over two clusters: `focusExport.ts FILE`. `pnpm focus:check` gives it to the validator
 * of the FinOps Foundation.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Embedded } from "@quarterdeck/harness"
import { Effect, FileSystem, Logger, References, Stdio } from "effect"
import { Deployment } from "./Deployment.ts"
import { keep, twoMonths } from "./focusHistory.ts"

const main = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const { args } = yield* Stdio.Stdio
  const [file = "focus.csv"] = yield* args
  const path = `/detailedCostReport/getWorkloads${yield* twoMonths}&format=focus`
  const headers = [["X-Service-Cluster", "*"]] as const
  const { status, text } = yield* (yield* Deployment).call(path, { method: "POST", headers, body: {} })
  if (status !== 200) return yield* Effect.fail(new Error(text))
  yield* files.writeFileString(file, text)
})

NodeRuntime.runMain(
  main.pipe(
    Effect.provide(
      Deployment.layerOfProgram({
        driver: Embedded.driver,
        children: ["prod"],
        furnish: keep(["hub", "prod"])
      })
    ),
    Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
)
